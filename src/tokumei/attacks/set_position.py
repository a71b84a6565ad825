"""Tell the own value by its position in a set as written: a program that adds others to the own value writes it first.

Releases are read into dictionary order; to attack the text, give `SetCells` whose codes stand in written order (the
second step of `tokumei.data.cell_text.read_cells` gives them).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.match_guesses import make_guesses, view_matches
from tokumei.attacks.matching.clues import SET_VARIANTS, choices, set_scores
from tokumei.data import Guesses, History, Release
from tokumei.parts import Attack, parameter

__all__ = ["SetPosition"]


@dataclass(frozen=True, kw_only=True)
class SetPosition(Attack):
    """Take the candidate whose values most often stand first (or last) in the published sets."""

    name: ClassVar[str] = "set-position"
    summary: ClassVar[str] = "tell the own value by its position in sets as written"
    source: ClassVar[str] = "own analysis"
    own: str = parameter("first", "where the own value is written in its set", choices=tuple(SET_VARIANTS))

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return one guess per pseudonym that fits somebody."""
        view = view_matches(knowledge, release)
        choice = view.blind()
        if view.matches is not None:
            scores = set_scores(release, view.consistency, view.matches)
            choice = choices(view.graph, scores[self.own]) if scores else choice
        return make_guesses(view, choice, attack=self.name, rng=rng)
