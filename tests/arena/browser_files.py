"""What the teams of a 2018 contest hand in, made from nothing but what they download."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

__all__ = ["all_right", "all_wrong", "cell", "mask", "rename", "spoil"]

Rows = list[list[str]]


def _rows(path: Path) -> Rows:
    return [line.split(",") for line in path.read_text(encoding="ascii").splitlines()]


def _write(path: Path, rows: Rows) -> Path:
    path.write_text("".join(",".join(row) + "\n" for row in rows), encoding="ascii")
    return path


def cell(path: Path, line: int, column: int) -> str:
    """Return a cell by its line and column, both counted from 1."""
    return _rows(path)[line - 1][column - 1]


def rename(original: Path, target: Path) -> Path:
    """Write A with new names and everything else as it was: it costs nothing and hides nobody."""
    names: dict[str, str] = {}
    rows = _rows(original)
    for row in rows:
        row[0] = names.setdefault(row[0], str(1 + len(names)))
    return _write(target, rows)


def mask(renamed: Path, target: Path, *columns: int) -> Path:
    """Write A with whole columns (counted from 0) blotted out: each costs a quarter of U = 1."""
    rows = _rows(renamed)
    for row in rows:
        for column in columns:
            row[column] = "*"
    return _write(target, rows)


def spoil(renamed: Path, target: Path) -> Path:
    """Write A with the mistakes of a beginner: a name nobody may have, a changed price, and markup as a date."""
    rows = _rows(renamed)
    rows[0][1] = "<b>soon</b>"
    rows[1][3] = "99999.99"
    rows[2][0] = "x"
    return _write(target, rows)


def all_right(original: Path, published: Path, target: Path) -> Path:
    """Write guesses by the published rows whose content only one row of T has."""
    rows = _rows(original)
    times = Counter(tuple(row[1:]) for row in rows)
    owners = {tuple(row[1:]): row[0] for row in rows if times[tuple(row[1:])] == 1}
    named = {row[0]: owners[tuple(row[1:])] for row in _rows(published) if tuple(row[1:]) in owners}
    return _write(target, [list(pair) for pair in named.items()])


def all_wrong(original: Path, published: Path, target: Path) -> Path:
    """Write guesses that name one customer, whoever it is: at most one can be right."""
    customer = _rows(original)[0][0]
    return _write(target, [[name, customer] for name in dict.fromkeys(row[0] for row in _rows(published))])
