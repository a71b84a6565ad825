"""Two-way tables of counts before and after: what every cross tabulation of two columns loses."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.data import MISSING, Goal, History, Release, Score, Secret, SetCells
from tokumei.errors import InfeasibleError
from tokumei.metrics.midpoints import original_values, published_values
from tokumei.parts import Metric, parameter

# A table of more cells has about as many as records, and counts nothing but ones.
MOST_VALUES = 200
Codes = tuple[Ints, Ints, int]


def two_way_counts(first: Ints, second: Ints, size: int, other_size: int) -> Ints:
    """Count all pairs of codes from 0 on; rows with a negative (missing) code are left out.

    >>> two_way_counts(np.array([0, 1, -1]), np.array([1, 1, 0]), 2, 2).tolist()
    [0, 1, 0, 1]
    """
    known = (first >= 0) & (second >= 0)
    joined = first * other_size + second
    return np.bincount(joined if known.all() else joined[known], minlength=size * other_size)


def count_change(before: Ints, after: Ints) -> int:
    """Return the sum of the absolute differences of two tables of counts."""
    return int(np.abs(before - after).sum())


def pair_changes(codes: Mapping[str, Codes], apart: Collection[str] = ()) -> dict[tuple[str, str], int]:
    """Return how much the two-way counts of every pair of columns change; two columns ``apart`` are no pair.

    A column has its codes before and after, from 0 on, and how many there are.

    >>> pair_changes({"a": (np.array([0, 1]), np.array([0, 1]), 2), "b": (np.array([0, 1]), np.array([1, 0]), 2)})
    {('a', 'b'): 4}
    """
    changes = {}
    for one, other in combinations(codes, 2):
        if one not in apart or other not in apart:
            (ours, theirs, size), (our_other, their_other, other_size) = codes[one], codes[other]
            before = two_way_counts(ours, our_other, size, other_size)
            changes[one, other] = count_change(before, two_way_counts(theirs, their_other, size, other_size))
    return changes


@dataclass(frozen=True, kw_only=True)
class PairCounts(Metric):
    """Largest share of the records that a two-way table of counts loses or gains, over all pairs of columns.

    Categories count by their values, ordered columns by equally full classes of the original, with ranges at their
    middle. Sets of several values, and what is suppressed, stand in no cell. 0: every cross tabulation is unchanged.
    """

    name: ClassVar[str] = "pair-counts"
    summary: ClassVar[str] = "largest change of a two-way table of counts"
    source: ClassVar[str] = "PWS Cup 2024"

    classes: int = parameter(10, "into how many classes ordered columns are cut", low=2, high=100)

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the largest change of all pairs; parts: the mean, and how many pairs there are."""
        del secret
        names = [field.name for field in history.schema.fields]
        codes = {name: found for name in names if (found := self._codes(history, release, name))}
        if len(codes) < 2 or not len(history):
            message = f"fewer than two columns have at most {MOST_VALUES} values, of which pairs could be counted"
            raise InfeasibleError(message)
        shares = [change / (2 * max(len(history), len(release))) for change in pair_changes(codes).values()]
        parts = {"mean": float(np.mean(shares)), "pairs": float(len(shares))}
        return Score(name=self.name, value=max(shares), goal=Goal.LOWER, lowest=0.0, highest=1.0, parts=parts)

    def _codes(self, history: History, release: Release, name: str) -> Codes | None:
        """Return the codes of a column on both sides, -1 for what is not told; None if it has too many values."""
        cells = release.cells[name]
        if isinstance(cells, SetCells):
            size = max(len(cells.categories), len(history.categories[name]), 1)
            single = (cells.sizes() == 1) & ~cells.suppressed
            theirs = np.full(len(release), -1, dtype=np.int64)
            theirs[single] = cells.codes[cells.offsets[:-1][single]]
            return (history.codes[name].astype(np.int64), theirs, size) if size <= MOST_VALUES else None
        before, after = original_values(history, [name])[0], published_values(history, release, [name])[0]
        known = before[np.isfinite(before)]
        if not len(known):
            return None
        edges = np.unique(np.quantile(known, np.linspace(0, 1, self.classes + 1)[1:-1], method="lower"))
        mine, theirs = (
            np.where(np.isfinite(side), np.searchsorted(edges, side, side="left"), -1) for side in (before, after)
        )
        missing = history.codes[name] == MISSING
        return np.where(missing, -1, mine).astype(np.int64), theirs.astype(np.int64), len(edges) + 1
