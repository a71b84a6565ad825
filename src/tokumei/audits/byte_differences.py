"""Where a published file differs from the one that its content makes: line, column, and in what."""

from __future__ import annotations

import csv
import io

import numpy as np
import polars as pl

from tokumei.data import Reason, made_by, sorted_rows

# The sentence is that of the code; what helps is the same for all.
REMEDY = "not-canonical"


def finding(code: str, **values: object) -> Reason:
    """Return a finding about published bytes."""
    return Reason(code=code, form=REMEDY, values=values)


def difference(name: str, present: bytes, expected: bytes, polars: str) -> Reason:
    """Return where a file differs first from what it should be; ``polars`` is the version that wrote it."""
    if name.endswith(".parquet"):
        return _parquet_difference(name, present, expected, polars)
    ours, theirs = present.split(b"\n"), expected.split(b"\n")
    line = next((number for number, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    if line is None:
        line = min(len(ours), len(theirs)) - 1
    if not name.endswith(".csv"):
        return finding("file-text", file=name, line=line + 1)
    if line == 0:
        return _header_difference(name, ours[0], theirs[0])
    column = _differing_column(ours[line], theirs[line])
    if column is None:
        return finding("line-text", file=name, line=line + 1)
    names = _cells(theirs[0]) or []
    return finding("cell-text", file=name, line=line + 1, column=names[column])


def _parquet_difference(name: str, present: bytes, expected: bytes, stated: str) -> Reason:
    surplus = [column for column in _parquet_columns(present) if column not in _parquet_columns(expected)]
    if surplus:
        return finding("unknown-column", file=name, column=surplus[0])
    installed = made_by()["polars"]
    if stated != installed:
        return finding("parquet-version", file=name, stated=stated, installed=installed)
    return finding("parquet-bytes", file=name)


def _parquet_columns(content: bytes) -> list[str]:
    return list(pl.read_parquet_schema(io.BytesIO(content)))


def _header_difference(name: str, present: bytes, expected: bytes) -> Reason:
    known, columns = _cells(expected) or [], _cells(present) or []
    surplus = [column for column in columns if column not in known]
    if surplus and len(columns) > len(known):
        return finding("unknown-column", file=name, column=surplus[0])
    return finding("line-text", file=name, line=1)


def _cells(line: bytes) -> list[str] | None:
    """Return the cells of a CSV line, None if it is no line of its own (a quoted cell may span several)."""
    try:
        return next(csv.reader([line.decode()], strict=True), None)
    except (csv.Error, UnicodeDecodeError):
        return None


def _differing_column(present: bytes, expected: bytes) -> int | None:
    """Return the first cell in which two lines differ, None if they have the same cells in another dress."""
    ours, theirs = _cells(present), _cells(expected)
    if ours is None or theirs is None or len(ours) != len(theirs):
        return None
    return next((place for place, pair in enumerate(zip(ours, theirs, strict=True)) if pair[0] != pair[1]), None)


def order_findings(name: str, text: pl.DataFrame) -> list[Reason]:
    """Return the first row of a file that is not where sorting its rows as text puts it."""
    order = sorted_rows(text)
    moved = np.flatnonzero(order != np.arange(len(order)))
    # Rows that are equal may stand in any order: sorting moves none of them.
    return [finding("row-order", file=name, line=int(moved[0]) + 2)] if len(moved) else []
