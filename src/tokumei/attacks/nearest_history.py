"""Name the subject with the nearest history: for releases whose values were changed and fit nobody exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.match_guesses import make_guesses, view_matches
from tokumei.attacks.matching.matchings import Bipartite
from tokumei.attacks.matching.nearest_histories import history_distances
from tokumei.data import Guesses, History, Release
from tokumei.parts import Attack

__all__ = ["NearestHistory"]


@dataclass(frozen=True, kw_only=True)
class NearestHistory(Attack):
    """Take for every pseudonym the subject whose records lie nearest to the published ones.

    Works where noise, swapping or rounding leave no subject whose records fit.
    """

    name: ClassVar[str] = "nearest-history"
    summary: ClassVar[str] = "name the subject whose records lie nearest to the published ones"
    source: ClassVar[str] = "record linkage by distance, applied to whole histories"

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return one guess per pseudonym; blind guesses among fitting subjects where there are too many pairs."""
        view = view_matches(knowledge, release)
        distance = history_distances(knowledge, view.consistency)
        if distance is None:
            return make_guesses(view, view.blind(), attack=self.name, rng=rng)
        pseudonym, subject = np.nonzero(distance <= distance.min(axis=1, keepdims=True) + 1e-9)
        graph = Bipartite.of_edges(distance.shape[1], distance.shape[0], subject, pseudonym)
        nearness = -distance[graph.pseudonym, graph.subject]
        return make_guesses(view, nearness, attack=self.name, rng=rng, graph=graph)
