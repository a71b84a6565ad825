"""The task to link people to their rows in another order, with one cell of every row hidden; answers are counted.

Drawn from Python's generator: rows, their order among the people, their order among the rows, hidden columns.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.attacks import HIDDEN_CELL, Links
from tokumei.contests.pandas_table import Table, values_of
from tokumei.errors import InfeasibleError


@dataclass(frozen=True, eq=False, slots=True)
class TestFiles:
    """The drawn rows s, the known columns a, the others b with hidden cells, and the answers x."""

    s: pl.DataFrame
    a: pl.DataFrame
    b: pl.DataFrame
    x: pl.DataFrame

    def hits(self, answers: Links) -> int:
        """Return how many rows and hidden cells these answers have right."""
        truth = zip(answers, self.x.rows(), strict=True)
        return sum((row == right) + (value == hidden) for (row, value), (right, hidden) in truth)


def draw_test(
    original: pl.DataFrame,
    seed: int | str,
    *,
    known: Sequence[str],
    asked: Sequence[str],
    rows: int,
    same_column: bool = False,
) -> TestFiles:
    """Draw the test files; with ``same_column`` the same column is hidden in every row."""
    if original.height < rows:
        message = f"B has {original.height} rows, but {rows} are drawn from it; give a larger table"
        raise InfeasibleError(message, code="too-few-rows")
    draw = random.Random(seed)
    chosen = draw.sample(range(original.height), rows)
    draw.shuffle(chosen)
    order = list(range(rows))
    draw.shuffle(order)
    last = len(asked) - 1
    common = draw.randint(0, last) if same_column else 0
    hidden = [common if same_column else draw.randint(0, last) for _ in order]
    drawn = original.select(*known, *asked)[chosen]
    cells = np.array(drawn.select(asked).rows(), dtype=object)[order]
    values = [cells[place, column] for place, column in enumerate(hidden)]
    cells[np.arange(rows), hidden] = HIDDEN_CELL
    return TestFiles(
        s=drawn,
        a=drawn.select(known),
        b=pl.DataFrame(cells.tolist(), schema=dict.fromkeys(asked, pl.String), orient="row"),
        x=pl.DataFrame({"row": order, "value": values}),
    )


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
