"""Attack by what a customer bought: sets of goods, rare goods first, one customer each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.contests.pws2016.attacks.auction import match_customers
from tokumei.contests.pws2016.attacks.likeness import add_trait, traits
from tokumei.contests.pws2016.attacks.master_attack import MasterAttack
from tokumei.contests.pws2016.shop import Shop


@dataclass(frozen=True, kw_only=True)
class GoodsOverlap(MasterAttack):
    """Pair customers one-to-one so that the idf-weighted Jaccard indices of their sets of goods are largest in sum."""

    name: ClassVar[str] = "re-goods"
    summary: ClassVar[str] = "optimal one-to-one assignment by idf-weighted Jaccard index of the sets of goods"
    source: ClassVar[str] = "tokumei"

    def choose(self, original: Shop, published: Shop, *, rng: np.random.Generator) -> Ints:  # noqa: ARG002
        """Return the assignment with the largest summed likeness."""
        likeness = np.zeros((published.customers, original.customers), dtype=np.float32)
        old, new = traits(original, published)["goods"]
        cost = 1 - add_trait(likeness, old, new)
        return match_customers(cost, original.master["customer"], published.master["customer"])
