"""Tell owners by record counts: the pseudonyms of one subject must add up to its records and fit side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.choices import Basis, Choice, MatchAttack, MatchView
from tokumei.attacks.matching.matchings import Bipartite
from tokumei.attacks.matching.record_counts import prune_by_counts, prune_by_packing
from tokumei.words import Message


@dataclass(frozen=True, kw_only=True)
class RecordCounts(MatchAttack):
    """Drop candidates that a subset-sum test per subject and the records of pseudonyms already known exclude.

    Betrays split, renewed and generalized pseudonyms that leave the number of records as it was.
    """

    name: ClassVar[str] = "record-counts"
    summary: ClassVar[str] = "add up the record counts of split or generalized pseudonyms"
    source: ClassVar[str] = "own: subset-sum test"

    def choices(self, view: MatchView) -> Iterator[Choice]:
        """Yield the candidates that are left, all of a pseudonym alike."""
        raw, sizes, records = view.consistency.graph, view.consistency.histories.sizes(), view.knowledge.counts()
        counted = prune_by_counts(raw, sizes, records)
        packed = prune_by_packing(view.consistency, counted)
        if len(packed) < len(counted):
            packed = prune_by_counts(packed, sizes, records)
        weight = 1.0 / np.maximum(packed.degrees(), 1)[packed.pseudonym]
        yield Choice(basis=Basis.PATTERN, graph=packed, weight=weight, finding=record_counts_detail(raw, packed))


def record_counts_detail(raw: Bipartite, pruned: Bipartite) -> Message:
    """Return how many pseudonyms have a single candidate only after pruning."""
    fell = int(((pruned.degrees() == 1) & (raw.degrees() > 1)).sum())
    return Message("detail.counts", {"fell": fell, "pseudonyms": raw.pseudonyms})
