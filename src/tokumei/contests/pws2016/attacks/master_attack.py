"""What the attacks of 2016 share: a row of the master for every row of the published one, Q (spec A.5)."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.contests.pws2016.shop import Shop, shop_of
from tokumei.data import Guesses, History, Release
from tokumei.parts import Attack


class MasterAttack(Attack):
    """Guesses from which row of M each row of M' was made, knowing M, T, M' and T'."""

    needs: ClassVar[tuple[str, ...]] = ("records", "people")

    @abstractmethod
    def choose(self, original: Shop, published: Shop, *, rng: np.random.Generator) -> Ints:
        """Return one row of M for every row of M', counted from 0."""

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return one guess per row of M', in their order."""
        original, published = shop_of(knowledge), shop_of(release)
        rows = np.empty(0, dtype=np.int64)
        if original.customers and published.customers:
            rows = self.choose(original, published, rng=rng)
        names = original.master["customer"][rows]
        return Guesses.of_pairs(published.master["customer"], names, attack=self.name)
