"""Synthetic histories into files: any number of subjects, streamed in bounded memory, whole or not at all.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     written = write_synthetic("health", Path(folder) / "b.csv", subjects=3, seed=1)
>>> written.records
3

The same kind, number of subjects and seed give the same bytes, whatever the number of threads or the hash seed.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, cast

import polars as pl
from polars.io.plugins import register_io_source

from tokumei.errors import OutputError, ParameterError, did_you_mean
from tokumei.files import atomic_path
from tokumei.progress import stage
from tokumei.read.synthetic_blocks import BLOCK_SUBJECTS, resolve_seed
from tokumei.read.synthetic_health import generate_health
from tokumei.read.synthetic_master import generate_master, master_rows, transactions
from tokumei.read.synthetic_purchases import generate_purchases
from tokumei.read.synthetic_trajectories import generate_trajectories
from tokumei.schema import ISO_DATETIME, SLASH_DATE

__all__ = [
    "KINDS",
    "Written",
    "generate_health",
    "generate_master",
    "generate_purchases",
    "generate_trajectories",
    "write_synthetic",
]

KINDS = ("health", "master", "purchases", "trajectories")
ENDINGS = (".csv", ".csv.gz", ".parquet")
ROW_GROUP = 100_000
GZIP_LEVEL = 4
CLOCK = "%-H:%M"

Frames = Iterator[pl.DataFrame]


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: the files (transactions before master), the records of the first, the seed that repeats it."""

    files: tuple[Path, ...]
    subjects: int
    records: int
    seed: int


def write_synthetic(
    kind: str,
    path: Path,
    *,
    subjects: int,
    seed: int | None = None,
    header: bool = True,
    days: int = 1,
    cells: bool = False,
    master_path: Path | None = None,
) -> Written:
    """Write a synthetic history to a CSV (``.csv``, ``.csv.gz``) or Parquet (``.parquet``) file.

    ``header=False`` gives contest files. ``days`` and ``cells`` concern trajectories. The kind ``master`` writes the
    transactions to ``path`` and the master table to ``master_path`` (default: beside it, ``_master`` added to the
    name). Existing files are replaced only when the new ones are complete. Without a seed the operating system's
    entropy is used; the result says which seed that gave.
    """
    path, seed = Path(path), resolve_seed(seed)
    with stage(f"generate {kind}", total=subjects) as advance:

        def told(frames: Frames) -> Frames:
            for number, frame in enumerate(frames):
                yield frame
                advance(min(BLOCK_SUBJECTS, subjects - number * BLOCK_SUBJECTS))

        if kind == "master":
            beside = _beside(path) if master_path is None else Path(master_path)
            with _writing(beside) as master_file, _writing(path) as file:
                records = _write(told(transactions(subjects, seed)), file, path, header=header)
                _write(master_rows(subjects, seed), master_file, beside, header=header)
            return Written((path, beside), subjects, records, seed)
        with _writing(path) as file:
            records = _write(told(_frames(kind, subjects, seed, days, cells=cells)), file, path, header=header)
        return Written((path,), subjects, records, seed)


def _frames(kind: str, subjects: int, seed: int, days: int, *, cells: bool) -> Frames:
    """Return the generator of a kind of history that is one table."""
    if kind == "purchases":
        return generate_purchases(subjects, seed=seed)
    if kind == "trajectories":
        return generate_trajectories(subjects, seed=seed, days=days, cells=cells)
    if kind == "health":
        return generate_health(subjects, seed=seed)
    message = (
        f"there is no synthetic data of the kind '{kind}'{did_you_mean(kind, KINDS)}; known are {', '.join(KINDS)}"
    )
    raise ParameterError(message)


@contextmanager
def _writing(path: Path) -> Iterator[Path]:
    """Yield a temporary file for ``path``, once its ending is known to be one that can be written."""
    if _ending(path) not in ENDINGS:
        message = f"{path} cannot be written: the file name must end in {', '.join(ENDINGS)}"
        raise OutputError(message, file=str(path))
    with atomic_path(path) as temporary:
        yield temporary


def _ending(path: Path) -> str:
    """Return the ending by which the format is chosen."""
    name = path.name.lower()
    return next((ending for ending in ENDINGS if name.endswith(ending) and name != ending), "")


def _beside(path: Path) -> Path:
    """Return the default place of the master table: ``T.csv.gz`` gives ``T_master.csv.gz``."""
    ending = len(_ending(path))
    stem, end = (path.name[:-ending], path.name[-ending:]) if ending else (path.name, "")
    return path.with_name(f"{stem}_master{end}")


def _write(frames: Frames, file: Path, path: Path, *, header: bool) -> int:
    """Write tables one after another in the format that the ending of ``path`` names; return the number of records."""
    ending = _ending(path)
    if ending == ".parquet":
        return _write_parquet(frames, file, path)
    with file.open("wb") as plain:
        if ending == ".csv":
            return _write_csv(frames, plain, header=header)
        # Neither name nor time of writing inside the file: the same seed gives the same bytes.
        with gzip.GzipFile("", "wb", GZIP_LEVEL, plain, mtime=0) as packed:
            return _write_csv(frames, cast("IO[bytes]", packed), header=header)


def _write_csv(frames: Frames, target: IO[bytes], *, header: bool) -> int:
    """Append tables to an open CSV file."""
    records = 0
    for frame in frames:
        text = _csv_columns(frame).write_csv(include_header=header and records == 0)
        target.write(text.encode())
        records += frame.height
    return records


def _csv_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Write dates, times and prices as the contest files do: 2011/1/5, 9:05, 165."""
    formats: dict[object, str] = {pl.Date: SLASH_DATE, pl.Time: CLOCK, pl.Datetime: ISO_DATETIME}
    temporal = {name: formats[kind.base_type()] for name, kind in frame.schema.items() if kind.is_temporal()}
    columns = [pl.col(name).dt.strftime(text) for name, text in temporal.items()]
    if "price" in frame.columns:
        columns.append(pl.col("price").cast(pl.String).str.strip_suffix(".0"))
    return frame.with_columns(columns)


def _write_parquet(frames: Frames, file: Path, path: Path) -> int:
    """Stream tables into a Parquet file, without ever holding more than a few of them."""
    first = next(frames)
    records = 0

    def source(*_: object) -> Frames:
        nonlocal records
        for frame in chain((first,), frames):
            records += frame.height
            yield frame

    try:
        table = register_io_source(source, schema=first.schema)
        table.sink_parquet(file, row_group_size=ROW_GROUP, maintain_order=True)
    except pl.exceptions.PolarsError as error:
        message = f"{path} cannot be written: {error}"
        raise OutputError(message, file=str(path)) from error
    return records
