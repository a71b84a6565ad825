"""Compute the pseudonyms again: images of the id, sums and products of its number, permutations from small seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.choices import Basis, Choice, MatchAttack, MatchView
from tokumei.attacks.matching.pseudonym_clues import predicted_owners, remainder_clues
from tokumei.parts import parameter


@dataclass(frozen=True, kw_only=True)
class PredictablePseudonyms(MatchAttack):
    """Take the rule that names the most possible owners and guess by it."""

    name: ClassVar[str] = "predictable-pseudonyms"
    summary: ClassVar[str] = "compute pseudonyms from ids: encodings, digests, arithmetic, small seeds"
    source: ClassVar[str] = "own analysis"
    seeds: int = parameter(100, "how many seeds of numpy's generators are tried", low=0, high=100000)

    def choices(self, view: MatchView) -> Iterator[Choice]:
        """Yield whom every rule names, then whose remainders agree."""
        histories = view.consistency.histories
        rules = predicted_owners(view.knowledge, histories, view.graph, seeds=self.seeds)
        yield from Choice.of_rules(rules, len(view.knowledge.subjects))
        if view.matches is not None:
            yield from Choice.of_clues(view.graph, remainder_clues(view.knowledge, histories, view.matches))

    def asked_for(self, view: MatchView, choices: Iterable[Choice]) -> Choice:
        """Return the rule that names the most possible owners, only where the data allow them."""
        graph = view.graph.keep(np.zeros(len(view.graph), dtype=np.bool_))
        for choice in choices:
            if choice.basis is not Basis.RULE:
                continue
            fitting = view.fitting(choice.graph)
            if fitting.sum() > len(graph):
                graph = choice.graph.keep(fitting)
        return Choice(basis=Basis.RULE, graph=graph, weight=np.ones(len(graph)))
