"""The plain Python program against which the library is measured: csv module, dictionaries and loops.

It uses nothing of the library. Cells are parsed as a careful person would who has an afternoon: one at a time.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import date
from functools import cache
from math import sqrt
from pathlib import Path

__all__ = ["Row", "days", "numbers", "parse_range", "parse_rows", "pence", "read_rows", "spreads", "utility", "whole"]

Row = tuple[str, int, str, int, int]
DAY_ZERO = date(2010, 1, 1)


def read_rows(path: Path) -> list[list[str]]:
    """Return the cells of every line."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


@cache
def days(text: str) -> int:
    """Return the days since 2010/1/1."""
    year, month, day = text.split("/")
    return (date(int(year), int(month), int(day)) - DAY_ZERO).days


def pence(text: str) -> int:
    """Return a price in pence."""
    return round(float(text) * 100)


def whole(text: str) -> int:
    """Return a whole number."""
    return int(text)


PARSERS: dict[int, Callable[[str], int]] = {1: days, 3: pence, 4: whole}


def parse_rows(rows: list[list[str]]) -> list[Row]:
    """Return the records of T."""
    return [(row[0], days(row[1]), row[2], pence(row[3]), int(row[4])) for row in rows]


def parse_range(text: str, parse: Callable[[str], int]) -> tuple[int, int] | None:
    """Return the ends of a value or range, None for a suppressed cell."""
    if text == "*":
        return None
    if text.startswith("["):
        low, high = text[1:-1].split(";")
        return parse(low), parse(high)
    value = parse(text)
    return value, value


def numbers(rows: list[Row], column: int) -> list[int]:
    """Return one ordered column."""
    return [int(row[column]) for row in rows]


def spreads(rows: list[Row]) -> dict[int, float]:
    """Return the population standard deviation of every ordered column."""
    found = {}
    for column in PARSERS:
        values = numbers(rows, column)
        mean = sum(values) / len(values)
        squares = [(value - mean) ** 2 for value in values]
        found[column] = sqrt(sum(squares) / len(values))
    return found


def utility(t: Path, a: Path) -> dict[str, float]:
    """Return U and its parts (spec B.8)."""
    original, written = parse_rows(read_rows(t)), read_rows(a)
    spread = spreads(original)
    parts = {}
    for column, name in ((1, "date"), (2, "goods"), (3, "price"), (4, "quantity")):
        total = 0.0
        for row, cells in zip(original, written, strict=True):
            cell = cells[column]
            if cell == "*":
                total += 1.0
            elif cell.startswith("{"):
                total += 1.0 - 1.0 / len(cell[1:-1].split(";"))
            elif cell.startswith("["):
                low, high = cell[1:-1].split(";")
                lo, hi, value = PARSERS[column](low), PARSERS[column](high), int(row[column])
                below, above = lo - value, hi - value
                total += (below * below + above * above + hi - lo) / (2 * (hi - lo + 1) * spread[column])
        parts[name] = total / len(original)
    return {"U": sum(parts.values()) / 4, **parts}
