"""Tell owners by order: pseudonyms numbered or listed in the order of the original give themselves away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.match_guesses import make_guesses, view_matches
from tokumei.attacks.matching.clues import choices
from tokumei.attacks.matching.pseudonym_clues import order_scores
from tokumei.data import Guesses, History, Release
from tokumei.parts import Attack, parameter

__all__ = ["ReleaseOrder"]

_ORDERS = ("appearance", "text", "number")


@dataclass(frozen=True, kw_only=True)
class ReleaseOrder(Attack):
    """Take the candidate whose rank among the subjects is nearest to the pseudonym's rank in the release."""

    name: ClassVar[str] = "release-order"
    summary: ClassVar[str] = "compare the order of pseudonyms and records with that of the original"
    source: ClassVar[str] = "own analysis"
    pseudonyms: str = parameter("appearance", "how pseudonyms are ordered", choices=_ORDERS)
    subjects: str = parameter("appearance", "how subjects are ordered", choices=_ORDERS)
    backwards: bool = parameter(False, "whether one order runs backwards")

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return one guess per pseudonym that fits somebody; an order that names do not have gives blind guesses."""
        view = view_matches(knowledge, release)
        scores = order_scores(knowledge, view.consistency.histories, view.graph)
        score = scores.get(f"{self.pseudonyms}{' reversed' if self.backwards else ''} / {self.subjects}")
        choice = view.blind() if score is None else choices(view.graph, score)
        return make_guesses(view, choice, attack=self.name, rng=rng)
