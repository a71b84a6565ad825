"""Which value of a range each record of a row has: one has the lower end, another the upper one, the others lie within.

What a value is worth is learned from the whole release by expectation maximization: how often it stands with the
category of the record or near values do (goods have their price and their season), and how often in this class with
kindred categories (its members come on few days, and what is bought together has neighbouring codes). A record that is
at no end gets the likeliest value between them that is known from elsewhere; so does one whose cell is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.ladder.value_catalogues import ValueCatalogue

ROUNDS = 6


@dataclass(frozen=True, eq=False, slots=True)
class Ties:
    """What every guess is tied to: its row (in order), its category, what is kindred to that, and its class."""

    row: Ints
    category: Ints
    kindred: Ints
    number: Ints

    def __len__(self) -> int:
        """Return the number of guesses."""
        return len(self.row)


def values_in_ranges(low: Ints, high: Ints, hidden: Bools, tied: Ties, *, rng: np.random.Generator) -> Ints:
    """Return a value for every guess from its range; ``hidden`` are cells that show none."""
    if len(tied) == 0 or hidden.all():
        return low
    # A hidden cell may have any value that is shown anywhere; its ends count for nothing.
    low, high = np.where(hidden, low[~hidden].min(), low), np.where(hidden, high[~hidden].max(), high)
    ranges = _Ranges(low, high, np.unique(tied.row, return_inverse=True)[1].astype(np.int64))
    # Chance decides between what is worth the same.
    chance = 1.0 + 1e-6 * rng.random((2, len(tied)))
    ends = np.where(ranges.plain, 0.5, 1.0 / ranges.count) * chance * ~hidden
    both = np.unique(np.stack((tied.number, tied.kindred)), axis=1, return_inverse=True)[1].ravel().astype(np.int64)
    keys = (tied.category, tied.number, both, np.zeros_like(tied.row))
    catalogues = [ValueCatalogue.of(key, low, high) for key in keys]
    usual = [catalogue.usual(catalogue.counted(*ends)) for catalogue in catalogues[:2]]
    tried = [low, high, *usual[0], *usual[1]]
    within = np.stack([hidden | ((low < values) & (values < high)) for values in tried[2:]])
    places = [[catalogue.place(values) for values in tried] for catalogue in catalogues]
    for _ in range(ROUNDS):
        worth = _worth(catalogues, [catalogue.counted(*ends) for catalogue in catalogues], tried, places)
        worth[:2] *= chance
        inner = np.where(within, worth[2:], 0.0)
        covered = worth[0] + worth[1] + inner.max(axis=0, initial=0.0)
        ends = np.stack(ranges.shares(worth[0], worth[1], covered)) * ~hidden
    chosen = np.argmax(inner, axis=0)
    at_inner = inner[chosen, np.arange(len(tied))]
    best = np.maximum(worth[:2].max(axis=0), at_inner)
    lowest, highest = ranges.ends(worth[0] / best, worth[1] / best)
    middle = np.stack(tried[2:])[chosen, np.arange(len(tied))]
    free = np.where(at_inner >= best, middle, np.where(worth[0] >= worth[1], low, high))
    found = np.where(ranges.plain | lowest, low, np.where(highest, high, free))
    return np.where(hidden, middle, found)


def _worth(
    catalogues: list[ValueCatalogue], counts: list[Floats], tried: list[Ints], places: list[list[Ints]]
) -> Floats:
    """Return what every value that is tried (row) is worth for every guess: category and class are witnesses of it."""
    category, number, both, anywhere = catalogues
    found = []
    for one, values in enumerate(tried):
        whole = anywhere.share(counts[3], places[3][one])
        of_class = number.share(counts[1], places[1][one])
        told = category.share_near(counts[0], values, places[0][one], whole)
        found.append(told * both.share_beside(counts[2], places[2][one], of_class) / whole)
    return np.stack(found)


@dataclass(frozen=True, eq=False)
class _Ranges:
    """The ranges of some guesses, those of a row one after the other."""

    low: Ints
    high: Ints
    row: Ints

    @cached_property
    def plain(self) -> Bools:
        return self.low == self.high

    @cached_property
    def count(self) -> Ints:
        """How many guesses share the row of each."""
        return np.bincount(self.row)[self.row]

    def shares(self, at_low: Floats, at_high: Floats, covered: Floats) -> tuple[Floats, Floats]:
        """Return how probably each guess has the lower and the upper end: somebody has each of them."""
        low, high = at_low / covered, at_high / covered
        lows, highs = (np.bincount(self.row, weights=side)[self.row] for side in (low, high))
        alone = self.count == 1
        lower, upper = low * np.where(alone, 1.0, highs - high), high * np.where(alone, 1.0, lows - low)
        whole = [np.maximum(np.bincount(self.row, weights=side)[self.row], 1e-300) for side in (lower, upper)]
        lower, upper = np.where(alone, low, lower / whole[0]), np.where(alone, high, upper / whole[1])
        return np.where(self.plain, 0.5, lower), np.where(self.plain, 0.5, upper)

    def ends(self, low: Floats, high: Floats) -> tuple[Bools, Bools]:
        """Return who gets the ends, the best pair of every row; a guess that is alone is free."""
        (low1, low2), (high1, high2) = self._best_two(low), self._best_two(high)
        clash = low1 == high1
        lower = clash & (low[low2] * high[high1] > low[low1] * high[high2])
        upper = clash & ~lower
        chosen_low, chosen_high = np.where(lower, low2, low1), np.where(upper, high2, high1)
        several = np.bincount(self.row) > 1
        result = np.zeros((2, len(self.row)), dtype=np.bool_)
        result[0, chosen_low[several]] = True
        result[1, chosen_high[several]] = True
        return result[0], result[1]

    def _best_two(self, worth: Floats) -> tuple[Ints, Ints]:
        """Return the guess of every row that is worth most, and the next one (the same where it is alone)."""
        order = np.lexsort((-worth, self.row))
        sizes = np.bincount(self.row)
        first = np.cumsum(sizes) - sizes
        return order[first], order[first + np.minimum(sizes - 1, 1)]
