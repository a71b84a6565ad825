"""How often values stand with a key (a category, a class) in a release, and how probable a value is for each key."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tokumei.array_types import Floats, Ints

# What a value counts for every key before it is seen; what all values of a key count together, as others have them.
SMOOTHING, BORROWED = 0.05, 1.0
# Ordered values are near each other if they are in the same of so many shares of all; what these count together.
SHARES, BORROWED_SHARES = 12, 2.0
# Values of a category, and of a class, that are tried between the ends.
KNOWN_VALUES = 4


@dataclass(frozen=True, eq=False)
class ValueCatalogue:
    """The distinct pairs of a key and a value, sorted, each as one number, and which pair the ends of a guess are."""

    key: Ints
    every: Ints
    pairs: Ints
    low: Ints
    high: Ints

    @classmethod
    def of(cls, key: Ints, low: Ints, high: Ints) -> ValueCatalogue:
        """Return the catalogue of guesses by their keys and the ends of their ranges."""
        every, value = np.unique(np.concatenate((low, high)), return_inverse=True)
        pairs, place = np.unique(np.tile(key, 2) * len(every) + value, return_inverse=True)
        return cls(key, every, pairs, place[: len(key)], place[len(key) :])

    @cached_property
    def _keys(self) -> Ints:
        return self.pairs // len(self.every)

    @cached_property
    def _values(self) -> Ints:
        return self.pairs % len(self.every)

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

    def share_beside(self, count: Floats, place: Ints, otherwise: Floats) -> Floats:
        """Return the same, but what is rarely seen is as probable as ``otherwise``."""
        total = np.bincount(self._keys, weights=count)[self.key]
        return np.asarray((np.append(count, 0.0)[place] + BORROWED * otherwise) / (total + BORROWED))

    def share_near(self, count: Floats, values: Ints, place: Ints, anywhere: Floats) -> Floats:
        """Return the same, but what is rarely seen is as probable as near values of its key make it.

        ``anywhere`` is how probable each of the values is for all keys together.
        """
        seen = np.bincount(self._values, weights=count, minlength=len(self.every))
        before = (np.cumsum(seen) - seen / 2) / max(float(seen.sum()), 1e-300)
        band = np.minimum((before * SHARES).astype(np.int64), SHARES - 1)
        whole = np.bincount(band, weights=seen + SMOOTHING, minlength=SHARES)
        whole = np.maximum(whole / whole.sum(), 1e-300)
        by_key = np.bincount(self._keys * SHARES + band[self._values], weights=count)
        total = np.bincount(self._keys, weights=count)[self.key]
        own = band[np.minimum(np.searchsorted(self.every, values), len(self.every) - 1)]
        inside = np.append(by_key, np.zeros(SHARES))[self.key * SHARES + own]
        near = (inside + BORROWED_SHARES * whole[own]) / (total + BORROWED_SHARES) / whole[own]
        return self.share_beside(count, place, near * anywhere)

    def usual(self, count: Floats) -> Ints:
        """Return the commonest values of the key of every guess, a row each; repeated where there are fewer."""
        order = np.lexsort((self.pairs, -count, self._keys))
        sizes = np.bincount(self._keys)
        first = (np.cumsum(sizes) - sizes)[self.key]
        places = [first + np.minimum(rank, sizes[self.key] - 1) for rank in range(KNOWN_VALUES)]
        return np.stack([self.every[self._values[order[place]]] for place in places])
