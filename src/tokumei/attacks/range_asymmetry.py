"""Tell the own value by where it stands in its range: stretched ranges keep it away from the ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.match_guesses import make_guesses, view_matches
from tokumei.attacks.matching.clues import RANGE_VARIANTS, choices, range_scores
from tokumei.data import Guesses, History, Release
from tokumei.parts import Attack, parameter

__all__ = ["RangeAsymmetry"]


@dataclass(frozen=True, kw_only=True)
class RangeAsymmetry(Attack):
    """Take the candidate whose values stand where the algorithm puts the own value.

    Widening a range on the own side lowers the own error and marks the own value as the one inside.
    """

    name: ClassVar[str] = "range-asymmetry"
    summary: ClassVar[str] = "tell the own value by its place in the published range"
    source: ClassVar[str] = "research notes, part 1, section 1 (error is not monotone)"
    own: str = parameter("inside", "where the own value stands in its range", choices=tuple(RANGE_VARIANTS))

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return one guess per pseudonym that fits somebody."""
        view = view_matches(knowledge, release)
        choice = view.blind()
        if view.matches is not None:
            choice = choices(view.graph, range_scores(release, view.consistency, view.matches)[self.own])
        return make_guesses(view, choice, attack=self.name, rng=rng)
