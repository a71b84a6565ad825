"""Which value of a range each record of a row has: one has the lower end, another the upper one, the others lie within.

What something costs, and how much of it is taken, depends on what it is: such values are learned from the category of
a record (and from kindred categories where it is rare). When and where somebody was depends on who it was: such values
are learned from the class of the record, in which few people came on few days, and from what they took there that is
kindred (what is bought together has neighbouring codes). `tokumei.attacks.ladder.range_posteriors` tells how.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.ladder.range_posteriors import RangeGuesses, likeliest, range_posteriors

ROUNDS = 9
# What a value counts before it is seen.
SMOOTHING = 0.05
# So many values are tried between the ends, the commonest; fewer where there are many keys or guesses.
MOST_VALUES, MOST_COUNTS, MOST_CANDIDATES = 512, 1 << 23, 1 << 25


@dataclass(frozen=True, eq=False, slots=True)
class Ties:
    """What every guess is tied to: its row and its class (both in order), its category, and what is kindred to that."""

    row: Ints
    category: Ints
    kindred: Ints
    number: Ints

    def __len__(self) -> int:
        """Return the number of guesses."""
        return len(self.row)

    def keys(self, *, by_class: bool) -> tuple[Ints, Ints, Ints]:
        """Return the block of every guess, in order, and its coarse and its fine key."""
        nothing = np.zeros(len(self), dtype=np.int64)
        return (self.number, nothing, self.kindred) if by_class else (nothing, self.kindred, self.category)


def values_in_ranges(low: Ints, high: Ints, hidden: Bools, tied: Ties, *, by_class: bool) -> Ints:
    """Return a value for every guess from its range; ``hidden`` are cells that show none.

    ``by_class`` says that values depend on the class rather than on the category of a record.
    """
    if len(tied) == 0 or hidden.all():
        return low
    blocks, keys, coarse, fine = _numbered(*tied.keys(by_class=by_class))
    shown = np.concatenate((low[~hidden], high[~hidden]))
    every, seen = np.unique(shown, return_counts=True)
    most = min(MOST_VALUES, max(MOST_COUNTS // int(keys.max()), 1))
    while True:
        kept = np.sort(every[np.argsort(-seen, kind="stable")[:most]])
        begin, end = np.searchsorted(kept, low, side="right"), np.searchsorted(kept, high, side="left")
        begin, end = np.where(hidden, 0, begin), np.where(hidden, len(kept), end)
        widths = np.where(hidden, len(kept), np.where(low == high, 1, 2 + end - begin))
        if widths.sum() <= MOST_CANDIDATES or most == 1:
            break
        most = max(most // 2, 1)
    rows = np.append(np.flatnonzero(np.diff(tied.row, prepend=-1)), len(tied))
    guesses = RangeGuesses(
        rows=rows,
        blocks=np.append(np.flatnonzero(np.diff(blocks[rows[:-1]], prepend=-1)), len(rows) - 1),
        low=_numbers(kept, low),
        high=_numbers(kept, high),
        begin=begin,
        end=end,
        hidden=hidden,
        category=tied.category,
        coarse=coarse,
        fine=fine,
        places=np.concatenate(([0], np.cumsum(widths))),
        portion=1.0 / max(len(every) - len(kept), 1),
    )
    found = range_posteriors(guesses, _usual(kept, shown), keys, ROUNDS)
    number = likeliest(guesses, found)
    inside = kept[np.minimum(begin + np.where(hidden, number, number - 2), len(kept) - 1)]
    return np.where(hidden | (number > 1), inside, np.where(number == 0, low, high))


def _numbered(block: Ints, coarse: Ints, fine: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the number of every guess's block, how many keys each block has, and both keys numbered within it."""
    _, blocks = np.unique(block, return_inverse=True)
    place, keys = np.zeros(int(blocks.max()) + 1, dtype=np.int64), []
    for key in (coarse, fine):
        pairs, number = np.unique(np.stack((blocks, key)), axis=1, return_inverse=True)
        sizes = np.bincount(pairs[0], minlength=len(place))
        starts = np.cumsum(sizes) - sizes
        keys.append(number.ravel() - starts[blocks] + place[blocks])
        place += sizes
    return blocks.astype(np.int64), place, keys[0].astype(np.int64), keys[1].astype(np.int64)


def _numbers(kept: Ints, values: Ints) -> Ints:
    """Return which kept value each value is, one beyond them where it is none."""
    place = np.minimum(np.searchsorted(kept, values), len(kept) - 1)
    return np.where(kept[place] == values, place, len(kept))


def _usual(kept: Ints, shown: Ints) -> Floats:
    """Return how probable each kept value, and any other, is at an end of a range."""
    count = np.bincount(_numbers(kept, shown), minlength=len(kept) + 1) + SMOOTHING
    return count / count.sum()
