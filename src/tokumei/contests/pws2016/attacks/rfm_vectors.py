"""Attack by how recently, how often and for how much a customer bought: nearest vectors, one customer each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.contests.pws2016.attacks.auction import match_customers
from tokumei.contests.pws2016.attacks.likeness import rfm_distances
from tokumei.contests.pws2016.attacks.master_attack import MasterAttack
from tokumei.contests.pws2016.shop import Shop


@dataclass(frozen=True, kw_only=True)
class RfmVectors(MasterAttack):
    """Pair customers one-to-one so that their vectors (last day, log invoices, log money) are nearest in sum."""

    name: ClassVar[str] = "re-rfm"
    summary: ClassVar[str] = "optimal one-to-one assignment of nearest RFM vectors"
    source: ClassVar[str] = "tokumei; RFM as in PWS Cup 2016"

    def choose(self, original: Shop, published: Shop, *, rng: np.random.Generator) -> Ints:  # noqa: ARG002
        """Return the assignment with the least summed distance."""
        distances = rfm_distances(original, published)
        return match_customers(distances, original.master["customer"], published.master["customer"])
