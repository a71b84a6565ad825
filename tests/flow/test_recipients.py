"""A plan for a recipient: what loses least of what keeps to the limits, or the reasons why nothing does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.conftest import Run
from tokumei.audits import AuditResult, Limits, Question
from tokumei.data import Demand, Outcome, Reason, Schema, Verdict
from tokumei.errors import InfeasibleError
from tokumei.flow import plan_of, release_for
from tokumei.flow.recipients import STEPS, Step, chosen_plan, keeps_to_limits, steps_for
from tokumei.profiles import read_history

SCHEMA = Schema.from_toml(
    'subject = "who"\n[columns]\nday = { kind = "date" }\nwhat = { kind = "category" }\n'
    'ill = { kind = "category", sensitive = true }\n'
)
BARE = AuditResult(
    k=3, subjects=3, pseudonyms=3, k_anonymity=3, verdict=Verdict(outcome=Outcome.SAFE, reasons=()), with_secret=True
)


def frame_of(people: int = 24) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    who = np.repeat(np.arange(people), 2)
    days = pl.date_range(pl.date(2011, 1, 1), pl.date(2011, 6, 30), "1d", eager=True)
    return pl.DataFrame(
        {
            "who": [f"p{number:02}" for number in who],
            "day": days.gather(rng.integers(0, len(days), len(who))),
            "what": np.array(["tea", "milk", "bread", "cake"])[rng.integers(0, 4, len(who))],
            "ill": np.array(["a", "b", "c"])[rng.integers(0, 3, len(who))],
        }
    )


def limits_of(**highest: float) -> Limits:
    return Limits(recipient="partner", highest={Question(name): value for name, value in highest.items()})


def test_steps_begin_with_what_was_asked_and_with_the_k_that_naming_needs() -> None:
    plan = plan_of(None, k=4, content="strong", schema=SCHEMA)
    steps = steps_for(plan, SCHEMA, limits_of(naming=0.09))
    assert [step.content for step in steps] == ["strong"] * 4
    assert steps[0] == Step(content="strong", k=12)
    assert {step.k for step in steps} == {12, 20}
    assert steps_for(plan_of(None), SCHEMA, limits_of())[0] == STEPS[1]


def test_a_step_raises_what_the_schema_leaves_weaker() -> None:
    plan = chosen_plan(plan_of(None, schema=SCHEMA), Step(content="strong", k=10, rare=20, diversity=3))
    assert plan.schema is not None
    day, what, ill = plan.schema.columns
    assert (day.rare, what.rare, ill.rare) == (0, 20, 0)
    assert ill.demand is not None
    assert ill.demand.values == 3
    assert (plan.content, plan.parameters["k"]) == ("strong", 10)


def test_no_step_asks_for_more_values_than_a_column_has() -> None:
    """Of a column of two values three were asked for, so that nothing was ever found for it."""
    step = Step(content="strong", k=10, diversity=3)
    plan = chosen_plan(plan_of(None, schema=SCHEMA), step, {"ill": 2})
    assert plan.schema is not None
    assert plan.schema.columns[2].demand == Demand(values=2.0)


@pytest.mark.half_second
def test_the_weakest_step_that_keeps_to_the_limits_is_taken() -> None:
    history = read_history(frame_of(), SCHEMA)
    searched = release_for(history, plan_of(None), limits_of(naming=0.34, contents=1.0))
    assert searched.made is not None
    assert searched.made.plan.content == "grid"
    assert searched.made.plan.parameters["k"] == 3
    assert searched.made.audit is not None
    assert searched.made.audit.recipient == "partner"
    assert searched.made.utility.value == min(one.loss for one in searched.tried if one.loss is not None)


def audited(outcome: Outcome, *codes: tuple[str, str]) -> AuditResult:
    reasons = tuple(Reason(code=code, values={"question": question}) for code, question in codes)
    return replace(BARE, verdict=Verdict(outcome=outcome, reasons=reasons))


def test_what_is_only_not_shown_unsafe_does_not_keep_to_the_limits() -> None:
    """A figure whose interval reaches beyond the limit was taken; a seed alone is no reason to refuse."""
    near = audited(Outcome.NOT_SHOWN_UNSAFE, ("near-limit", "contents"))
    names = audited(Outcome.NOT_SHOWN_UNSAFE, ("near-limit", "naming"))
    assert keeps_to_limits(audited(Outcome.SAFE), seeded=False)
    assert not keeps_to_limits(near, seeded=False)
    assert not keeps_to_limits(near, seeded=True)
    assert not keeps_to_limits(names, seeded=False)
    assert keeps_to_limits(names, seeded=True)
    assert not keeps_to_limits(audited(Outcome.UNSAFE, ("beyond-limit", "naming")), seeded=True)


@pytest.mark.half_second
def test_nothing_is_written_where_no_step_keeps_to_the_limits(run: Run, tmp_path: Path) -> None:
    history = read_history(frame_of(), SCHEMA)
    with pytest.raises(InfeasibleError, match=r"keeps to the limits of the recipient 'partner', not even content ="):
        release_for(history, plan_of(None), limits_of(naming=0.01)).required(limits_of())
    frame_of().write_csv(tmp_path / "in.csv")
    (tmp_path / "limits.toml").write_text("[mine]\nnaming = 0.02\n")
    words = ["--recipient", "mine", "--limits", tmp_path / "limits.toml", "-o", tmp_path / "out", "--subject", "who"]
    done = run("anonymize", tmp_path / "in.csv", *words)
    assert done.status == 2
    assert "no release that was tried keeps to the limits of the recipient 'mine'" in done.err
    assert not (tmp_path / "out").exists()
    assert run("anonymize", tmp_path / "in.csv", "-o", tmp_path / "out", "--limits", "l.toml").status == 2
