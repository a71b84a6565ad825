"""Generalize every cell with random values of its column (ano-random of PWS Cup 2018, spec B.9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import MISSING, Cells, Field, History, Kind, RangeCells, Release, Secret, SetCells, distinct
from tokumei.parts import Method, parameter


def smallest_free_numbers(count: int, taken: pl.Series) -> Ints:
    """Return the smallest natural numbers that are no subject id, ascending."""
    numbers = np.arange(1, count + len(taken) + 1)
    free = ~pl.Series(numbers).cast(pl.String).is_in(taken.cast(pl.String).implode()).to_numpy()
    return numbers[free][:count]


@dataclass(frozen=True, kw_only=True)
class RandomGeneralization(Method):
    """Pseudonyms, ranges and sets spanned by random values, some cells suppressed, some records deleted.

    A sample of the contest, not a protection: a history of many records is still singled out by what its cells
    contain together.
    """

    name: ClassVar[str] = "ano-random"
    summary: ClassVar[str] = "widen cells by random values of their column, suppress and delete some (sample, not safe)"
    source: ClassVar[str] = "PWS Cup 2018, sample anonymizer ano-random"
    valid_under: ClassVar[frozenset[str]] = frozenset({"pws2018"})

    dates: int = parameter(10, "a date is widened by fewer than this many random values", low=1, high=100)
    amounts: int = parameter(3, "the same for numbers with decimals (prices, places)", low=1, high=100)
    counts: int = parameter(10, "the same for whole numbers", low=1, high=100)
    categories: int = parameter(10, "the same for categories", low=1, high=100)
    suppression: float = parameter(0.1, "probability that a cell is suppressed", low=0.0, high=1.0)
    deletion: float = parameter(0.1, "probability that a record is deleted", low=0.0, high=1.0)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the generalized records under pseudonyms, in random order."""
        numbers = rng.permutation(smallest_free_numbers(len(history.subjects), history.subjects))
        names = pl.Series("pseudonym", numbers).cast(pl.String)
        rows = np.flatnonzero(rng.random(len(history)) >= self.deletion)
        rows = rng.permutation(rows).astype(np.int64)
        cells = {spec.name: self._widened(history, spec, rows, rng) for spec in history.schema.fields}
        published = distinct(history.subject[rows])
        owners = pl.DataFrame({"pseudonym": names[published], "subject": history.subjects[published]})
        release = Release(history.schema, names[history.subject[rows]], cells, self.name)
        return release, Secret(owners.sort("pseudonym"), rows)

    def _widened(self, history: History, spec: Field, rows: Ints, rng: np.random.Generator) -> Cells:
        """Return the column with every cell joined with r random values of the column, r uniform below the limit."""
        codes = history.codes[spec.name]
        limit = self._limit(spec)
        extra = rng.integers(0, limit, size=len(rows))
        values = _with_random_values(codes[rows], codes[codes != MISSING], limit, rng)
        # Position 0 is the own value, positions 1..r the random ones; the others do not count.
        counts = np.arange(limit) <= extra[:, None]
        hidden = (codes[rows] == MISSING) | (rng.random(len(rows)) < self.suppression)
        if spec.nominal:
            offsets = np.concatenate(([0], np.cumsum(extra + 1))).astype(np.int64)
            return SetCells.of_lists(offsets, values[counts], history.categories[spec.name], suppressed=hidden)
        own = values[:, :1]
        inside = np.where(counts, values, own)
        return RangeCells.of_ranges(inside.min(axis=1), inside.max(axis=1), suppressed=hidden)

    def _limit(self, spec: Field) -> int:
        if spec.nominal:
            return self.categories
        if spec.kind in (Kind.DATE, Kind.DATETIME):
            return self.dates
        return self.counts if spec.step == 1.0 else self.amounts


def _with_random_values(own: Ints, column: Ints, limit: int, rng: np.random.Generator) -> Ints:
    """Return one row per cell: its own value, then ``limit - 1`` values drawn from the column."""
    if len(column) == 0:
        return np.repeat(own[:, None], limit, axis=1)
    drawn = column[rng.integers(0, len(column), size=(len(own), limit - 1))]
    return np.concatenate((own[:, None], drawn), axis=1)
