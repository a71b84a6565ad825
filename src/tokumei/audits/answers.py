"""The five questions that a person who answers for a release is asked, and the form of their answers.

Naming, contents, attributes, membership, several releases (`docs/audit.md`). An answer has figures by attacker; each
is a Score with its interval and, as its baseline, the same figure without the release. Whether a figure is too high is
not decided here: limits belong to a recipient (`tokumei.audits.limits`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tokumei.data import Evidence, Outcome, Reason, Score


class Question(StrEnum):
    """What is asked of a release, in the order in which it is asked."""

    NAMING = "naming"
    CONTENTS = "contents"
    ATTRIBUTES = "attributes"
    MEMBERSHIP = "membership"
    RELEASES = "releases"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one question.

    ``figures`` has every figure by its name (``attacker/what``, such as ``records-3/class-found``); ``headline`` names
    the one that stands for the question. ``limit`` is what the recipient allows for the headline, None where nobody
    set one; ``outcome`` is None while no limit decides: then the figures are told as measured. ``reasons`` say what was
    found, ``skipped`` what was not tried; ``evidence`` has curves and worst cases.
    """

    question: Question
    figures: Mapping[str, Score] = field(default_factory=dict)
    headline: str = ""
    limit: float | None = None
    outcome: Outcome | None = None
    reasons: tuple[Reason, ...] = ()
    skipped: tuple[Reason, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)

    @property
    def figure(self) -> Score | None:
        """The figure that stands for the question, None where nothing could be measured."""
        return self.figures.get(self.headline)

    @property
    def standing(self) -> str:
        """What the answer decides: an outcome, or that it was measured without a limit, or not measured at all."""
        if self.outcome is not None:
            return self.outcome.value
        return "not-measured" if self.figure is None else "measured"

    def as_dict(self) -> dict[str, object]:
        """Return the answer as plain values for JSON."""
        figure = self.figure
        return {
            "question": self.question.value,
            "headline": self.headline or None,
            "figure": None if figure is None else figure.as_dict(),
            "limit": self.limit,
            "outcome": self.standing,
            "figures": {name: score.as_dict() for name, score in self.figures.items()},
            "reasons": [reason.as_dict() for reason in self.reasons],
            "skipped": [reason.sentence for reason in self.skipped],
        }
