"""The Yamaoka anonymization: everything stays as it is, and the file P lies (spec A.3.2, A.4).

M' and T' are M and T under pseudonyms, in the original order. Whoever compares the data re-identifies everybody, but
the submitted P says something else, so that re-id(P, Q) is almost 0 while most utility metrics see perfect data. It is
here to test judges: `cmae2`, `ham` and the consistency detector must expose it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tokumei.contests.pws2016.methods.master_pseudonyms import MasterMethod, Streams
from tokumei.contests.pws2016.shop import shop_of
from tokumei.data import History, Release, Secret
from tokumei.parts import parameter


@dataclass(frozen=True, kw_only=True)
class Yamaoka(MasterMethod):
    """Unchanged data with a random P that has nothing to do with it; the owners and rows of the Secret are true."""

    name: ClassVar[str] = "ano-ya"
    summary: ClassVar[str] = "pseudonyms only, with a random P unrelated to the data (cheating)"
    source: ClassVar[str] = "PWS Cup 2016 sample, Yamaoka anonymization"

    length: int = parameter(16, "hexadecimal digits of a pseudonym", low=8, high=50)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the data under pseudonyms and a uniformly random P."""
        streams, customers = Streams.split(rng), shop_of(history).customers
        release, secret = self.pseudonymized(history, np.arange(customers), streams.key, length=self.length)
        return release, replace(secret, people=streams.order.permutation(customers).astype(np.int64))


@dataclass(frozen=True, kw_only=True)
class ShiftedYamaoka(MasterMethod):
    """Unchanged data with the fixed P = (2, 3, ..., n, 1)."""

    name: ClassVar[str] = "ano-tya"
    summary: ClassVar[str] = "pseudonyms only, with the fixed P = 2, 3, ..., n, 1 (cheating)"
    source: ClassVar[str] = "PWS Cup 2016 sample"

    length: int = parameter(16, "hexadecimal digits of a pseudonym", low=8, high=50)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the data under pseudonyms and the shifted P."""
        everyone = np.arange(shop_of(history).customers)
        release, secret = self.pseudonymized(history, everyone, Streams.split(rng).key, length=self.length)
        return release, replace(secret, people=np.roll(everyone, -1))
