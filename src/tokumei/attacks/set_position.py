"""Tell the own value by its position in a set as written: a program that adds others to the own value writes it first.

Releases are read into dictionary order; to attack the text, give `SetCells` whose codes stand in written order (the
second step of `tokumei.data.written_cells.read_cells` gives them).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tokumei.attacks.choices import Choice, MatchAttack, MatchView
from tokumei.attacks.matching.clues import SET_VARIANTS, position_detail, set_scores
from tokumei.parts import parameter
from tokumei.words import Message


@dataclass(frozen=True, kw_only=True)
class SetPosition(MatchAttack):
    """Take the candidate whose values most often stand first (or last) in the published sets."""

    name: ClassVar[str] = "set-position"
    summary: ClassVar[str] = "tell the own value by its position in sets as written"
    source: ClassVar[str] = "own analysis"
    own: str = parameter("first", "where the own value is written in its set", choices=tuple(SET_VARIANTS))

    def choices(self, view: MatchView) -> Iterator[Choice]:
        """Yield a choice for every place where the own value may stand."""
        if view.matches is not None:
            scores = set_scores(view.written, view.consistency, view.matches)
            yield from Choice.of_clues(view.graph, scores)

    def variant(self) -> Message:
        """Return the place that is asked for."""
        return position_detail(self.own)
