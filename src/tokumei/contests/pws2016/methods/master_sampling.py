"""Publish a random sample of the customers: who is in it is found as easily as before (spec A.4, F-A9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.contests.pws2016.methods.master_pseudonyms import MasterMethod, Streams
from tokumei.contests.pws2016.shop import shop_of
from tokumei.data import History, Release, Secret
from tokumei.parts import parameter


@dataclass(frozen=True, kw_only=True)
class MasterSampling(MasterMethod):
    """Each customer is deleted with a fixed probability, with all transactions; survivors keep their order."""

    name: ClassVar[str] = "ano-sampling"
    summary: ClassVar[str] = "delete each customer with a fixed probability, keep the rest as it is"
    source: ClassVar[str] = "PWS Cup 2016 sample"

    delete_probability: float = parameter(0.9, "probability that a customer is deleted", low=0.0, high=0.999)
    length: int = parameter(16, "hexadecimal digits of a pseudonym", low=8, high=50)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the survivors under pseudonyms; if nobody survives, the draw starts again."""
        streams, customers = Streams.split(rng), shop_of(history).customers
        survivors = np.empty(0, dtype=np.int64)
        while len(survivors) == 0 < customers:
            survivors = np.flatnonzero(streams.order.random(customers) >= self.delete_probability)
        return self.pseudonymized(history, survivors, streams.key, length=self.length)
