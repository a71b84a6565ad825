"""Tell owners by order: pseudonyms numbered or listed in the order of the original give themselves away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from tokumei.attacks.choices import Choice, MatchAttack, MatchView
from tokumei.attacks.matching.pseudonym_clues import group_clues, order_detail, order_scores, ordered_owners
from tokumei.parts import parameter
from tokumei.words import Message

_ORDERS = ("appearance", "text", "number")


@dataclass(frozen=True, kw_only=True)
class ReleaseOrder(MatchAttack):
    """Take the candidate whose rank among the subjects is nearest to the pseudonym's rank in the release."""

    name: ClassVar[str] = "release-order"
    summary: ClassVar[str] = "compare the order of pseudonyms and records with that of the original"
    source: ClassVar[str] = "own analysis"
    pseudonyms: str = parameter("appearance", "how pseudonyms are ordered", choices=_ORDERS)
    subjects: str = parameter("appearance", "how subjects are ordered", choices=_ORDERS)
    backwards: bool = parameter(False, "whether one order runs backwards")

    def choices(self, view: MatchView) -> Iterator[Choice]:
        """Yield for every two orders whose ranks are near, among all and in groups; then whom an order kept names."""
        histories = view.consistency.histories
        yield from Choice.of_clues(view.graph, order_scores(view.knowledge, histories, view.graph))
        if view.matches is not None:
            yield from Choice.of_clues(view.graph, group_clues(view.knowledge, histories, view.matches))
        yield from Choice.of_rules(ordered_owners(view.knowledge, histories), len(view.knowledge.subjects))

    def variant(self) -> Message:
        """Return the orders that are asked for."""
        return order_detail(self.pseudonyms, self.subjects, backwards=self.backwards)
