"""A release as a folder that can be handed out as it is: data, schema, summary, manifest.

    release/
      data.csv        (or data.parquet) pseudonym and generalized cells, sorted as text
      schema.toml     what the columns mean
      people.csv      (or people.parquet) the same for a table of people, where there is one, and
      people.toml     what its columns mean
      summary.md      for people: what was done, how to read it, what it protects against
      manifest.json   what was done, by which version, with the hashes of the files

Nothing in it depends on the order of the original rows, on the input file or on the Secret.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.cells import SetCells
from tokumei.data.files import atomic_folder
from tokumei.data.history import History, Release, Secret
from tokumei.errors import LeakError, ParameterError

__all__ = [
    "DATA_STEM",
    "MANIFEST_NAME",
    "PEOPLE_SCHEMA_NAME",
    "PEOPLE_STEM",
    "SCHEMA_NAME",
    "SUMMARY_NAME",
    "in_published_order",
    "refuse_leaks",
    "write_release",
]

DATA_STEM, SCHEMA_NAME, SUMMARY_NAME, MANIFEST_NAME = "data", "schema.toml", "summary.md", "manifest.json"
PEOPLE_STEM, PEOPLE_SCHEMA_NAME = "people", "people.toml"


def in_published_order(release: Release, secret: Secret) -> tuple[Release, Secret]:
    """Return both with records and people sorted as text, so that their order tells nothing about the original."""
    order = _text_order(release)
    release, secret = release.take(order), secret.take(order)
    if release.people is None:
        return release, secret
    order = _text_order(release.people)
    people = None if secret.people is None else secret.people[order]
    return replace(release, people=release.people.take(order)), replace(secret, people=people)


def _text_order(release: Release) -> Ints:
    text = release.text()
    # A stable sort breaks ties between equal records: it moves rows that nobody can tell apart.
    # Columns go by number: a name of the data could mean something to polars.
    text.columns = [str(number) for number in range(text.width)]
    return text.select(pl.arg_sort_by(text.columns, maintain_order=True)).to_series().to_numpy().astype(np.int64)


def refuse_leaks(history: History, release: Release, secret: Secret) -> None:
    """Raise LeakError if a pseudonym is a subject id, or a column that repeats the subject ids is still readable.

    A generalized cell that has the id among its values counts as readable, a suppressed one does not.
    """
    tables = (release,) if release.people is None else (release, release.people)
    ids = pl.concat([table.pseudonyms.cast(pl.String).alias("id") for table in tables]).unique()
    left = ids.filter(ids.is_in(history.subjects.implode()))
    if len(left):
        message = (
            f"{len(left)} pseudonyms of the release are subject ids of the original; "
            "give every subject a fresh pseudonym before publishing"
        )
        raise LeakError(message, code="subject-id-published")
    real = np.flatnonzero(secret.rows >= 0)
    if not len(real):
        return
    rows = secret.rows[real]
    owner = history.subjects.gather(history.subject[rows])
    original = history.text(literal=True)
    for spec in history.schema.fields:
        cells = release.cells[spec.name].take(real)
        readable = cells.contains(history.codes[spec.name][rows]) & ~cells.suppressed
        copied = int(((original[spec.name].gather(rows) == owner).to_numpy() & readable).sum())
        if copied * 2 > len(real):
            message = (
                f"the column '{spec.name}' repeats the subject id in {copied} of {len(real)} records; "
                "drop it in the schema ({ drop = true })"
            )
            raise LeakError(message, code="subject-id-column")


def _refuse_control_characters(release: Release) -> None:
    """Raise ParameterError if categories hold bytes that no CSV text has; Parquet input may bring them."""
    for name, cells in release.cells.items():
        if isinstance(cells, SetCells) and cells.categories.str.contains("[\\x00-\\x08]").any():
            message = f"the column '{name}' holds control characters, which CSV cannot carry; write Parquet (--format)"
            raise ParameterError(message)


def write_release(
    release: Release,
    folder: Path,
    *,
    parameters: Mapping[str, Any] | None = None,
    data_format: str = "csv",
    summary: str | None = None,
) -> dict[str, Any]:
    """Write the release folder whole or not at all; return its manifest."""
    if data_format == "csv":
        _refuse_control_characters(release)
        if release.people is not None:
            _refuse_control_characters(release.people)
    with atomic_folder(folder) as temporary:
        _write_table(release, temporary / f"{DATA_STEM}.{data_format}", temporary / SCHEMA_NAME)
        if release.people is not None:
            _write_table(release.people, temporary / f"{PEOPLE_STEM}.{data_format}", temporary / PEOPLE_SCHEMA_NAME)
        if summary is not None:
            (temporary / SUMMARY_NAME).write_text(summary, encoding="utf-8")
        manifest = {
            "tokumei": version("tokumei"),
            "versions": {name: version(name) for name in ("numpy", "polars")},
            "method": release.method,
            "parameters": dict(parameters or {}),
            "records": len(release),
            "pseudonyms": release.pseudonyms.n_unique(),
            "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(temporary.iterdir())},
        }
        manifest_text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
        (temporary / MANIFEST_NAME).write_text(manifest_text, encoding="utf-8")
    return manifest


def _write_table(release: Release, data: Path, schema: Path) -> None:
    text = release.text()
    # Polars opens no file whose name is no text; Python does.
    with data.open("wb") as file:
        if data.suffix == ".parquet":
            text.write_parquet(file)
        else:
            text.write_csv(file)
    schema.write_text(release.schema.to_toml(), encoding="utf-8")
