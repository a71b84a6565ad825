"""Ruby's random numbers, for contests whose programs were written in it.

``Random.new(seed)`` is a Mersenne Twister over the 32-bit words of the seed; a highest word of exactly 1 is dropped, so
that seed 2**32 equals seed 0. ``rand(m)`` masks one output to the next power of two and draws again beyond m - 1.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tokumei.array_types import Ints

_WORD = 32


class RubyRandom:
    """The generator of Ruby, drawn in blocks."""

    def __init__(self, seed: int) -> None:
        words = [seed & 0xFFFFFFFF]
        while seed := seed >> _WORD:
            words.append(seed & 0xFFFFFFFF)
        if len(words) > 1 and words[-1] == 1:
            words.pop()
        self._generator = np.random.RandomState(words[0] if len(words) == 1 else words)
        self._left = np.empty(0, dtype=np.int64)

    def _words(self, count: int) -> Ints:
        """Return at least so many outputs that are not used yet."""
        if len(self._left) < count:
            more = self._generator.randint(0, 2**_WORD, size=count, dtype=np.uint32).astype(np.int64)
            self._left = np.concatenate([self._left, more])
        return self._left

    def draws(self, count: int, below: int) -> Ints:
        """Return so many numbers ``rand(below)``."""
        mask = (1 << (below - 1).bit_length()) - 1
        found = np.empty(0, dtype=np.int64)
        while len(found) < count:
            values = self._words(2 * (count - len(found)) + 64) & mask
            fitting = np.flatnonzero(values < below)[: count - len(found)]
            found = np.concatenate([found, values[fitting]])
            self._left = self._left[fitting[-1] + 1 :] if len(found) == count and count else self._left[:0]
        return found

    def rand(self, below: int) -> int:
        """Return one number."""
        return int(self.draws(1, below)[0])

    def skip_shuffle(self, rows: int) -> None:
        """Use up the draws of a shuffle: ``rand(i + 1)`` for i from the last row down to 1."""
        while (used := _shuffle_words(self._words(4 * rows + 64), rows)) < 0:
            self._words(2 * len(self._left))
        self._left = self._left[used:]


@njit(cache=True)
def _shuffle_words(words: Ints, rows: int) -> int:
    """Return how many outputs a shuffle uses, -1 if there are not enough."""
    place = 0
    mask = 1
    while mask < rows - 1:
        mask = 2 * mask + 1
    for last in range(rows - 1, 0, -1):
        while mask >> 1 >= last:
            mask >>= 1
        while True:
            if place >= len(words):
                return -1
            place += 1
            if words[place - 1] & mask <= last:
                break
    return place
