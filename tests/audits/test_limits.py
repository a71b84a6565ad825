"""What a recipient may get at most: reading of limits, and what they decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokumei.audits import Answer, Limits, Question
from tokumei.data import Goal, Interval, Outcome, Reason, Score
from tokumei.errors import ParameterError, UnreadableError


def answered(question: Question, value: float, *, baseline: float = 0.0, high: float | None = None) -> Answer:
    interval = None if high is None else Interval(value, high)
    score = Score(name="x", value=value, goal=Goal.LOWER, baseline=baseline, interval=interval)
    return Answer(question=question, figures={"x": score}, headline="x")


def limits(**highest: float) -> Limits:
    return Limits(recipient="partner", highest={Question(name): limit for name, limit in highest.items()})


def test_every_recipient_of_the_program_limits_all_but_membership() -> None:
    for recipient in ("public", "partner", "internal"):
        read = Limits.read(recipient)
        assert read.recipient == recipient
        assert set(read.highest) == set(Question) - {Question.MEMBERSHIP}
    order = [Limits.read(name).highest[Question.NAMING] for name in ("public", "partner", "internal")]
    assert order == sorted(order)


def test_an_unknown_recipient_is_told_with_those_there_are() -> None:
    with pytest.raises(
        ParameterError, match="no recipient 'pubic' .did you mean 'public'..; known: public, partner, internal"
    ):
        Limits.read("pubic")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[public]\nnames = 0.1\n", r"\[public\] limits 'names', which is no question; the questions are naming, "),
        ("[public]\nnaming = 2\n", r"\[public\] naming must be a number from 0 to 1, got 2"),
        ("[public]\nnaming = true\n", r"\[public\] naming must be a number from 0 to 1, got True"),
        ("naming = 0.1\n", "has no table of limits per recipient"),
        ("", "has no table of limits per recipient"),
        ("[public", "cannot be read as a file of limits"),
    ],
)
def test_a_file_of_limits_that_is_wrong_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "limits.toml"
    file.write_text(text)
    with pytest.raises(UnreadableError, match=message):
        Limits.read("public", file)


def test_contents_are_judged_by_what_the_release_adds_and_naming_by_itself() -> None:
    both = limits(naming=0.4, contents=0.4)
    assert both.judged(answered(Question.NAMING, 0.5, baseline=0.3)).outcome is Outcome.UNSAFE
    assert both.judged(answered(Question.CONTENTS, 0.5, baseline=0.3)).outcome is Outcome.SAFE
    assert both.judged(answered(Question.CONTENTS, 0.8, baseline=0.3)).outcome is Outcome.UNSAFE


def test_an_interval_that_reaches_over_the_limit_leaves_the_answer_open() -> None:
    judged = limits(contents=0.4).judged(answered(Question.CONTENTS, 0.3, high=0.45))
    assert (judged.outcome, judged.limit) == (Outcome.NOT_SHOWN_UNSAFE, 0.4)
    assert limits(contents=0.45).judged(judged).outcome is Outcome.NOT_SHOWN_UNSAFE
    fresh = answered(Question.CONTENTS, 0.3, high=0.45)
    assert limits(contents=0.45).judged(fresh).outcome is Outcome.SAFE


def test_a_limit_never_makes_naming_safer_than_it_was_shown() -> None:
    shown = Answer(question=Question.NAMING, outcome=Outcome.UNSAFE)
    assert limits(naming=1.0).judged(shown).outcome is Outcome.UNSAFE
    assert limits(contents=1.0).judged(shown).outcome is Outcome.UNSAFE


def test_all_questions_decide_together_and_each_that_stands_against_it_says_why() -> None:
    answers = {
        Question.NAMING: answered(Question.NAMING, 0.2),
        Question.CONTENTS: answered(Question.CONTENTS, 0.9, baseline=0.1),
        Question.MEMBERSHIP: answered(Question.MEMBERSHIP, 1.0),
    }
    judged, outcome, reasons = limits(naming=0.2, contents=0.3, releases=0.2).decided(answers)
    assert outcome is Outcome.UNSAFE
    assert judged[Question.NAMING].outcome is Outcome.SAFE
    assert judged[Question.MEMBERSHIP].outcome is None
    contents, missing = (reason.sentence for reason in reasons)
    assert contents.startswith("contents: the release adds 80.0 % to what is learned of a person's other records")
    assert contents.endswith("(90.0 % instead of 10.0 %), and partner allows 30.0 %")
    assert missing == "the question 'Several releases' has a limit and was not asked"
    del answers[Question.CONTENTS]
    _, outcome, reasons = limits(naming=0.2, contents=0.3).decided(answers)
    assert outcome is Outcome.NOT_SHOWN_UNSAFE
    assert [reason.code for reason in reasons] == ["not-asked"]


def test_what_is_not_there_is_not_called_safe() -> None:
    nothing = Answer(question=Question.ATTRIBUTES, reasons=(Reason(code="ladder-no-sensitive"),))
    judged = limits(attributes=0.1).judged(nothing)
    assert (judged.outcome, judged.standing, judged.limit) == (None, "not-measured", 0.1)
    failed = Answer(question=Question.ATTRIBUTES, skipped=(Reason(code="ladder-nobody"),))
    assert limits(attributes=0.1).judged(failed).outcome is Outcome.NOT_SHOWN_UNSAFE
