"""Re-running the method: it names what the uniform posterior does not see, and clears what it accuses wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.leaky_releases import purchases
from tests.tables_and_walks import made, method, table, walks
from tokumei.audits.audit import audit_release
from tokumei.audits.naming import naming_answer
from tokumei.audits.rerun import Rerun, rerun_figures, sample_people, share_interval
from tokumei.audits.result import AuditResult
from tokumei.data.history import History
from tokumei.data.results import Outcome
from tokumei.flow.making import Made, anonymized, compared_with
from tokumei.flow.replaying import fresh_run_of, rerun_of


def rerun(history: History, name: str, *, runs: int = 50, held_out: int = 10, **settings: Any) -> Rerun:
    part = method(name, **settings)
    k = settings.get("k", 2)
    return rerun_figures(history, fresh_run_of(part), rng=np.random.default_rng(5), k=k, runs=runs, held_out=held_out)


def naming(released: Made) -> AuditResult:
    """Return the audit of names alone, as `audit` asks for it."""
    original, secret = compared_with(released.method, released.history, released.secret)
    k = getattr(released.method, "k", None)
    return audit_release(original, released.release, secret, k=k, rerun=rerun_of(released))


@pytest.mark.half_second
def test_a_concealment_that_throws_its_coin_last_is_not_unsafe() -> None:
    """The uniform posterior accused k = 2 in every run on Adult; 200 re-runs named 0.45 to 0.56."""
    released = made(table(60, seed=1), "k-concealment-assignment", k=2)
    for secret in (released.secret, None):
        alone = audit_release(released.history, released.release, secret, k=2)
        assert alone.verdict.outcome is Outcome.UNSAFE
        assert "posterior" in [reason.code for reason in alone.verdict.reasons]
        assert "not-rerun" in [reason.code for reason in alone.verdict.skipped]
    result = naming(released)
    assert result.verdict.outcome is Outcome.NOT_SHOWN_UNSAFE
    assert result.verdict.reasons[0].code == "rerun-even"
    assert "not-rerun" not in [reason.code for reason in result.verdict.skipped]
    assert result.rerun is not None
    assert result.rerun.interval.low < 0.5 < result.rerun.interval.high
    answer = naming_answer(result)
    assert answer.headline == "rerun"
    assert answer.figures["rerun"].interval == result.rerun.interval
    document = result.as_dict()["rerun"]
    assert isinstance(document, dict)
    assert document["rate"] == result.rerun.rate


@pytest.mark.half_second
def test_a_concealment_that_always_holds_its_owner_is_named() -> None:
    """K = 3 puts the own history into every hull: 93 to 95 % named, where the audit said 75 to 82 %."""
    released = made(table(60, seed=1), "k-concealment-assignment", k=3)
    result = naming(released)
    assert result.rerun is not None
    assert result.rerun.deterministic
    assert result.rerun.runs == 12
    assert result.rerun.rate > 0.85
    assert result.rerun.rate > result.reidentified["matching-posterior"].share
    assert result.verdict.outcome is Outcome.UNSAFE
    assert "rerun" in [reason.code for reason in result.verdict.reasons]


@pytest.mark.half_second
@pytest.mark.parametrize(("settings", "low", "high"), [({"k": 3}, 0.9, 1.0), ({"k": 2}, 0.4, 0.6)])
def test_interpolated_records_are_named_as_their_design_allows(
    settings: dict[str, int], low: float, high: float
) -> None:
    """The nearest history named 1 to 3 % of them: a release that contradicts the original was not attacked at all."""
    released = made(walks(), "record-interpolation", **settings)
    result = naming(released)
    assert result.rerun is not None
    assert low <= result.rerun.rate <= high
    assert result.reidentified["rerun"].share == result.rerun.rate
    unsafe = settings["k"] == 3
    assert result.verdict.outcome is (Outcome.UNSAFE if unsafe else Outcome.NOT_SHOWN_UNSAFE)
    assert result.verdict.reasons[0].code == ("rerun" if unsafe else "rerun-even")
    assert f"1/{settings['k']}" in result.verdict.reasons[0].sentence


@pytest.mark.half_second
def test_identical_histories_are_proven_without_a_run() -> None:
    released = made(purchases(), "k-anonymity", k=3, effort="fast")
    result = naming(released)
    assert result.k_anonymity >= 3
    assert result.rerun is None
    assert "rerun" not in [reason.code for reason in result.verdict.reasons]


def test_a_method_without_coins_is_settled_by_two_runs() -> None:
    figures = rerun(purchases(), "k-anonymity", k=3, effort="fast")
    assert (figures.deterministic, figures.runs, figures.held_out) == (True, 2, 0)
    assert figures.rate <= 1 / 3
    assert figures.interval.low == figures.interval.high == figures.rate


def test_a_method_without_coins_accuses_only_after_more_runs() -> None:
    figures = rerun(purchases(), "pseudonymize")
    assert (figures.deterministic, figures.runs, figures.rate) == (True, 12, 1.0)


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("randomized-response", {"epsilon": 2.0}),
        ("laplace-noise", {"epsilon": 3.0}),
        ("swapping", {"share": 0.6}),
        ("record-sampling", {"unit": "subjects"}),
    ],
)
def test_the_rate_on_the_release_lies_within_the_interval(name: str, settings: dict[str, Any]) -> None:
    history, part = table(), method(name, **settings)
    published, secret = anonymized(history, part, seed=901)
    rng = np.random.default_rng(5)
    figures = rerun_figures(history, fresh_run_of(part), rng=rng, release=published, secret=secret)
    assert not figures.deterministic
    assert figures.interval.low <= figures.rate <= figures.interval.high
    assert figures.rate > 3 * figures.baseline
    assert figures.observed is not None
    assert figures.interval.low <= figures.observed <= figures.interval.high


def test_split_and_merged_pseudonyms_are_counted_too() -> None:
    split = rerun(purchases(), "pseudonymize", count=2, runs=4, held_out=2)
    assert split.rate > 0.8
    merged = rerun(purchases(), "pseudonymize", count=2, exchange=1.0, runs=6, held_out=2)
    assert merged.rate > 0.5


def test_few_people_of_large_data_are_run() -> None:
    history = purchases()
    part = sample_people(history, rng=np.random.default_rng(1), people=20, records=10**6)
    assert len(part.subjects) == 20
    assert part.counts().sum() == len(part)
    assert (part.counts() > 0).all()
    whole = dict(zip(history.subjects.to_list(), history.counts().tolist(), strict=True))
    assert [whole[name] for name in part.subjects.to_list()] == part.counts().tolist()
    figures = rerun_figures(
        history, fresh_run_of(method("pseudonymize")), rng=np.random.default_rng(1), people=20, runs=2, held_out=1
    )
    assert (figures.sampled, figures.people, figures.observed) == (True, 20, None)
    assert len(sample_people(history, rng=np.random.default_rng(1), people=60, records=12).subjects) < 60
    assert sample_people(history, rng=np.random.default_rng(1), people=60, records=10**6) is history


def test_an_interval_knows_that_owners_fall_together() -> None:
    rng = np.random.default_rng(3)
    pairs = rng.integers(0, 2, (2000, 30)).mean(axis=1)
    covered = 0
    for start in range(0, 1900, 19):
        interval = share_interval(pairs[start : start + 10], 60, confidence=0.95, further=1)
        covered += interval.low <= pairs[start + 11] <= interval.high
    assert covered >= 92
    sure = share_interval(np.ones(10), 60, confidence=0.95)
    assert sure.high == 1.0
    assert 0.98 < sure.low < 1.0
