"""Reading the files of the PWS Cup contests, leniently about their wrapping and strictly about their columns.

UTF-8 with or without BOM, CP932, LF or CRLF, plain or gzip are all read alike; rule checkers that must judge the
wrapping look at the raw lines (`tokumei.data.raw`). The columns are declared in `tokumei.contests.file_columns`.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from tokumei.contests.file_columns import (
    CONTEST_FILES,
    PWS2016_SCHEMA,
    PWS2018_SCHEMA,
    PWS2021_SCHEMA,
    ContestFile,
    contest_file,
)
from tokumei.data import CsvRecords, parse_csv, read_bytes, to_utf8

__all__ = [
    "CONTEST_FILES",
    "PWS2016_SCHEMA",
    "PWS2018_SCHEMA",
    "PWS2021_SCHEMA",
    "ContestFile",
    "contest_file",
    "read_contest",
]


def read_contest(path: str | Path, contest: str, name: str) -> pl.DataFrame:
    """Return a contest file as text columns under their names, every line a row (deleted rows included).

    ``name`` is that of the specification (``"T"``, ``"A'"``, ``"EA"`` ...). All lines with a wrong number of cells are
    reported together in a ContentError.
    """
    return _records(path, contest_file(contest, name)).frame


def _records(path: str | Path, declared: ContestFile) -> CsvRecords:
    text, _ = to_utf8(read_bytes(path, allow_empty=declared.may_be_empty), str(path))
    records = parse_csv(text, str(path), width=len(declared.columns), quoting=False)
    records.frame.columns = list(declared.columns)
    return records
