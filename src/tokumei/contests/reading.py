"""Reading the files of the PWS Cup contests, leniently about their wrapping and strictly about their columns.

UTF-8 with or without BOM, CP932, LF or CRLF, plain or gzip are all read alike; rule checkers that must judge the
wrapping look at the raw lines (`tokumei.data.raw`). The columns are declared in `tokumei.contests.file_columns`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from tokumei.contests.file_columns import (
    CONTEST_FILES,
    PWS2016_SCHEMA,
    PWS2018_SCHEMA,
    PWS2021_SCHEMA,
    ContestFile,
    contest_file,
)
from tokumei.data import CsvRecords, History, history_of, parse_csv, read_bytes, to_utf8
from tokumei.errors import ContentError, Finding, ParameterError

__all__ = [
    "CONTEST_FILES",
    "PWS2016_SCHEMA",
    "PWS2018_SCHEMA",
    "PWS2021_SCHEMA",
    "ContestFile",
    "contest_file",
    "read_contest",
    "read_contest_history",
]


def read_contest(path: str | Path, contest: str, name: str) -> pl.DataFrame:
    """Return a contest file as text columns under their names, every line a row (deleted rows included).

    ``name`` is that of the specification (``"T"``, ``"A'"``, ``"EA"`` ...). All lines with a wrong number of cells are
    reported together in a ContentError.
    """
    return _records(path, contest_file(contest, name)).frame


def read_contest_history(path: str | Path, contest: str, name: str, *, master: str | Path | None = None) -> History:
    """Return a contest file of original or published records as a History; ``master`` is the file M beside it.

    The static tables of 2021 have the subject ``row``: every row is a person of its own.
    """
    declared = contest_file(contest, name)
    if declared.schema is None:
        known = ", ".join(key for key, file in CONTEST_FILES[contest].items() if file.schema)
        message = f"the file {name} of {contest} is no history; those that are: {known}"
        raise ParameterError(message)
    records = _records(path, declared)
    people = None if master is None else _read_master(master, contest)
    return history_of(records.frame, declared.schema, file=str(path), lines=records.lines, master=people)


def _records(path: str | Path, declared: ContestFile) -> CsvRecords:
    text, _ = to_utf8(read_bytes(path, allow_empty=declared.may_be_empty), str(path))
    records = parse_csv(text, str(path), width=len(declared.columns), quoting=False)
    records.frame.columns = list(declared.columns)
    return records


def _read_master(path: str | Path, contest: str) -> pl.DataFrame:
    """Return the master table; it has one row per customer."""
    records = _records(path, contest_file(contest, "M"))
    customer = records.frame["customer"]
    repeated = np.flatnonzero(~customer.is_first_distinct().to_numpy())
    if len(repeated):
        message = "this customer already has a row above; the master has one row per customer"
        findings = [Finding("duplicate-subject", message, int(records.lines[row]), 1) for row in repeated[:100]]
        raise ContentError(str(path), findings, total=len(repeated))
    return records.frame
