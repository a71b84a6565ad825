"""Rows, columns and cells of a CSV file counted piece by piece, so that no parser meets what it cannot bear."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import numpy as np

from tokumei.array_types import Bytes, Ints
from tokumei_arena.work.limits import Limits
from tokumei_arena.work.messages import refusal

COMMA, LF, CR = 44, 10, 13
PIECE = 8 << 20


def scan_csv(path: Path, file: str, limits: Limits) -> None:
    """Raise a refusal at the first line with too many cells or too long a cell, or beyond the most rows.

    Quotes have no meaning in the files of the contests. LF, CR and CRLF end lines; the two bytes of CRLF count as two
    ends, which can only count an empty line too many.
    """
    longest = limits.columns * (limits.cell_length + 1)
    rows, carried = 0, b""
    with path.open("rb") as source:
        while piece := source.read(PIECE):
            whole = carried + piece
            cut = max(whole.rfind(b"\n"), whole.rfind(b"\r")) + 1
            rows = _scan(np.frombuffer(whole[:cut], dtype=np.uint8), rows, file, limits)
            carried = whole[cut:]
            if len(carried) > longest:
                _scan(np.frombuffer(carried, dtype=np.uint8), rows, file, limits)
    if carried:
        _scan(np.frombuffer(carried, dtype=np.uint8), rows, file, limits)


def _scan(data: Bytes, rows: int, file: str, limits: Limits) -> int:
    """Check whole lines after ``rows`` others; return how many there are now."""
    if not len(data):
        return rows
    ends = np.flatnonzero((data == LF) | ((data == CR) & (np.append(data[1:], 0) != LF)))
    found = rows + max(len(ends), 1)
    if found > limits.rows:
        raise refusal("too-many-rows", file=file, line=limits.rows + 1, limit=limits.rows)
    separators = np.flatnonzero((data == COMMA) | (data == LF) | (data == CR))
    commas = separators[data[separators] == COMMA]
    per_line = np.bincount(np.searchsorted(ends, commas), minlength=1)
    wide = np.flatnonzero(per_line >= limits.columns)
    if len(wide):
        line = rows + int(wide[0]) + 1
        raise refusal("too-many-columns", file=file, line=line, column=limits.columns + 1, limit=limits.columns)
    bounds = np.concatenate(([-1], separators, [len(data)]))
    long = np.flatnonzero(np.diff(bounds) - 1 > limits.cell_length)
    if len(long):
        _too_long(int(bounds[long[0]]) + 1, ends, commas, rows, file=file, limit=limits.cell_length)
    return found


def _too_long(start: int, ends: Ints, commas: Ints, rows: int, *, file: str, limit: int) -> NoReturn:
    line = int(np.searchsorted(ends, start))
    begin = int(ends[line - 1]) if line else -1
    column = int(np.searchsorted(commas, start) - np.searchsorted(commas, begin)) + 1
    raise refusal("cell-too-long", file=file, line=rows + line + 1, column=column, limit=limit)
