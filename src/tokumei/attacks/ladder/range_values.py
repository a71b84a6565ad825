"""Which value of a range each record of a row has: one has the lower end, another the upper one, the others lie within.

What a value is worth is learned from the whole release by expectation maximization: how often it stands with the
category of the record (goods have their price), and how often in this class (its members come on few days). A record
that is at no end gets the likeliest value between them that is known from elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tokumei.array_types import Bools, Floats, Ints

ROUNDS = 6
SMOOTHING = 0.05
# Values of a category, and of a class, that are tried between the ends.
KNOWN_VALUES = 4


def values_in_ranges(low: Ints, high: Ints, row: Ints, tied: tuple[Ints, Ints], *, rng: np.random.Generator) -> Ints:
    """Return a value for every guess: ``row`` says which guesses share a range, in order.

    ``tied`` are the category and the class of each guess.
    """
    if len(row) == 0:
        return low
    ranges = _Ranges(low, high, np.unique(row, return_inverse=True)[1].astype(np.int64))
    # Chance decides between what is worth the same.
    chance = 1.0 + 1e-6 * rng.random((2, len(row)))
    ends = np.where(ranges.plain, 0.5, 1.0 / ranges.count) * chance
    catalogues = [_Catalogue.of(key, low, high) for key in (*tied, np.zeros_like(row))]
    counts = [catalogue.counted(*ends) for catalogue in catalogues]
    tried = [
        low,
        high,
        *(values for one in zip(catalogues[:2], counts[:2], strict=True) for values in one[0].usual(one[1])),
    ]
    within = np.stack([(low < values) & (values < high) for values in tried[2:]])
    places = [[catalogue.place(values) for values in tried] for catalogue in catalogues]
    for _ in range(ROUNDS):
        counts = [catalogue.counted(*ends) for catalogue in catalogues]
        category, number, anywhere = (
            np.stack([catalogue.share(count, one) for one in place])
            for catalogue, count, place in zip(catalogues, counts, places, strict=True)
        )
        # Category and class count as independent witnesses of the value.
        worth = category * number / anywhere
        worth[:2] *= chance
        inner = np.where(within, worth[2:], 0.0)
        ends = np.stack(ranges.shares(worth[0], worth[1], worth[0] + worth[1] + inner.max(axis=0, initial=0.0)))
    chosen = np.argmax(inner, axis=0)
    at_inner = inner[chosen, np.arange(len(row))]
    best = np.maximum(worth[:2].max(axis=0), at_inner)
    lowest, highest = ranges.ends(worth[0] / best, worth[1] / best)
    middle = np.stack(tried[2:])[chosen, np.arange(len(row))]
    free = np.where(at_inner >= best, middle, np.where(worth[0] >= worth[1], low, high))
    return np.where(ranges.plain | lowest, low, np.where(highest, high, free))


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


@dataclass(frozen=True, eq=False)
class _Catalogue:
    """The distinct pairs of a key and a value, sorted, each as one number, and which pair the ends of a guess are."""

    key: Ints
    every: Ints
    pairs: Ints
    low: Ints
    high: Ints

    @classmethod
    def of(cls, key: Ints, low: Ints, high: Ints) -> _Catalogue:
        every, value = np.unique(np.concatenate((low, high)), return_inverse=True)
        pairs, place = np.unique(np.tile(key, 2) * len(every) + value, return_inverse=True)
        return cls(key, every, pairs, place[: len(key)], place[len(key) :])

    @cached_property
    def _keys(self) -> Ints:
        return self.pairs // len(self.every)

    def counted(self, is_low: Floats, is_high: Floats) -> Floats:
        """Return how often each pair stands in the release, of a guess its probable share."""
        low, high = (
            np.bincount(place, weights=weights, minlength=len(self.pairs))
            for place, weights in ((self.low, is_low), (self.high, is_high))
        )
        return np.asarray(low + high, dtype=np.float64)

    def place(self, values: Ints) -> Ints:
        """Return which pair the key of every guess makes with a value, the number of pairs where it makes none."""
        wanted = self.key * len(self.every) + np.searchsorted(self.every, values)
        place = np.minimum(np.searchsorted(self.pairs, wanted), len(self.pairs) - 1)
        return np.where(self.pairs[place] == wanted, place, len(self.pairs))

    def share(self, count: Floats, place: Ints) -> Floats:
        """Return how often a pair stands, of all pairs of its key."""
        total = np.bincount(self._keys, weights=count)[self.key]
        return (np.append(count, 0.0)[place] + SMOOTHING) / (total + SMOOTHING * len(self.every))

    def usual(self, count: Floats) -> Ints:
        """Return the commonest values of the key of every guess, a row each; repeated where there are fewer."""
        order = np.lexsort((self.pairs, -count, self._keys))
        sizes = np.bincount(self._keys)
        first = (np.cumsum(sizes) - sizes)[self.key]
        places = [first + np.minimum(rank, sizes[self.key] - 1) for rank in range(KNOWN_VALUES)]
        return np.stack([self.every[self.pairs[order[place]] % len(self.every)] for place in places])
