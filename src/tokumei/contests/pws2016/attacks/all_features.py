"""The strongest attack on a master with transactions: everything that is known, in one assignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats32, Ints
from tokumei.contests.pws2016.attacks.auction import match_customers
from tokumei.contests.pws2016.attacks.likeness import combined_likeness
from tokumei.contests.pws2016.attacks.master_attack import MasterAttack
from tokumei.contests.pws2016.shop import Shop


@dataclass(frozen=True, kw_only=True)
class AllFeatures(MasterAttack):
    """Pair customers one-to-one by invoices, dates, times, goods, prices, quantities, RFM vector and master values.

    What the anonymizer left untouched in any of them is enough; traits that were destroyed favour nobody.
    """

    name: ClassVar[str] = "re-combined"
    summary: ClassVar[str] = "optimal one-to-one assignment over all features of transactions and master"
    source: ClassVar[str] = "tokumei"

    def choose(self, original: Shop, published: Shop, *, rng: np.random.Generator) -> Ints:  # noqa: ARG002
        """Return the assignment with the largest summed likeness."""
        return self.choose_from(combined_likeness(original, published), original, published)

    def choose_from(self, likeness: Floats32, original: Shop, published: Shop) -> Ints:
        """Return the assignment from a likeness of all pairs that was computed already."""
        return match_customers(1 - likeness, original.master["customer"], published.master["customer"])
