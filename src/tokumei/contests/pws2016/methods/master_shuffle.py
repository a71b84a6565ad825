"""Shuffle the master and rename the customers, honestly: what pseudonymization alone amounts to (spec A.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.contests.pws2016.methods.master_pseudonyms import MasterMethod, Streams
from tokumei.data import History, Release, Secret
from tokumei.parts import parameter


@dataclass(frozen=True, kw_only=True)
class MasterShuffle(MasterMethod):
    """A random order of the customers; master, transactions and P agree with it, and no value changes."""

    name: ClassVar[str] = "ano-shuffle"
    summary: ClassVar[str] = "shuffle the customers and give them pseudonyms, keep every value"
    source: ClassVar[str] = "PWS Cup 2016 sample"

    length: int = parameter(16, "hexadecimal digits of a pseudonym", low=8, high=50)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the data in the new order of customers, transactions grouped alike."""
        return self.shuffled(history, Streams.split(rng), length=self.length)
