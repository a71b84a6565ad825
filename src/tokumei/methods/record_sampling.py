"""Publish a random part of the records, or of the subjects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.data import Channel, History, Release, Secret
from tokumei.methods.fresh_release import with_fresh_pseudonyms
from tokumei.parts import Method, parameter


@dataclass(frozen=True, kw_only=True)
class RecordSampling(Method):
    """A simple random sample without replacement; what is published is published as it is.

    Protects against the certainty that a person, or a given record of a person, is in the data at all. Does not
    protect those who are in the sample: their records are unchanged, and what an attacker knows about them finds them
    as easily as before.
    """

    name: ClassVar[str] = "record-sampling"
    summary: ClassVar[str] = "publish a random share of the records or subjects, unchanged"
    source: ClassVar[str] = "Hundepool et al., Statistical Disclosure Control (2012), sampling"
    valid_under: ClassVar[frozenset[str]] = frozenset({"pws2018"})

    share: float = parameter(0.5, "share of the records or subjects that is published", low=0.0, high=1.0)
    unit: str = parameter("records", "what is drawn: records or whole histories", choices=("records", "subjects"))
    most: int = parameter(0, "afterwards keep at most this many random records of a subject (0: all)", low=0)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the drawn records under pseudonyms, in random order."""
        drawn = self._drawn(history, rng)
        if self.most:
            drawn = _at_most(drawn, history.subject[history.order][drawn], self.most, rng)
        rows = history.order[np.sort(drawn)]
        cells = {spec.name: history.cells(spec.name).take(rows) for spec in history.schema.fields}
        return with_fresh_pseudonyms(history, rows, cells, method=self.name, rng=rng)

    def channel(self, history: History) -> Channel:  # noqa: ARG002 - the share is the same for all data
        """Return the share of a subject's records that is published, None if a number bounds them."""
        share = self.share if self.unit == "records" else 1.0
        return Channel(kept=None if self.most else share)

    def _drawn(self, history: History, rng: np.random.Generator) -> Ints:
        """Return positions in `History.order`; exactly the share, rounded to a whole number, is drawn."""
        if self.unit == "records":
            return rng.permutation(len(history))[: round(self.share * len(history))]
        people = len(history.subjects)
        kept = np.zeros(people, dtype=np.bool_)
        kept[rng.permutation(people)[: round(self.share * people)]] = True
        return np.flatnonzero(kept[history.subject[history.order]])


def _at_most(positions: Ints, subject: Ints, most: int, rng: np.random.Generator) -> Ints:
    """Return the positions with at most so many of each subject, drawn at random."""
    order = np.lexsort((rng.random(len(positions)), subject))
    people = subject[order]
    place = np.arange(len(order)) - np.searchsorted(people, people)
    return positions[order[place < most]]
