"""Tell the own value by where it stands in its range: stretched ranges keep it away from the ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tokumei.attacks.choices import Choice, MatchAttack, MatchView
from tokumei.attacks.matching.clues import RANGE_VARIANTS, position_detail, range_scores
from tokumei.parts import parameter
from tokumei.words import Message


@dataclass(frozen=True, kw_only=True)
class RangeAsymmetry(MatchAttack):
    """Take the candidate whose values stand where the algorithm puts the own value.

    Widening a range on the own side lowers the own error and marks the own value as the one inside.
    """

    name: ClassVar[str] = "range-asymmetry"
    summary: ClassVar[str] = "tell the own value by its place in the published range"
    source: ClassVar[str] = "own: error is not monotone"
    own: str = parameter("inside", "where the own value stands in its range", choices=tuple(RANGE_VARIANTS))

    def choices(self, view: MatchView) -> Iterator[Choice]:
        """Yield a choice for every place where the own value may stand."""
        if view.matches is not None:
            scores = range_scores(view.release, view.consistency, view.matches)
            yield from Choice.of_clues(view.graph, scores)

    def variant(self) -> Message:
        """Return the place that is asked for."""
        return position_detail(self.own)
