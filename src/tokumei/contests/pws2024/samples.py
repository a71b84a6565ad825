"""Sample methods and attacks of PWS Cup 2024, with one of our own each.

``sample`` and the attack ``sample`` are the official ones. ``budget`` begins with ratings that have nothing to do with
anybody, and exchanges cells only until every two-way table keeps what the utility asks for; all ten tables are cut from
one such table, so that nothing is learnt from comparing them. ``likelihood`` reads the two-way tables themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.attacks import Links, TableLinks
from tokumei.contests.pandas_table import Table
from tokumei.contests.pws2024.attack_task import joined_table, sample_attack
from tokumei.contests.pws2024.files import BASICS, MOVIES, RATINGS, TABLES
from tokumei.contests.pws2024.utility import views_of
from tokumei.data import text_codes
from tokumei.methods import exchange_pairs, exchange_to_budget, permute_within
from tokumei.parts import Part, parameter

_TOGETHER = {frozenset(pair) for movies in TABLES for pair in [(a, b) for a in movies for b in movies if a != b]}


@dataclass(frozen=True, kw_only=True)
class SampleMethod(Part):
    """The official sample: ratings permuted within gender and age, then cells exchanged in random columns."""

    name: ClassVar[str] = "sample"
    swaps: int = parameter(1000, "pairs of cells that are exchanged in random columns", low=0)

    def views(self, original: pl.DataFrame, *, rng: np.random.Generator) -> list[pl.DataFrame]:
        """Return the ten tables."""
        groups = original.select(pl.struct("Gender", "Age").rank("dense")).to_series().to_numpy()
        ratings = exchange_pairs(permute_within(_ratings(original), groups, rng), self.swaps, rng)
        return views_of(_with_ratings(original, ratings))


@dataclass(frozen=True, kw_only=True)
class BudgetMethod(Part):
    """Ratings without any person behind them, exchanged until the utility is just reached."""

    name: ClassVar[str] = "budget"
    utility: float = parameter(80.0, "the utility to reach, out of 100", low=50, high=99)
    tries: int = parameter(60, "exchanges tried per cell at most", low=1, high=1000)

    def views(self, original: pl.DataFrame, *, rng: np.random.Generator) -> list[pl.DataFrame]:
        """Return the ten tables, cut from one table of such ratings, in a random order."""
        truth, known = _ratings(original), [text_codes(original[name])[0][0] for name in BASICS]
        allowed = 2 * len(truth) * (1 - self.utility / 100) * 0.995
        together = np.array([[frozenset((one, other)) in _TOGETHER for other in MOVIES] for one in MOVIES])
        ratings = exchange_to_budget(truth, known, together, allowed=allowed, tries=self.tries, rng=rng)
        return views_of(_with_ratings(original, ratings)[rng.permutation(len(ratings))])


@dataclass(frozen=True, kw_only=True)
class SampleAttack(Part):
    """The official sample attack: the nearest row of the ten tables put side by side."""

    name: ClassVar[str] = "sample"

    def answers(self, a: pl.DataFrame, b: pl.DataFrame, tables: Sequence[Table]) -> Links:
        """Return the row of a and the hidden value for every row of b."""
        return sample_attack(a, b, tables)


@dataclass(frozen=True, kw_only=True)
class LikelihoodAttack(TableLinks):
    """Links by the two-way tables of known columns and ratings, and by whole rows; hidden cells by similar rows."""

    name: ClassVar[str] = "likelihood"

    def answers(self, a: pl.DataFrame, b: pl.DataFrame, tables: Sequence[Table]) -> Links:
        """Return the row of a and the hidden value for every row of b."""
        frames, joined = [table.frame for table in tables], joined_table(tables)
        return self.links(a, b.select(MOVIES), frames, joined, known=BASICS, values=RATINGS)


def _ratings(original: pl.DataFrame) -> Ints:
    return original.select(pl.col(MOVIES).cast(pl.Int64)).to_numpy().astype(np.int64)


def _with_ratings(original: pl.DataFrame, ratings: Ints) -> pl.DataFrame:
    columns = [pl.Series(name, ratings[:, place]).cast(pl.String) for place, name in enumerate(MOVIES)]
    return original.with_columns(columns)


METHODS: dict[str, type[SampleMethod | BudgetMethod]] = {part.name: part for part in (SampleMethod, BudgetMethod)}
ATTACKS: dict[str, type[SampleAttack | LikelihoodAttack]] = {
    part.name: part for part in (SampleAttack, LikelihoodAttack)
}
