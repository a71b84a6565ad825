"""Tell owners by record counts: the pseudonyms of one subject must add up to its records and fit side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.match_guesses import make_guesses, view_matches
from tokumei.attacks.matching.record_counts import prune_by_counts, prune_by_packing
from tokumei.data import Guesses, History, Release
from tokumei.parts import Attack

__all__ = ["RecordCounts"]


@dataclass(frozen=True, kw_only=True)
class RecordCounts(Attack):
    """Drop candidates that a subset-sum test per subject and the records of pseudonyms already known exclude.

    Betrays split, renewed and generalized pseudonyms that leave the number of records as it was.
    """

    name: ClassVar[str] = "record-counts"
    summary: ClassVar[str] = "add up the record counts of split or generalized pseudonyms"
    source: ClassVar[str] = "research notes, part 1, section 4 (subset-sum test)"

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return one guess per pseudonym that fits somebody, the surest first."""
        view = view_matches(knowledge, release)
        sizes, records = view.consistency.histories.sizes(), knowledge.counts()
        pruned = prune_by_counts(view.consistency.graph, sizes, records)
        pruned = prune_by_packing(view.consistency, pruned)
        choice = 1.0 / np.maximum(pruned.degrees(), 1)[pruned.pseudonym]
        return make_guesses(view, choice, attack=self.name, rng=rng, graph=pruned)
