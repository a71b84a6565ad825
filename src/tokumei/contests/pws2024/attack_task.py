"""The attack task of PWS Cup 2024: test files, the sample attack and the counting of hits (later contests, spec 3).

Fifty rows of B are drawn. File a has the known columns, file b the ratings of the same rows in another order with one
cell hidden; file x says which row of a stands behind each row of b, and what the hidden cell was.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Bools
from tokumei.contests.pandas_table import Table, text_codes, values_of
from tokumei.contests.pws2024.files import BASICS, COLUMNS, JOINED, KNOWN, MOVIES, TEST_ROWS
from tokumei.errors import InfeasibleError

HIDDEN = "*"


@dataclass(frozen=True, eq=False, slots=True)
class TestFiles:
    """The drawn rows s, the known columns a, the ratings b with hidden cells, and the answers x."""

    s: pl.DataFrame
    a: pl.DataFrame
    b: pl.DataFrame
    x: pl.DataFrame


def make_test(original: pl.DataFrame, seed: int | str, *, same_column: bool = False) -> TestFiles:
    """Draw the test files from Python's generator in the order of the official program.

    With ``same_column`` the same column is hidden in every row, as in the final.
    """
    if original.height < TEST_ROWS:
        message = f"B has {original.height} rows, but {TEST_ROWS} are drawn from it; give a larger table"
        raise InfeasibleError(message, code="too-few-rows")
    draw = random.Random(seed)
    rows = draw.sample(range(original.height), TEST_ROWS)
    draw.shuffle(rows)
    order = list(range(TEST_ROWS))
    draw.shuffle(order)
    last = len(MOVIES) - 1
    common = draw.randint(0, last) if same_column else 0
    hidden = [common if same_column else draw.randint(0, last) for _ in order]
    drawn = original.select(COLUMNS)[rows]
    ratings = np.array(drawn.select(MOVIES).rows(), dtype=object)[order]
    values = [ratings[place, column] for place, column in enumerate(hidden)]
    ratings[np.arange(TEST_ROWS), hidden] = HIDDEN
    return TestFiles(
        s=drawn,
        a=drawn.select(KNOWN),
        b=pl.DataFrame(ratings.tolist(), schema=dict.fromkeys(MOVIES, pl.String), orient="row"),
        x=pl.DataFrame({"row": order, "value": values}),
    )


def joined_table(tables: Sequence[Table]) -> pl.DataFrame:
    """Return the columns that the sample attack takes from the ten tables, side by side by row number."""
    height = min(table.rows for table in tables)
    return pl.concat(
        [table.frame[:height].select(names) for table, names in zip(tables, JOINED, strict=True)], how="horizontal"
    )


def sample_attack(a: pl.DataFrame, b: pl.DataFrame, tables: Sequence[Table]) -> list[tuple[int, str]]:
    """Return for every row of b the row of a and the value of the hidden cell.

    The pair of rows wins whose 50 cells differ least from some row of the joined table; among equal ones the first
    row of a, then the first row of the table.
    """
    joined = joined_table(tables)
    ratings = np.sum([_differs(b[name], joined[name]) for name in MOVIES], axis=0)
    known = np.sum([_differs(a[name], joined[name]) for name in BASICS], axis=0)
    answers = []
    for place, row in enumerate(b.rows()):
        together = known + ratings[place]
        nearest = together.min(axis=1)
        chosen = int(nearest.argmin())
        shown = int(together[chosen].argmin())
        hidden = [name for name, cell in zip(b.columns, row, strict=True) if cell == HIDDEN]
        answers.append((chosen, joined[hidden[0]][shown] if hidden else ""))
    return answers


def _differs(rows: pl.Series, shown: pl.Series) -> Bools:
    """Return for every pair of a test row and a shown row whether their cells differ as text."""
    (asked, given), _texts = text_codes(rows, shown)
    return asked[:, None] != given[None, :]


def count_hits(truth: Table, answers: Table) -> tuple[int, int] | None:
    """Return how many rows and how many hidden cells are right; None if both files differ in their shape.

    A column counts as numbers or not at all: one cell that is no number makes all of it text, which equals no number.
    """
    if len(answers.columns) != len(truth.columns) or answers.rows != truth.rows or answers.error:
        return None
    first, second = (
        _equal(truth.frame[ours], answers.frame[theirs])
        for ours, theirs in zip(truth.columns, answers.columns, strict=True)
    )
    return first, second


def _equal(truth: pl.Series, answers: pl.Series) -> int:
    """Return how many cells are equal; a column of texts equals no column of numbers anywhere."""
    right, given = (values_of(column.unique().to_list()) for column in (truth, answers))
    return sum(
        right[one] is not None and right[one] == given[other]
        for one, other in zip(truth.to_list(), answers.to_list(), strict=True)
    )
