"""Name for every pseudonym the subject that owns it in most of the hypotheses that explain the whole release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.attacks.match_guesses import make_guesses, view_matches
from tokumei.attacks.matching.posteriors import posterior
from tokumei.data import Guesses, History, Release
from tokumei.parts import Attack

__all__ = ["MatchingPosterior"]


@dataclass(frozen=True, kw_only=True)
class MatchingPosterior(Attack):
    """Hold all perfect matchings of subjects and pseudonyms equally likely and take the likeliest owner.

    Finds hubs: a pseudonym that fits everybody leaves all others almost certain.
    """

    name: ClassVar[str] = "matching-posterior"
    summary: ClassVar[str] = "take the likeliest owner over all perfect matchings"
    source: ClassVar[str] = "k-concealment, Def 2.1 (spec C.1); research notes, part 2, section 4"

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return one guess per pseudonym that fits somebody."""
        view = view_matches(knowledge, release)
        choice = view.blind() if view.matches is None else posterior(view.matches, rng=rng).probability
        return make_guesses(view, choice, attack=self.name, rng=rng)
