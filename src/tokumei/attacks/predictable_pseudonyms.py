"""Compute the pseudonyms again: names kept or shifted, unkeyed digests, permutations from small seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.match_guesses import make_guesses, view_matches
from tokumei.attacks.matching.pseudonym_clues import predicted_owners
from tokumei.data import Guesses, History, Release
from tokumei.parts import Attack, parameter

__all__ = ["PredictablePseudonyms"]


@dataclass(frozen=True, kw_only=True)
class PredictablePseudonyms(Attack):
    """Take the rule that names the most possible owners and guess by it."""

    name: ClassVar[str] = "predictable-pseudonyms"
    summary: ClassVar[str] = "compute pseudonyms from names, digests or small seeds"
    source: ClassVar[str] = "own analysis"
    seeds: int = parameter(100, "how many seeds of numpy's generators are tried", low=0, high=100000)

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return the guesses of the best rule, only where the data allow them."""
        view = view_matches(knowledge, release)
        graph = view.graph
        keys = graph.pseudonym * graph.subjects + graph.subject
        best = np.zeros(len(graph), dtype=np.bool_)
        for _, _, subject in predicted_owners(knowledge, view.consistency.histories, seeds=self.seeds):
            pseudonym = np.flatnonzero(subject >= 0)
            named = np.isin(keys, pseudonym * graph.subjects + subject[pseudonym])
            if named.sum() > best.sum():
                best = named
        return make_guesses(view, np.ones(int(best.sum())), attack=self.name, rng=rng, graph=graph.keep(best))
