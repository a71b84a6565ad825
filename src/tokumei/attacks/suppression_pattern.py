"""Use groups whose histories differ only in what is suppressed: a rule per record tells whose value was far off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.match_guesses import make_guesses, view_matches
from tokumei.attacks.matching.cheapest import cheapest_matches, edge_costs
from tokumei.attacks.matching.clues import suppression_components
from tokumei.attacks.matching.posteriors import posterior
from tokumei.data import Guesses, History, Release
from tokumei.parts import Attack

__all__ = ["SuppressionPattern"]


@dataclass(frozen=True, kw_only=True)
class SuppressionPattern(Attack):
    """Read suppression as "the own value was expensive here": the cheapest owners in groups that differ by it alone."""

    name: ClassVar[str] = "suppression-pattern"
    summary: ClassVar[str] = "compare what members of one group suppressed"
    source: ClassVar[str] = "research notes, part 1 (three-anonymity with a per-record rule)"

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return guesses for the pseudonyms of such groups."""
        view = view_matches(knowledge, release)
        if view.matches is None:
            nothing = np.zeros(len(view.graph), dtype=np.bool_)
            return make_guesses(view, np.empty(0), attack=self.name, rng=rng, graph=view.graph.keep(nothing))
        members = suppression_components(release, view.consistency.histories, view.matches)
        costs = edge_costs(knowledge, release, view.consistency, view.matches)
        found = posterior(cheapest_matches(view.matches, costs.cost), rng=rng)
        chosen = np.concatenate([np.empty(0, dtype=np.int64), *(component.pseudonyms for component in members)])
        inside = np.isin(found.graph.pseudonym, chosen)
        return make_guesses(view, found.probability[inside], attack=self.name, rng=rng, graph=found.graph.keep(inside))
