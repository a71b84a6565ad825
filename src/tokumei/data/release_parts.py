"""A release whose data is a folder of Parquet parts, listed with their rows and pseudonyms in the one manifest.

    release/
      data/part-00000.parquet ...   the rows of data.parquet, in the same order, cut between two pseudonyms
      schema.toml, summary.md, manifest.json

Rows are sorted as text within a part, and every pseudonym of a part comes before those of the next: all parts one
after the other are the one canonical order of the release. The manifest lists the hashes of the parts among its
``files`` and, under ``parts``, their rows and their first and last pseudonym. The Secret of such a release is a folder
too, readable by its owner only: ``rows/part-00000.parquet`` has the original row of every record of that part,
``owners/part-00000.parquet`` who stands behind its pseudonyms.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.files import OWNER_ONLY
from tokumei.data.history import Secret
from tokumei.data.release_files import ROW_GROUP
from tokumei.errors import UnreadableError

DATA_FOLDER = "data"
OWNERS_FOLDER, ROWS_FOLDER, SECRET_NAME = "owners", "rows", "secret.json"
# Records of one part: some tens of megabytes on the disk.
PART_RECORDS = 1_000_000


@dataclass(frozen=True, slots=True)
class ReleasePart:
    """One part of the data of a release: ``name`` relative to its folder, its rows, its first and last pseudonym."""

    name: str
    rows: int
    first: str
    last: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for the manifest."""
        return asdict(self)


def part_name(number: int) -> str:
    """Return the file name of a part.

    >>> part_name(12)
    'part-00012.parquet'
    """
    return f"part-{number:05d}.parquet"


def cut_parts(records: Ints) -> Ints:
    """Return the part of every pseudonym, from the number of its records; pseudonyms come in the order of their text.

    One content has one cut: a part ends where its records are full, and no pseudonym is torn.
    """
    ahead = np.cumsum(records) - records
    return np.unique(ahead // PART_RECORDS, return_inverse=True)[1].astype(np.int64)


def part_bytes(frame: pl.DataFrame) -> bytes:
    """Return the one Parquet file of a table of texts."""
    buffer = io.BytesIO()
    frame.rechunk().write_parquet(buffer, row_group_size=ROW_GROUP)
    return buffer.getvalue()


def listed_parts(manifest: Mapping[str, Any], folder: Path) -> tuple[ReleasePart, ...]:
    """Return the parts that a manifest lists, none if the data is one file; raise UnreadableError if one is absent."""
    try:
        parts = tuple(
            ReleasePart(str(one["name"]), int(one["rows"]), str(one["first"]), str(one["last"]))
            for one in manifest.get("parts", [])
        )
        if any(PurePosixPath(part.name).parent.as_posix() != DATA_FOLDER for part in parts):
            raise ValueError
    except (KeyError, TypeError, ValueError):
        message = f"{folder}: the manifest does not list the parts as tokumei does; restore the release folder"
        raise UnreadableError(message, file=str(folder)) from None
    for part in parts:
        if not (folder / part.name).is_file():
            message = f"{folder / part.name}: this part of the release is not there; restore the release folder"
            raise UnreadableError(message, file=str(folder / part.name))
    return parts


@dataclass(frozen=True, eq=False, repr=False)
class SecretFolder:
    """The Secret of a release in parts; part i belongs to part i of the release."""

    path: Path
    parts: tuple[str, ...]
    seed: int | None

    @classmethod
    def open(cls, path: Path) -> SecretFolder:
        """Look at a folder that holds a Secret."""
        try:
            document = json.loads((path / SECRET_NAME).read_text(encoding="utf-8"))
            parts = tuple(str(name) for name in document["parts"])
            absent = [
                name for name in parts for sub in (ROWS_FOLDER, OWNERS_FOLDER) if not (path / sub / name).is_file()
            ]
            seed = None if document["seed"] is None else int(document["seed"])
        except PermissionError:
            message = f"{path}: reading this folder is not permitted; the secret belongs to who made the release"
            raise UnreadableError(message, file=str(path)) from None
        except (OSError, ValueError, KeyError, TypeError):
            message = f"{path} is no secret of tokumei, or it is damaged; name what 'tokumei anonymize' wrote"
            raise UnreadableError(message, file=str(path)) from None
        if absent:
            message = f"{path}: the part {absent[0]} of the secret is not there; restore the folder"
            raise UnreadableError(message, file=str(path))
        return cls(path, parts, seed)

    def part(self, number: int) -> Secret:
        """Return the Secret of one part of the release: its rows, and who stands behind its pseudonyms."""
        owners, rows = (
            pl.read_parquet(self.path / sub / self.parts[number], glob=False) for sub in (OWNERS_FOLDER, ROWS_FOLDER)
        )
        return Secret(owners, rows["row"].to_numpy().astype(np.int64), seed=self.seed)

    def whole(self) -> Secret:
        """Return the Secret of the whole release."""
        parts = [self.part(number) for number in range(len(self.parts))]
        owners = pl.concat([part.owners for part in parts]).sort("pseudonym", "subject")
        return Secret(owners, np.concatenate([part.rows for part in parts]), seed=self.seed)


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read, whole or not at all: who reads it goes on where another was killed."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, OWNER_ONLY)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_secret_index(path: Path, parts: Sequence[str], seed: int | None) -> None:
    """Write what the folder of a Secret holds."""
    write_private(path / SECRET_NAME, (json.dumps({"parts": list(parts), "seed": seed}) + "\n").encode())
