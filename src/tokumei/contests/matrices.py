"""Tables of results as the organisers publish them: CSV with a header, one row per target or team."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from tokumei.contests.values import Pair
from tokumei.data import read_bytes
from tokumei.errors import InputError


def read_rows(path: Path, needed: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of a table that has these columns."""
    reader = csv.DictReader(io.StringIO(read_bytes(path).decode("utf-8-sig", "replace")))
    lacking = [name for name in needed if name not in (reader.fieldnames or ())]
    if lacking:
        message = f"{path} has no column {', '.join(lacking)}; its header must name {', '.join(needed)}"
        raise InputError(message, code="columns", file=str(path))
    return list(reader)


def read_matrix(path: Path, key: str) -> dict[str, dict[str, float | None]]:
    """Return the numbers of every row by the name in its first column ``key``; None where a cell is empty."""
    try:
        return {
            row[key]: {name: float(cell) if cell else None for name, cell in row.items() if name != key}
            for row in read_rows(path, (key,))
        }
    except (TypeError, ValueError) as error:
        message = f"{path} is no table of numbers ({error}); its header is {key} and the teams, its cells numbers"
        raise InputError(message, code="matrix", file=str(path)) from error


def pairs_of(path: Path, key: str, figure: str) -> list[Pair]:
    """Return what attackers achieved against other teams; they are the columns, or the rows if so the key says."""
    return [
        Pair(*((row, column) if key == "attacker" else (column, row)), {figure: value or 0.0})
        for row, cells in read_matrix(path, key).items()
        for column, value in cells.items()
        if column != row
    ]
