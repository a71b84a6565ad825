"""Use groups whose histories differ only in what is suppressed: a rule per record tells whose value was far off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.choices import Basis, Choice, MatchAttack, MatchView
from tokumei.attacks.matching.clues import suppression_components
from tokumei.words import Message


@dataclass(frozen=True, kw_only=True)
class SuppressionPattern(MatchAttack):
    """Read suppression as "the own value was expensive here": the cheapest owners in groups that differ by it alone."""

    name: ClassVar[str] = "suppression-pattern"
    summary: ClassVar[str] = "compare what members of one group suppressed"
    source: ClassVar[str] = "own: three-anonymity with a per-record rule"

    def choices(self, view: MatchView) -> Iterator[Choice]:
        """Yield the cheapest owners of the pseudonyms of such groups."""
        if view.matches is None:
            return
        groups = suppression_components(view.release, view.consistency.histories, view.matches)
        if groups:
            tight = view.cheapest(view.matches)
            inside = np.isin(tight.graph.pseudonym, np.concatenate([group.pseudonyms for group in groups]))
            concerned = sum(len(group) for group in groups)
            finding = Message("detail.suppression", {"groups": len(groups), "pseudonyms": concerned})
            graph, weight = tight.graph.keep(inside), tight.probability[inside]
            yield Choice(basis=Basis.PATTERN, graph=graph, weight=weight, finding=finding)

    def asked_for(self, view: MatchView, choices: Iterable[Choice]) -> Choice:
        """Return the choice; without such groups nobody is named."""
        nothing = view.graph.keep(np.zeros(len(view.graph), dtype=np.bool_))
        return next(iter(choices), None) or Choice(basis=Basis.PATTERN, graph=nothing, weight=np.empty(0))
