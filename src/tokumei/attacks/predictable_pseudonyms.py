"""Compute the pseudonyms again: names kept or shifted, unkeyed digests, permutations from small seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.choices import Basis, Choice, MatchAttack, MatchView
from tokumei.attacks.matching.pseudonym_clues import predicted_owners
from tokumei.parts import parameter


@dataclass(frozen=True, kw_only=True)
class PredictablePseudonyms(MatchAttack):
    """Take the rule that names the most possible owners and guess by it."""

    name: ClassVar[str] = "predictable-pseudonyms"
    summary: ClassVar[str] = "compute pseudonyms from names, digests or small seeds"
    source: ClassVar[str] = "own analysis"
    seeds: int = parameter(100, "how many seeds of numpy's generators are tried", low=0, high=100000)

    def choices(self, view: MatchView) -> Iterator[Choice]:
        """Return whom every rule names, one by one."""
        rules = predicted_owners(view.knowledge, view.consistency.histories, seeds=self.seeds)
        return Choice.of_rules(rules, len(view.knowledge.subjects))

    def asked_for(self, view: MatchView, choices: Iterable[Choice]) -> Choice:
        """Return the rule that names the most possible owners, only where the data allow them."""
        graph = view.graph.keep(np.zeros(len(view.graph), dtype=np.bool_))
        for choice in choices:
            fitting = view.fitting(choice.graph)
            if fitting.sum() > len(graph):
                graph = choice.graph.keep(fitting)
        return Choice(basis=Basis.RULE, graph=graph, weight=np.ones(len(graph)))
