"""Attack by what a customer paid in all: the original customer with the nearest total (spec A.5, F-A3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.contests.pws2016.attacks.master_attack import MasterAttack
from tokumei.contests.pws2016.shop import Shop


def nearest_rows(totals: Ints, wanted: Ints) -> Ints:
    """Return, for every wanted value, the smallest position of a nearest total.

    >>> nearest_rows(np.array([7, 3, 5, 3]), np.array([4, 6, 3, 100])).tolist()
    [1, 0, 1, 0]
    """
    values, first = np.unique(totals, return_index=True)
    above = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    below = np.maximum(above - 1, 0)
    up, down = np.abs(values[above] - wanted), np.abs(values[below] - wanted)
    tie = np.minimum(first[above], first[below])
    return np.where(up < down, first[above], np.where(down < up, first[below], tie)).astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class TotalPrice(MasterAttack):
    """Guess the customer whose total is nearest; among equally near ones the first row of M. Guesses may repeat."""

    name: ClassVar[str] = "re-totprice"
    summary: ClassVar[str] = "the original customer with the nearest total amount"
    source: ClassVar[str] = "PWS Cup 2016 sample"

    def choose(self, original: Shop, published: Shop, *, rng: np.random.Generator) -> Ints:  # noqa: ARG002
        """Return the rows of M with the nearest totals, in integer pence."""
        return nearest_rows(original.totals, published.totals)
