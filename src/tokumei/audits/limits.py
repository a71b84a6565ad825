"""What a recipient may get out of a release at most, and whether an answer keeps to it.

The limits stand in ``limits.toml`` beside this module; a publisher may copy and edit it. Limits on naming and on
several releases are probabilities; those on contents, attributes and membership are what the release adds: the figure
less the same attacker's figure without the release.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from tokumei.audits.answers import Answer, Question
from tokumei.data import Outcome, Reason, Score
from tokumei.errors import ParameterError, UnreadableError, did_you_mean

# What is limited is what the release adds to a baseline that nobody can take away.
ADDED = frozenset({Question.CONTENTS, Question.ATTRIBUTES, Question.MEMBERSHIP})
# A figure that was computed, not sampled, may miss its true value by this much.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one recipient, by question; a question without one is measured and decides nothing."""

    recipient: str
    highest: Mapping[Question, float]

    @classmethod
    def read(cls, recipient: str, file: Path | None = None) -> Limits:
        """Read the limits of a recipient from a file (default: those that come with the program)."""
        named = "the list of recipients" if file is None else str(file)
        document = _document(file, named)
        if recipient not in document:
            known = ", ".join(document)
            message = f"{named} has no recipient '{recipient}'{did_you_mean(recipient, document)}; known: {known}"
            raise ParameterError(message, code="unknown-recipient")
        highest = document[recipient]
        for name, limit in highest.items():
            if name not in {question.value for question in Question}:
                names = ", ".join(question.value for question in Question)
                message = f"{named}: [{recipient}] limits '{name}', which is no question; the questions are {names}"
                raise UnreadableError(message, file=named)
            if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not 0 <= limit <= 1:
                message = f"{named}: [{recipient}] {name} must be a number from 0 to 1, got {limit!r}"
                raise UnreadableError(message, file=named)
        return cls(recipient=recipient, highest={Question(name): float(limit) for name, limit in highest.items()})

    @classmethod
    def recipients(cls, file: Path | None = None) -> list[str]:
        """Return the recipients that have limits in a file (default: those that come with the program)."""
        return list(_document(file, "the list of recipients" if file is None else str(file)))

    def judged(self, answer: Answer) -> Answer:
        """Return an answer with its limit and what it decides.

        Safe: the whole interval keeps to the limit. Unsafe: the figure itself does not, or naming was shown unsafe. In
        between, and where a figure could not be computed, it is not shown unsafe.
        """
        limit = self.highest.get(answer.question)
        if limit is None:
            return answer if answer.question is Question.NAMING else replace(answer, limit=None, outcome=None)
        if answer.figure is None and not answer.skipped and answer.question is not Question.NAMING:
            # Nothing was there to be measured (no sensitive column, no earlier release): nothing is called safe by it.
            return replace(answer, limit=limit)
        outcome = worst([_outcome(answer, limit), answer.outcome or Outcome.SAFE])
        return replace(answer, limit=limit, outcome=outcome)

    def decided(self, answers: Mapping[Question, Answer]) -> tuple[dict[Question, Answer], Outcome, tuple[Reason, ...]]:
        """Return all answers judged, what they decide together, and a reason for every question that stands against it.

        A question that has a limit and was not asked leaves the outcome open.
        """
        judged = {question: self.judged(answer) for question, answer in answers.items()}
        missing = [question for question in self.highest if question not in judged]
        reasons = [self._reason(answer) for answer in judged.values() if answer.outcome not in (None, Outcome.SAFE)]
        reasons += [Reason(code="not-asked", values={"question": question.value}) for question in missing]
        outcomes = [answer.outcome for answer in judged.values() if answer.outcome is not None]
        outcomes += [Outcome.NOT_SHOWN_UNSAFE] * len(missing)
        return judged, worst(outcomes), tuple(reasons)

    def _reason(self, answer: Answer) -> Reason:
        figure = answer.figure
        values = {"question": answer.question.value, "recipient": self.recipient, "limit": answer.limit}
        if figure is None:
            return Reason(code="beyond-limit", form="limit-without-figure", values=values)
        form = "beyond-limit" if answer.outcome is Outcome.UNSAFE else "near-limit"
        return Reason(code=form, form=f"{form}-{answer.question.value}", values={**values, **_compared(answer, figure)})


def worst(outcomes: list[Outcome]) -> Outcome:
    """Return the worst of several outcomes, safe where there is none."""
    order = [Outcome.SAFE, Outcome.NOT_SHOWN_UNSAFE, Outcome.UNSAFE]
    return max(outcomes, key=order.index, default=Outcome.SAFE)


def added(question: Question, figure: Score) -> tuple[float, float]:
    """Return what is compared with a limit, and the upper end of its interval."""
    less = (figure.baseline or 0.0) if question in ADDED else 0.0
    high = figure.value if figure.interval is None else max(figure.interval.high, figure.value)
    return max(figure.value - less, 0.0), max(high - less, 0.0)


def _compared(answer: Answer, figure: Score) -> dict[str, object]:
    value, high = added(answer.question, figure)
    return {"value": value, "high": high, "figure": figure.value, "baseline": figure.baseline or 0.0}


def _outcome(answer: Answer, limit: float) -> Outcome:
    figure = answer.figure
    if figure is None:
        return Outcome.NOT_SHOWN_UNSAFE
    value, high = added(answer.question, figure)
    if value > limit + ROUNDING:
        return Outcome.UNSAFE
    return Outcome.NOT_SHOWN_UNSAFE if high > limit + ROUNDING else Outcome.SAFE


def _document(file: Path | None, named: str) -> dict[str, dict[str, Any]]:
    try:
        text = (files("tokumei.audits") / "limits.toml").read_text("utf-8") if file is None else file.read_text("utf-8")
        document = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        message = f"{named} cannot be read as a file of limits ({error}); 'tokumei audit --help' tells its form"
        raise UnreadableError(message, file=named) from None
    wrong = [name for name, table in document.items() if not isinstance(table, dict)]
    if wrong or not document:
        message = (
            f"{named} has no table of limits per recipient, such as [public]; 'tokumei audit --help' tells its form"
        )
        raise UnreadableError(message, file=named)
    return document
