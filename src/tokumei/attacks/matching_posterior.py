"""Name for every pseudonym the subject that owns it in most of the hypotheses that explain the whole release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tokumei.attacks.choices import Basis, Choice, MatchAttack, MatchView


@dataclass(frozen=True, kw_only=True)
class MatchingPosterior(MatchAttack):
    """Hold all perfect matchings of subjects and pseudonyms equally likely and take the likeliest owner.

    Finds hubs: a pseudonym that fits everybody leaves all others almost certain.
    """

    name: ClassVar[str] = "matching-posterior"
    summary: ClassVar[str] = "take the likeliest owner over all perfect matchings"
    source: ClassVar[str] = "k-concealment, Def 2.1"

    def choices(self, view: MatchView) -> Iterator[Choice]:
        """Yield the posterior of all perfect matchings."""
        if view.matches is not None:
            found = view.posterior(view.matches)
            yield Choice(basis=Basis.BELIEF, graph=found.graph, weight=found.probability)
