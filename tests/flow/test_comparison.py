"""Methods side by side: the front, failures as rows, the same answer under a seed."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sample_histories import sample
from tests.tables_and_walks import walks
from tokumei.audits.result import AttackFigure, AuditResult
from tokumei.data.history import History, Release, Secret
from tokumei.data.results import Outcome, Verdict
from tokumei.errors import ParameterError, UnknownPartError
from tokumei.flow import comparison
from tokumei.flow.comparison import Run, compare, mark_front, plan_runs, run_frame
from tokumei.flow.making import release as make_release
from tokumei.flow.plan import Plan
from tokumei.parts import Method

NUMBERS = st.floats(0, 1).map(lambda value: round(value, 1))


def test_runs_are_every_method_with_every_k() -> None:
    runs = plan_runs(["k-anonymity", "pseudonymize", "k-anonymity"], [2, 5, 2], {"k-anonymity": {"effort": "fast"}})
    assert [(run.name, run.settings) for run in runs] == [
        ("k-anonymity k=2", {"effort": "fast"}),
        ("k-anonymity k=5", {"effort": "fast"}),
        ("pseudonymize", {}),
    ]
    assert [run.name for run in plan_runs(["k-anonymity"], [2, 3], {"k-anonymity": {"k": 4}})] == ["k-anonymity"]


def test_unknown_methods_and_settings_of_absent_ones_are_refused() -> None:
    with pytest.raises(UnknownPartError, match="no anonymizer named 'k-anonymty' .did you mean 'k-anonymity'"):
        plan_runs(["k-anonymty"], [2], {})
    with pytest.raises(ParameterError, match="--set names the method 'swapping', which is not compared; add it"):
        plan_runs(["k-anonymity"], [2], {"swapping": {"x": 1}})
    with pytest.raises(ParameterError, match="'k-anonymity' has no parameter 'x'"):
        plan_runs(["k-anonymity"], [2], {"k-anonymity": {"x": 1}})


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=8))
def test_the_front_is_what_nobody_beats(points: list[tuple[float, float]]) -> None:
    runs = mark_front([Run(method=str(number), loss=loss, risk=risk) for number, (loss, risk) in enumerate(points)])
    for run, (loss, risk) in zip(runs, points, strict=True):
        beaten = any(a <= loss and b <= risk and (a, b) != (loss, risk) for a, b in points)
        assert run.front is not beaten
    assert any(run.front for run in runs) or not runs


def test_what_is_unsafe_is_no_trade_off_and_beats_nobody() -> None:
    """Plain pseudonyms lose nothing and name everybody: "best trade-off: yes" was said of them."""
    runs = [
        Run(method="pseudonymize", loss=0.0, risk=1.0, verdict="unsafe"),
        Run(method="broken", loss=0.1, risk=0.1, verdict="unsafe"),
        Run(method="k-anonymity", loss=0.3, risk=0.33, verdict="safe"),
        Run(method="noise", loss=0.2, risk=0.4, verdict="not-shown-unsafe"),
        Run(method="worse", loss=0.4, risk=0.5, verdict="not-shown-unsafe"),
    ]
    assert [run.front for run in mark_front(runs)] == [False, False, True, True, False]


def test_a_failed_run_is_never_on_the_front() -> None:
    assert [run.front for run in mark_front([Run(method="a", failure="x"), Run(method="b", loss=1.0, risk=1.0)])] == [
        False,
        True,
    ]


@pytest.mark.half_second
def test_methods_are_compared_and_failures_are_rows() -> None:
    runs = plan_runs(["pseudonymize", "k-anonymity", "k-concealment-static"], [2, 40], {})
    done = compare(sample("mixed"), runs, seed=3)
    by_name = {run.name: run for run in done}
    assert by_name["pseudonymize"].loss == 0.0
    assert by_name["pseudonymize"].risk == 1.0
    assert (by_name["pseudonymize"].verdict, by_name["pseudonymize"].front) == ("unsafe", False)
    good = by_name["k-anonymity k=2"]
    assert good.verdict == "safe"
    assert good.candidates is not None
    assert good.candidates >= 2
    assert good.risk is not None
    assert good.risk < 1.0
    assert good.best_attack
    for name in ("k-anonymity k=40", "k-concealment-static k=2"):
        assert by_name[name].failure == "infeasible"
        assert by_name[name].loss is None
        assert not by_name[name].front
        assert "SUBJECT" not in by_name[name].message
    assert good.measures["ncp"] > by_name["pseudonymize"].measures["ncp"] == 0.0
    assert good.measures["discernibility"] > by_name["pseudonymize"].measures["discernibility"]
    assert by_name["k-anonymity k=40"].measures == {}
    frame = run_frame(done)
    assert frame.height == len(runs)
    assert frame.filter(frame["release"] == "k-anonymity k=2")["ncp"].to_list() == [good.measures["ncp"]]
    assert "seconds" not in frame.columns
    assert run_frame(compare(sample("mixed"), runs, seed=3)).equals(frame)


@pytest.mark.half_second
def test_the_order_of_rows_changes_nothing() -> None:
    history = sample("mixed")
    shuffled = history.take(np.random.default_rng(1).permutation(len(history)))
    runs = plan_runs(["k-anonymity"], [2], {})
    assert run_frame(compare(shuffled, runs, seed=3)).equals(run_frame(compare(history, runs, seed=3)))


def test_no_attack_follows_the_order_of_the_file() -> None:
    """The contest's re-item takes subjects and items as they come; a report must not depend on that."""
    history = sample("mixed")
    shuffled = history.take(np.random.default_rng(4).permutation(len(history)))
    plan = Plan(method="k-anonymity", content="tight", parameters={"k": 2, "effort": "fast"}, seed=1)
    made = make_release(history, plan, audit=False)
    found = comparison.extra_attacks(made)
    assert list(found) == ["re-uniq", "re-item"]
    assert 0 < found["re-item"][0] < 1
    assert comparison.extra_attacks(dataclasses.replace(made, history=shuffled)) == found


class _Broken(Method):
    """A method of somebody that fails with the data in its message."""

    name = "pseudonymize"

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:  # noqa: ARG002
        """Fail."""
        raise ZeroDivisionError(history.subjects[0])


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ZeroDivisionError, "internal", "internal error (ZeroDivisionError); run 'tokumei anonymize' with this method"),
        (MemoryError, "memory", "the memory is not enough for this method"),
    ],
)
def test_a_fault_of_a_method_is_a_row_without_data(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception], code: str, message: str
) -> None:
    def broken(self: _Broken, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        raise error(history.subjects[0])

    monkeypatch.setattr(_Broken, "anonymize", broken)
    monkeypatch.setattr("tokumei.flow.plan.make_method", lambda *_, **__: _Broken())
    (run,) = compare(sample("mixed"), [Run(method="pseudonymize")], seed=1)
    assert run.failure == code
    assert run.message.startswith(message)
    assert "SUBJECT" not in str(dataclasses.asdict(run))


def test_the_risk_is_the_best_of_all_attacks() -> None:
    figures = {"b": AttackFigure(share=0.5, baseline=0.1), "a": AttackFigure(share=0.5, baseline=0.1)}
    audit = AuditResult(
        k=2, subjects=4, pseudonyms=4, k_anonymity=1, verdict=Verdict(outcome=Outcome.UNSAFE), reidentified=figures
    )
    assert comparison.largest_risk(audit, {"re-item": (0.4, 0.25)}) == (0.5, "a")
    assert comparison.largest_risk(audit, {"re-item": (0.6, 0.25)}) == (0.6, "re-item")
    assert comparison.largest_risk(dataclasses.replace(audit, reidentified={}), {}) == (0.0, "")


@pytest.mark.half_second
def test_a_comparison_counts_who_runs_the_method_again() -> None:
    """Interpolated trajectories stood on the front with "named 0.0 %"; two candidates of each pseudonym are known."""
    runs = compare(walks(40), plan_runs(["record-interpolation"], [2, 3], {}), seed=1)
    assert {run.best_attack for run in runs} <= {"rerun", "matching-posterior"}
    two, three = (run.risk for run in runs)
    assert two is not None
    assert three is not None
    assert 0.3 < two < 0.7
    assert three > 0.9
