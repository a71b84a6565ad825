"""The Yamaoka anonymization: everything stays as it is, and the file P lies (spec A.3.2, A.4).

M' and T' are M and T under pseudonyms, in the original order. Whoever compares the data re-identifies everybody, but
the submitted P says something else, so that re-id(P, Q) is almost 0 while most utility metrics see perfect data. It is
here to test judges: `cmae2`, `ham` and the consistency detector must expose it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.contests.pws2016.methods.master_pseudonyms import Streams, pseudonymized
from tokumei.contests.pws2016.shop import MasterAnonymizer, MasterRelease, Shop
from tokumei.parts import parameter

__all__ = ["ShiftedYamaoka", "Yamaoka"]


@dataclass(frozen=True, kw_only=True)
class Yamaoka(MasterAnonymizer):
    """Unchanged data with a random P that has nothing to do with it."""

    name: ClassVar[str] = "ano-ya"
    summary: ClassVar[str] = "pseudonyms only, with a random P unrelated to the data (cheating)"
    source: ClassVar[str] = "PWS Cup 2016 sample, Yamaoka anonymization (spec A.4)"

    length: int = parameter(16, "hexadecimal digits of a pseudonym", low=8, high=50)

    def anonymize(self, shop: Shop, *, rng: np.random.Generator) -> MasterRelease:
        """Return the data under pseudonyms and a uniformly random P."""
        streams = Streams.split(rng)
        honest = pseudonymized(shop, np.arange(shop.customers), streams.key, length=self.length)
        claimed = streams.order.permutation(shop.customers).astype(np.int64) + 1
        return dataclasses.replace(honest, rows=claimed)


@dataclass(frozen=True, kw_only=True)
class ShiftedYamaoka(MasterAnonymizer):
    """Unchanged data with the fixed P = (2, 3, ..., n, 1)."""

    name: ClassVar[str] = "ano-tya"
    summary: ClassVar[str] = "pseudonyms only, with the fixed P = 2, 3, ..., n, 1 (cheating)"
    source: ClassVar[str] = "PWS Cup 2016 sample (spec A.4)"

    length: int = parameter(16, "hexadecimal digits of a pseudonym", low=8, high=50)

    def anonymize(self, shop: Shop, *, rng: np.random.Generator) -> MasterRelease:
        """Return the data under pseudonyms and the shifted P."""
        everyone = np.arange(shop.customers)
        honest = pseudonymized(shop, everyone, Streams.split(rng).key, length=self.length)
        return dataclasses.replace(honest, rows=np.roll(everyone, -1) + 1)
