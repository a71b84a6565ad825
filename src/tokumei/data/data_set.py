"""A table on the disk that need not fit into memory: one file, or a folder of parts; scanned, never held.

The parts of a folder are its files that end in ``.parquet`` or ``.csv``, in the order of their names; they have one
set of columns. A row has a number: its place in the whole, counted from 0 through the parts. CSV parts are UTF-8 with
a header; everything in them is text, as in `tokumei.data.open_table`.

    data_set = DataSet.open(Path("purchases"))
    for batch in data_set.batches(schema.sources()):
        history = batch.history(schema)
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl

from tokumei.data.cleaning import plain_floats
from tokumei.data.history import History
from tokumei.data.memory import records_held, rows_at_once
from tokumei.data.raw import Source
from tokumei.data.schema import Schema
from tokumei.data.tables import history_of
from tokumei.errors import SchemaError, UnreadableError

ENDINGS = (".parquet", ".csv")
# Rows that are held at once: with five columns about a hundred megabytes while they are coded.
BATCH_ROWS = 1_000_000
# The line of a record in a CSV file, so far as nobody has counted.
BYTES_PER_LINE = 33

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Batch:
    """Some consecutive rows of a data set; ``first`` is the number of the first, ``line`` its place in ``file``."""

    frame: pl.DataFrame
    first: int
    file: Path
    line: int

    def history(self, schema: Schema) -> History:
        """Return the rows coded after the schema, each field with the dictionary of this batch alone."""
        lines = np.arange(self.line, self.line + self.frame.height)
        return history_of(self.frame, schema, file=str(self.file), lines=lines)


@dataclass(frozen=True, eq=False)
class DataSet:
    """A file or a folder of parts with one set of columns; ``columns`` says their types (CSV: text).

    ``stamps`` tell of every part whether somebody else has written to it since.
    """

    path: Path
    parts: tuple[Path, ...]
    columns: pl.Schema
    stamps: tuple[tuple[int, int, int], ...]

    @classmethod
    def open(cls, path: Path) -> DataSet:
        """Look at the columns of every part; raise UnreadableError or SchemaError if they cannot be one table."""
        parts = _parts_of(path)
        stamps = tuple(_readable(part, _stamp_of(part)) for part in parts)
        schemas = [_readable(part, _scan(part).collect_schema) for part in parts]
        for part, columns in zip(parts, schemas, strict=True):
            _refuse_other_columns(parts[0], schemas[0], part, columns)
        return cls(path, parts, schemas[0], stamps)

    @property
    def parquet(self) -> bool:
        """Whether the parts are Parquet, with types, rather than CSV text."""
        return self.parts[0].suffix != ".csv"

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """The number of rows of every part."""
        return tuple(int(_readable(part, _height_of(part))) for part in self.parts)

    def __len__(self) -> int:
        """Return the number of rows."""
        return sum(self.rows)

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of a file; of several parts, that of their digests in order."""
        digests = [_readable(part, _digest_of(part)) for part in self.parts]
        return digests[0] if self.path.is_file() else hashlib.sha256("".join(digests).encode()).hexdigest()

    def scan(self, columns: Sequence[str] | None = None) -> pl.LazyFrame:
        """Return all rows as a lazy frame, in order, with these columns (default: all)."""
        frame = pl.concat([_scan(part) for part in self.parts])
        return frame if columns is None else frame.select(list(columns))

    def collect(self) -> pl.DataFrame:
        """Return all rows, for a data set that fits into memory."""
        return pl.concat([_readable(part, _scan(part).collect) for part in self.parts])

    def head(self, rows: int) -> pl.DataFrame:
        """Return the first rows."""
        return _readable(self.path, self.scan().head(rows).collect)

    def batches(self, columns: Sequence[str] | None = None, *, rows: int | None = None) -> Iterator[Batch]:
        """Yield all rows in order, so many at once (default: as memory allows); no batch has rows of two parts."""
        rows = rows_at_once(BATCH_ROWS) if rows is None else rows
        for first in self.batch_starts(rows=rows):
            yield self.batch(first, columns, rows=rows)

    def batch_starts(self, *, rows: int = BATCH_ROWS) -> list[int]:
        """Return the number of the first row of every batch."""
        starts = accumulate(self.rows, initial=0)
        return [
            first
            for start, height in zip(starts, self.rows, strict=False)
            for first in range(start, start + height, rows)
        ]

    def batch(self, first: int, columns: Sequence[str] | None = None, *, rows: int = BATCH_ROWS) -> Batch:
        """Return the batch that begins with the row of this number."""
        starts = list(accumulate(self.rows, initial=0))
        place = bisect_right(starts, first) - 1
        part, begin = self.parts[place], first - starts[place]
        query = _scan(part).slice(begin, min(rows, self.rows[place] - begin))
        query = query if columns is None else query.select(list(columns))
        frame = _readable(part, query.collect)
        self.refuse_changed(place)
        # The header of a CSV file is its first line; the rows of a Parquet file count from 1.
        return Batch(frame, first, part, begin + (1 if self.parquet else 2))

    def refuse_changed(self, place: int | None = None) -> None:
        """Raise UnreadableError if a part (default: any) has other bytes by now than when the data set was opened."""
        for number in range(len(self.parts)) if place is None else (place,):
            part = self.parts[number]
            if _readable(part, _stamp_of(part)) != self.stamps[number]:
                message = f"{part}: this part of the data was changed during the run; run again when it stays as it is"
                raise UnreadableError(message, code="changed", file=str(part))


def exceeds_memory(path: Path) -> bool:
    """Return whether a file or a folder of parts has more records than may be held; CSV is told by its bytes."""
    if path.is_file() and path.suffix != ".parquet":
        return path.suffix == ".csv" and path.stat().st_size > records_held() * BYTES_PER_LINE
    return path.exists() and len(DataSet.open(path)) > records_held()


def _parts_of(path: Path) -> tuple[Path, ...]:
    """Return the files of a data set in order."""
    if not path.is_dir():
        if not path.is_file():
            Source.read(path)
        return (path,)
    # A link to nowhere is a part that is missing, not one fewer.
    files = [file for file in path.iterdir() if not file.is_dir() and not file.name.startswith((".", "_"))]
    parts = tuple(sorted(file for file in files if file.suffix in ENDINGS))
    if not parts:
        message = f"{path}: the folder holds no parts; its files must end in {' or '.join(ENDINGS)}"
        raise UnreadableError(message, file=str(path))
    if len({part.suffix for part in parts}) > 1:
        message = f"{path}: the folder holds CSV and Parquet files; name a folder with one data set in it"
        raise UnreadableError(message, file=str(path))
    _refuse_gap(parts, path)
    return parts


def _refuse_gap(parts: Sequence[Path], path: Path) -> None:
    """Raise UnreadableError if the parts are numbered and a number between the first and the last is not there."""
    numbered = [re.match(r"part-(\d+)", part.name) for part in parts]
    numbers = [int(one.group(1)) for one in numbered if one is not None]
    absent = sorted(set(range(min(numbers, default=0), max(numbers, default=-1))) - set(numbers))
    if len(numbers) == len(parts) and absent:
        message = f"{path}: the part number {absent[0]} is not there; restore it, or number the parts without gaps"
        raise UnreadableError(message, file=str(path))


def _scan(part: Path) -> pl.LazyFrame:
    """Return one part as a lazy frame; what is not a number in a floating-point column is missing."""
    if part.suffix == ".csv":
        return pl.scan_csv(part, infer_schema=False, glob=False).with_columns(pl.all().fill_null(""))
    return pl.scan_parquet(part, glob=False).with_columns(plain_floats())


def _stamp_of(part: Path) -> Callable[[], tuple[int, int, int]]:
    """Return size, time of the last change and number of the file: bytes that are written to a part change them."""

    def stamp() -> tuple[int, int, int]:
        told = part.stat()
        return told.st_size, told.st_mtime_ns, told.st_ino

    return stamp


def _height_of(part: Path) -> Callable[[], int]:
    return lambda: int(_scan(part).select(pl.len()).collect().item())


def _digest_of(part: Path) -> Callable[[], str]:
    def digest() -> str:
        with part.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    return digest


def _readable(part: Path, read: Callable[[], Value]) -> Value:
    """Return what reading gives; say in one sentence that a part is missing or damaged."""
    try:
        return read()
    except FileNotFoundError:
        message = f"{part}: this part of the data is not there any more; restore it and run again"
    except PermissionError:
        message = f"{part}: reading this file is not permitted; change its permissions or copy it"
    except ConnectionError:
        message = f"{part}: the store of this part does not answer; run again when it does (with --resume: from there)"
    except (pl.exceptions.PolarsError, OSError):
        kind = "CSV text in UTF-8 with a header" if part.suffix == ".csv" else "a Parquet file"
        message = f"{part}: this is not {kind}, or it is damaged; write or download it again"
    raise UnreadableError(message, file=str(part))


def _refuse_other_columns(first: Path, expected: pl.Schema, part: Path, columns: pl.Schema) -> None:
    """Raise SchemaError if a part has other columns than the first, or other types."""
    differing = [name for name in (*expected, *columns) if expected.get(name) != columns.get(name)]
    if not differing:
        return
    name = differing[0]
    ours, theirs = (str(schema[name]) if name in schema else "no such column" for schema in (expected, columns))
    message = (
        f"{part}: the column '{name}' differs between the parts ({first.name}: {ours}, here: {theirs}); "
        "write all parts with the same columns and types"
    )
    raise SchemaError(message, code="parts-differ", file=str(part))
