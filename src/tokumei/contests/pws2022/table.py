"""Tables of PWS Cup 2022, and the two figures of its utility that can be computed (later contests, spec 8).

The two others compare odds ratios of a regression with a table that is not at hand. Inferred here: a column without
spread has no correlation.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator

from tokumei.array_types import Floats, Ints
from tokumei.contests.column_rules import check_cells, column_rules, plain_rows
from tokumei.contests.findings import Findings
from tokumei.contests.pws2022.operators import AGE
from tokumei.data import read_bytes
from tokumei.errors import InputError

HOME = "tokumei.contests.pws2022"
COLUMNS = tuple(column_rules(HOME))


def check_table(raw: bytes, file: str) -> tuple[Findings, Ints | None]:
    """Check a table with its header; return the faults and, if there is none, its numbers."""
    found, (header, *rows) = Findings(HOME), plain_rows(raw) or [[]]
    if tuple(name.strip() for name in header) != COLUMNS:
        found.add("header", file, line=1, wanted=",".join(COLUMNS))
    check_cells(found, file, tuple(column_rules(HOME).values()), rows, first=2)
    if not found.valid:
        return found, None
    return found, np.array([[int(float(cell)) for cell in row] for row in rows], dtype=np.int64).reshape(
        -1, len(COLUMNS)
    )


def read_table(path: Path) -> Ints:
    """Read a table that must be right."""
    found, table = check_table(read_bytes(path), str(path))
    if table is None:
        raise InputError(f"{path}: {found.notes[0].message['en']}", code=found.notes[0].code, file=str(path))
    return table


def table_text(table: Ints) -> bytes:
    """Return a table as a file."""
    return "".join(f"{','.join(map(str, row))}\n" for row in (COLUMNS, *table.tolist())).encode()


def draw_people(count: int, rng: Generator) -> Ints:
    """Draw people: diseases come with age and with each other."""
    age = np.clip(rng.normal(58, 16, count), 18, 95).astype(np.int64)
    few = [rng.integers(0, size, count) for size in (2, 5, 6, 5, 2, 6)]
    frail = rng.normal(0, 1, count) + (age - 58) / 20
    ill = [(frail + rng.normal(0, 1, count) > bound).astype(np.int64) for bound in (0.2, 0.9, 1.3, 1.5, 1.6, 1.8)]
    return np.column_stack([age, *few, *ill])


def count_utility(table: Ints, released: Ints) -> float:
    """Return A: 1 less the changes of the counts of all values over all cells."""
    changes = 0
    for column in range(table.shape[1]):
        mine, theirs = (one[:, column] // 10 if column == AGE else one[:, column] for one in (table, released))
        values = np.union1d(mine, theirs)
        changes += sum(abs(int((mine == value).sum()) - int((theirs == value).sum())) for value in values.tolist())
    return 1 - changes / table.size


def correlation_utility(table: Ints, released: Ints) -> float:
    """Return B: 1 less the changes of all correlations over twice their number."""
    mine, theirs = (_correlations(one) for one in (table, released))
    return float(1 - np.abs(mine - theirs).sum() / (2 * mine.size))


def _correlations(table: Ints) -> Floats:
    values = table.astype(np.float64)
    values[:, AGE] = values[:, AGE] // 10 * 10
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.atleast_2d(np.nan_to_num(np.corrcoef(values, rowvar=False)))
