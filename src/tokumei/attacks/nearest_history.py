"""Name the subject with the nearest history: for releases whose values were changed and fit nobody exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.attacks.choices import Basis, Choice, MatchAttack, MatchView
from tokumei.attacks.matching.matchings import Bipartite
from tokumei.attacks.matching.nearest_histories import history_distances
from tokumei.attacks.matching.one_assignment import best_subjects


@dataclass(frozen=True, kw_only=True)
class NearestHistory(MatchAttack):
    """Take for every pseudonym the subject whose records lie nearest to the published ones.

    Works where noise, swapping or rounding leave no subject whose records fit.
    """

    name: ClassVar[str] = "nearest-history"
    summary: ClassVar[str] = "name the subject whose records lie nearest to the published ones"
    source: ClassVar[str] = "record linkage by distance, applied to whole histories"

    def choices(self, view: MatchView) -> Iterator[Choice]:
        """Yield the nearest subjects; none where there are too many pairs to compare."""
        distance = history_distances(view.knowledge, view.consistency)
        if distance is not None:
            pseudonym, subject = np.nonzero(distance <= distance.min(axis=1, keepdims=True) + 1e-9)
            graph = Bipartite.of_edges(distance.shape[1], distance.shape[0], subject, pseudonym)
            yield Choice(basis=Basis.BELIEF, graph=graph, weight=-distance[graph.pseudonym, graph.subject])


def nearest_owners(view: MatchView) -> Ints | None:
    """Return a subject of its own for every pseudonym, so that all distances together are smallest.

    None where there are too many pairs to compare, or fewer subjects than pseudonyms.
    """
    distance = history_distances(view.knowledge, view.consistency)
    if distance is None or distance.shape[0] > distance.shape[1]:
        return None
    return best_subjects(-distance, one_each=True)
