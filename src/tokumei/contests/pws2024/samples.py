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

from tokumei.array_types import Floats, Ints
from tokumei.contests.pandas_table import Table, text_codes
from tokumei.contests.pws2024.attack_task import HIDDEN, joined_table, sample_attack
from tokumei.contests.pws2024.files import BASICS, MOVIES, TABLES
from tokumei.contests.pws2024.utility import views_of
from tokumei.data import assign
from tokumei.methods import exchange_cells
from tokumei.parts import Part, parameter

VALUES = 6
_TOGETHER = {frozenset(pair) for movies in TABLES for pair in [(a, b) for a in movies for b in movies if a != b]}


@dataclass(frozen=True, kw_only=True)
class SampleMethod(Part):
    """The official sample: ratings permuted within gender and age, then cells exchanged in random columns."""

    name: ClassVar[str] = "sample"
    swaps: int = parameter(1000, "pairs of cells that are exchanged in random columns", low=0)

    def views(self, original: pl.DataFrame, *, rng: np.random.Generator) -> list[pl.DataFrame]:
        """Return the ten tables."""
        ratings = _ratings(original)
        groups = original.select(pl.struct("Gender", "Age").rank("dense")).to_series().to_numpy()
        for group in np.unique(groups):
            rows = np.flatnonzero(groups == group)
            ratings[rows] = ratings[rng.permutation(rows)]
        columns = rng.integers(len(MOVIES), size=self.swaps)
        for column, (one, other) in zip(columns, rng.integers(len(ratings), size=(self.swaps, 2)), strict=True):
            ratings[[one, other], column] = ratings[[other, one], column]
        return views_of(_with_ratings(original, ratings))


@dataclass(frozen=True, kw_only=True)
class BudgetMethod(Part):
    """Ratings without any person behind them, exchanged until the utility is just reached."""

    name: ClassVar[str] = "budget"
    utility: float = parameter(80.0, "the utility to reach, out of 100", low=50, high=99)
    tries: int = parameter(60, "exchanges tried per cell at most", low=1, high=1000)

    def views(self, original: pl.DataFrame, *, rng: np.random.Generator) -> list[pl.DataFrame]:
        """Return the ten tables, cut from one table of such ratings, in a random order."""
        truth = _ratings(original)
        allowed = 2 * len(truth) * (1 - self.utility / 100) * 0.995
        known = {name: _coded(original[name]) for name in BASICS}
        made: dict[str, Ints] = {}
        for column, name in enumerate(MOVIES):
            pairs = [(codes, codes) for codes in known.values()]
            pairs += [
                (truth[:, MOVIES.index(other)], released)
                for other, released in made.items()
                if frozenset((name, other)) in _TOGETHER
            ]
            sizes = [int(before.max()) + 1 for before, _after in pairs]
            starts = np.concatenate(([0], np.cumsum(sizes)))
            groups = np.stack([after + start for (_before, after), start in zip(pairs, starts, strict=False)])
            target = np.zeros((int(starts[-1]), VALUES), dtype=np.int64)
            for (before, _after), start in zip(pairs, starts, strict=False):
                np.add.at(target, (before + start, truth[:, column]), 1)
            cells = rng.permutation(truth[:, column])
            tried = rng.integers(len(cells), size=(self.tries * len(cells), 2))
            exchange_cells(cells, groups, target, tried, allowed)
            made[name] = cells
        ratings = np.stack([made[name] for name in MOVIES], axis=1)
        return views_of(_with_ratings(original, ratings)[rng.permutation(len(ratings))])


@dataclass(frozen=True, kw_only=True)
class SampleAttack(Part):
    """The official sample attack: the nearest row of the ten tables put side by side."""

    name: ClassVar[str] = "sample"

    def answers(self, a: pl.DataFrame, b: pl.DataFrame, tables: Sequence[Table]) -> list[tuple[int, str]]:
        """Return the row of a and the hidden value for every row of b."""
        return sample_attack(a, b, tables)


@dataclass(frozen=True, kw_only=True)
class LikelihoodAttack(Part):
    """Links by the two-way tables of known columns and ratings, and by whole rows; hidden cells by similar rows."""

    name: ClassVar[str] = "likelihood"
    smoothing: float = parameter(3.0, "people of the whole table added to every group", low=0.01)
    sharpness: float = parameter(1.0, "how much one more equal cell of a row weighs", low=0, high=20)

    def answers(self, a: pl.DataFrame, b: pl.DataFrame, tables: Sequence[Table]) -> list[tuple[int, str]]:
        """Return the row of a and the hidden value for every row of b."""
        joined = joined_table(tables)
        views = [_View.of(a, b, table) for table in (*tables, Table(joined, np.arange(joined.height)))]
        gain = np.zeros((b.height, a.height))
        for view in views:
            together = np.stack([(view.known + row).max(axis=1) for row in view.ratings]).astype(np.float64)
            gain += self.sharpness * (together - together.mean())
        for view in views[:-1]:
            gain += self._by_counts(a, b, view)
        chosen = assign(gain.max() - gain).columns.tolist()
        return [(row, self._hidden(b, views, place, row)) for place, row in enumerate(chosen)]

    def _by_counts(self, a: pl.DataFrame, b: pl.DataFrame, view: _View) -> Floats:
        """Return the log likelihood ratios of the ratings of b given the known columns of a."""
        gain = np.zeros((b.height, a.height))
        for name in BASICS:
            (groups, people), texts = text_codes(view.table.frame[name], a[name])
            for movie in view.movies:
                (values, asked), ratings = text_codes(view.table.frame[movie], b[movie])
                counts = np.zeros((len(texts), len(ratings)))
                np.add.at(counts, (groups, values), 1)
                usual = (counts.sum(axis=0) + 0.5) / (counts.sum() + 0.5 * len(ratings))
                rates = (counts + self.smoothing * usual) / (counts.sum(axis=1, keepdims=True) + self.smoothing)
                # A film that stands in several tables speaks once.
                gain += np.log(rates / usual)[people][:, asked].T / sum(movie in movies for movies in TABLES)
        return gain

    def _hidden(self, b: pl.DataFrame, views: Sequence[_View], place: int, row: int) -> str:
        hidden = next((name for name in b.columns if b[name][place] == HIDDEN), None)
        votes = dict.fromkeys("012345" if hidden else "", 0.0)
        for view in views:
            if hidden in view.movies:
                equal = view.ratings[place].astype(np.float64) + view.known[row]
                weights = np.exp(self.sharpness * (equal - equal.max()))
                # A row that fits better than all others is likely the person's own.
                lead = equal.max() - np.partition(equal, -2)[-2] if len(equal) > 1 else 0.0
                for value in votes:
                    chosen = (view.table.frame[hidden] == value).to_numpy()
                    votes[value] += (0.5 + lead) * float(weights[chosen].sum() / weights.sum())
        return max(votes, key=lambda value: votes[value], default="")


@dataclass(frozen=True, eq=False, slots=True)
class _View:
    """A published table, its films, and how many cells of its rows equal those of a and of b."""

    table: Table
    movies: tuple[str, ...]
    known: Ints
    ratings: Ints

    @classmethod
    def of(cls, a: pl.DataFrame, b: pl.DataFrame, table: Table) -> _View:
        movies = tuple(name for name in MOVIES if name in table.columns)
        return cls(table, movies, cls._equal(a, table, BASICS), cls._equal(b, table, movies))

    @staticmethod
    def _equal(rows: pl.DataFrame, table: Table, names: Sequence[str]) -> Ints:
        equal = np.zeros((rows.height, table.rows), dtype=np.int64)
        for name in names:
            (shown, asked), _texts = text_codes(table.frame[name], rows[name])
            equal += asked[:, None] == shown[None, :]
        return equal


def _coded(cells: pl.Series) -> Ints:
    return text_codes(cells)[0][0]


def _ratings(original: pl.DataFrame) -> Ints:
    return original.select(pl.col(MOVIES).cast(pl.Int64)).to_numpy().astype(np.int64)


def _with_ratings(original: pl.DataFrame, ratings: Ints) -> pl.DataFrame:
    columns = [pl.Series(name, ratings[:, place]).cast(pl.String) for place, name in enumerate(MOVIES)]
    return original.with_columns(columns)


METHODS: dict[str, type[SampleMethod | BudgetMethod]] = {part.name: part for part in (SampleMethod, BudgetMethod)}
ATTACKS: dict[str, type[SampleAttack | LikelihoodAttack]] = {
    part.name: part for part in (SampleAttack, LikelihoodAttack)
}
