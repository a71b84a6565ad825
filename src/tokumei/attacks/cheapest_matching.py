"""Take the hypotheses with the smallest total cell error: an algorithm that minimises loss makes the truth cheap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tokumei.attacks.choices import Basis, Choice, MatchAttack, MatchView


@dataclass(frozen=True, kw_only=True)
class CheapestMatching(MatchAttack):
    """Keep the links of the cheapest perfect matchings and take the likeliest owner among these.

    Names 93 % in a three-way concealment and everybody where ranges were widened; 1/k of strict k-anonymity.
    """

    name: ClassVar[str] = "cheapest-matching"
    summary: ClassVar[str] = "take the likeliest owner over the perfect matchings with the smallest total cell error"
    source: ClassVar[str] = "own: cheapest audit"

    def choices(self, view: MatchView) -> Iterator[Choice]:
        """Yield the posterior of the cheapest perfect matchings."""
        if view.matches is not None:
            tight = view.cheapest(view.matches)
            yield Choice(basis=Basis.BELIEF, graph=tight.graph, weight=tight.probability)
