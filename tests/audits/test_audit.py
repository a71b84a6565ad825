"""The audit accepts safe releases, finds and names every leak built into them, and explains what it cannot judge."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.leaky_releases import (
    contest_files,
    grouped,
    own_first_text,
    owners_of,
    purchases,
    random_names,
    release_of,
    split_surplus,
)
from tokumei.audits.audit import audit_release
from tokumei.audits.result import AuditResult
from tokumei.data.cells import RangeCells
from tokumei.data.columns import Column
from tokumei.data.history import History, Release, Secret
from tokumei.data.release_folder import release_from_text
from tokumei.data.results import Outcome
from tokumei.data.schema import Schema
from tokumei.errors import InputError, ParameterError

HISTORY = purchases()
NAMES = random_names(HISTORY)
FIELDS = {
    "k_anonymity",
    "k_concealment",
    "min_candidates",
    "mean_candidates",
    "components",
    "max_posterior",
    "share_posterior_over_95",
    "expected_hits",
    "reidentified",
    "attempt_unsafe_probability",
    "survives_13",
    "verdict",
    "reasons",
    "skipped",
}


def codes(result: AuditResult) -> list[str]:
    return [reason.code for reason in result.verdict.reasons]


@pytest.mark.half_second
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("with_secret", [True, False])
def test_identical_histories_are_safe_at_k(k: int, with_secret: bool) -> None:  # noqa: FBT001
    release, secret = release_of(grouped(HISTORY, k), NAMES)
    result = audit_release(HISTORY, release, secret if with_secret else None)
    assert result.verdict.outcome is Outcome.SAFE
    assert (result.k, result.k_anonymity, result.k_concealment, result.min_candidates) == (k, k, k, k)
    assert result.max_posterior == pytest.approx(1 / k)
    assert result.expected_hits == pytest.approx(60 / k)
    assert all(figure.share == pytest.approx(1 / k) for figure in result.reidentified.values())
    assert codes(result)[0] == "k-anonymous"
    # Who owns which pseudonym is known from the Secret alone.
    assert ("pseudonyms with distinct owners, " in result.verdict.reasons[0].sentence) == with_secret


@pytest.mark.half_second
def test_json_fields() -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES)
    document = json.loads(json.dumps(audit_release(HISTORY, release, secret).as_dict()))
    assert set(document) >= FIELDS
    assert document["verdict"] == "safe"
    assert document["attempt_unsafe_probability"]["official"] == pytest.approx(0.0729980)
    assert document["attempt_unsafe_probability"]["guesses"] == 24
    assert document["survives_13"]["official"] == pytest.approx(0.3732918)
    assert document["reidentified"]["cheapest-matching"]["share"] == 0.5
    assert document["reidentified"]["cheapest-matching"]["baseline"] == 0.5


@pytest.mark.half_second
def test_results_do_not_depend_on_the_order_of_rows() -> None:
    release, secret = release_of(grouped(HISTORY, 3), NAMES, far=900)
    shuffled = np.random.default_rng(0).permutation(len(release))
    one = audit_release(HISTORY, release, secret).as_dict()
    other = audit_release(HISTORY, release.take(shuffled), secret.take(shuffled)).as_dict()
    for name in ("k_anonymity", "mean_candidates", "max_posterior", "attempt_unsafe_probability", "verdict"):
        assert one[name] == other[name]


@pytest.mark.parametrize("with_secret", [True, False])
def test_ranges_widened_on_the_own_side_are_named(with_secret: bool) -> None:  # noqa: FBT001
    release, secret = release_of(grouped(HISTORY, 2), NAMES, stretch=20)
    result = audit_release(HISTORY, release, secret if with_secret else None)
    assert result.verdict.outcome is Outcome.UNSAFE
    assert result.min_candidates == 2
    assert result.max_posterior == 0.5
    assert result.reidentified["cheapest-matching"].share == pytest.approx(1.0)
    assert "cheapest-matching" in codes(result)
    if with_secret:
        assert result.reidentified["range-asymmetry"].share == pytest.approx(1.0)
        reason = next(reason for reason in result.verdict.reasons if reason.code == "range-asymmetry")
        assert reason.sentence.startswith("the own value stands inside in its range")
        assert "smallest range" in reason.remedy


def test_the_own_value_written_first_is_named() -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES)
    result = audit_release(HISTORY, release, secret, published={"item": own_first_text(HISTORY, release, secret)})
    assert result.verdict.outcome is Outcome.UNSAFE
    assert result.k_anonymity == 2
    assert codes(result)[0] == "set-position"
    assert str(result.reidentified["set-position"].detail) == "first"
    canonical = audit_release(HISTORY, release, secret, published={"item": release.text()["item"]})
    assert canonical.verdict.outcome is Outcome.SAFE


def test_suppression_decided_record_by_record_is_named() -> None:
    release, secret = release_of(grouped(HISTORY, 3), NAMES, far=900)
    result = audit_release(HISTORY, release, secret)
    assert result.verdict.outcome is Outcome.UNSAFE
    assert result.min_candidates == 3
    assert result.max_posterior == pytest.approx(1 / 3)
    assert "suppression-pattern" in codes(result)
    assert result.reidentified["suppression-pattern"].share > 0.6
    assert "differ only in what is suppressed" in str(result.reidentified["suppression-pattern"].detail)


def test_records_in_the_order_of_the_original_are_named() -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES)
    order = np.argsort(secret.rows)
    result = audit_release(HISTORY, release.take(order), secret.take(order))
    assert codes(result)[0] == "release-order"
    assert str(result.reidentified["release-order"].detail) == "appearance / appearance"


@pytest.mark.half_second
@pytest.mark.parametrize("with_secret", [True, False])
@pytest.mark.parametrize(
    ("code", "names", "detail"),
    [
        ("release-order", [str(500 + 3 * number) for number in range(60)], "text / text"),
        ("predictable-pseudonyms", HISTORY.subjects.to_list(), "the subject's own name"),
        (
            "predictable-pseudonyms",
            [hashlib.sha256(name.encode()).hexdigest()[:12] for name in HISTORY.subjects.to_list()],
            "an unkeyed SHA-256 digest of the subject",
        ),
        (
            "predictable-pseudonyms",
            (np.random.default_rng(42).permutation(60) + 1).astype(str).tolist(),
            "numpy's default generator with seed 42 (sorted order)",
        ),
    ],
    ids=["numbered", "own names", "digest", "seed"],
)
def test_predictable_pseudonyms_are_named(with_secret: bool, code: str, names: list[str], detail: str) -> None:  # noqa: FBT001
    release, secret = release_of(grouped(HISTORY, 2), pl.Series("pseudonym", names))
    result = audit_release(HISTORY, release, secret if with_secret else None, guess_seeds=50)
    assert result.verdict.outcome is Outcome.UNSAFE
    assert str(result.reidentified[code].detail) == detail
    assert result.reidentified[code].share == pytest.approx(1.0)
    assert code in codes(result)


@pytest.mark.half_second
def test_seeds_are_tried_only_when_asked_for_and_said_to_be_skipped() -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES)
    assert any("guessable seeds" in text for text in map(str, audit_release(HISTORY, release, secret).verdict.skipped))
    asked = audit_release(HISTORY, release, secret, guess_seeds=20)
    assert asked.verdict.outcome is Outcome.SAFE
    told = [reason.code for reason in asked.verdict.skipped]
    assert "seeds-not-tried" not in told
    assert "no-replay" in told


@pytest.mark.half_second
def test_order_kept_inside_one_large_group_is_named() -> None:
    history = purchases(40, most=3)
    quiet, secret = release_of(grouped(history, 40), random_names(history))
    assert audit_release(history, quiet, secret).verdict.outcome is Outcome.SAFE
    numbered, secret = release_of(grouped(history, 40), pl.Series("pseudonym", [str(100 + n) for n in range(40)]))
    result = audit_release(history, numbered, secret)
    assert codes(result)[0] == "release-order"


@pytest.mark.parametrize("with_secret", [True, False])
def test_record_counts_betray_fresh_pseudonyms(with_secret: bool) -> None:  # noqa: FBT001
    history = purchases(60, most=8)
    release, secret = split_surplus(history)
    result = audit_release(history, release, secret if with_secret else None)
    assert result.verdict.outcome is Outcome.UNSAFE
    assert "record-counts" in codes(result)
    assert "drop to one owner" in str(result.reidentified["record-counts"].detail)
    assert result.joint == {}
    assert any("several pseudonyms" in text for text in map(str, result.verdict.skipped))


def test_unchanged_values_leave_a_single_candidate() -> None:
    cells = {name: HISTORY.cells(name) for name in HISTORY.codes}
    release = Release(HISTORY.schema, NAMES.gather(HISTORY.subject), cells)
    result = audit_release(HISTORY, release, Secret(owners_of(HISTORY, NAMES), np.arange(len(HISTORY))))
    assert (result.verdict.outcome, result.max_posterior) == (Outcome.UNSAFE, 1.0)
    assert result.verdict.reasons[0].sentence.startswith("60 of 60 pseudonyms have a single candidate")


def test_columns_that_are_kept_are_named_instead_of_a_larger_k() -> None:
    """The advice was "k = 3 or more" when k was 3: no k changes what is published as it is."""
    columns = [replace(column, keep=True) for column in HISTORY.schema.columns]
    history = replace(HISTORY, schema=replace(HISTORY.schema, columns=tuple(columns)))
    cells = {name: history.cells(name) for name in history.codes}
    release = Release(history.schema, NAMES.gather(history.subject), cells)
    result = audit_release(history, release, Secret(owners_of(history, NAMES), np.arange(len(history))), k=3)
    remedies = [reason.remedy for reason in result.verdict.reasons if reason.code == "single-candidate"]
    assert remedies[0].startswith("generalize or drop the columns that the schema keeps unchanged: ")
    assert all("or more" not in reason.remedy for reason in result.verdict.reasons)


def test_a_larger_k_than_published_is_refused() -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES)
    result = audit_release(HISTORY, release, secret, k=3)
    assert result.verdict.outcome is Outcome.UNSAFE
    assert "60 of 60 pseudonyms have fewer than 3 candidates" in [r.sentence for r in result.verdict.reasons]


@pytest.mark.half_second
def test_a_wholly_deleted_group_is_allowed() -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES)
    gone = NAMES.gather(grouped(HISTORY, 2).groups[0]).to_list()
    rows = np.flatnonzero(~release.pseudonyms.is_in(gone).to_numpy())
    result = audit_release(HISTORY, release.take(rows), secret.take(rows))
    assert (result.pseudonyms, result.k_anonymity, result.min_candidates) == (58, 2, 2)
    assert result.verdict.outcome is Outcome.SAFE


def test_the_cheap_part_says_what_it_left_out() -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES)
    result = audit_release(HISTORY, release, secret, thorough=False)
    assert list(result.reidentified) == ["matching-posterior"]
    assert any("only the cheap part" in text for text in map(str, result.verdict.skipped))


def test_a_time_limit_is_reported() -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES, stretch=20)
    result = audit_release(HISTORY, release, secret, time_limit=0.0)
    assert any("time limit" in text for text in map(str, result.verdict.skipped))


def test_release_of_other_data_is_explained() -> None:
    release, _ = release_of(grouped(HISTORY, 2), NAMES)
    result = audit_release(purchases(60, seed=99), release, k=3)
    assert codes(result) == ["inconsistent"]
    assert result.verdict.outcome is Outcome.NOT_SHOWN_UNSAFE
    sentence = result.verdict.reasons[0].sentence
    assert "60 of 60 pseudonyms fit no subject" in sentence
    assert "comes nearest to subject 's" in sentence
    assert "published record" in sentence
    assert "day=" in sentence


def test_changed_values_are_unsafe_where_the_nearest_history_names_the_owner() -> None:
    cells = {name: HISTORY.cells(name) for name in HISTORY.codes}
    cells["paid"] = RangeCells.of_values(HISTORY.codes["paid"] + np.random.default_rng(1).integers(1, 4, len(HISTORY)))
    release = Release(HISTORY.schema, NAMES.gather(HISTORY.subject), cells)
    result = audit_release(HISTORY, release, Secret(owners_of(HISTORY, NAMES), np.arange(len(HISTORY))))
    assert result.verdict.outcome is Outcome.UNSAFE
    assert codes(result) == ["nearest-history", "inconsistent"]
    assert result.reidentified["nearest-history"].share == pytest.approx(1.0)


def test_a_damaged_record_is_named_with_its_owner() -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES)
    paid = release.cells["paid"]
    low = paid.lo.copy()  # type: ignore[union-attr]
    low[4] = 100_000
    damaged = type(paid).of_ranges(low, np.maximum(low, paid.hi))  # type: ignore[union-attr]
    broken = Release(release.schema, release.pseudonyms, {**release.cells, "paid": damaged})
    result = audit_release(HISTORY, broken, secret)
    owner = HISTORY.subjects[int(HISTORY.subject[secret.rows[4]])]
    sentence = next(reason.sentence for reason in result.verdict.reasons if reason.code == "inconsistent")
    assert f"belongs to subject '{owner}', but published record 5 (" in sentence
    quick = audit_release(HISTORY, broken, secret, thorough=False).verdict.reasons
    assert any(
        "does not fit its own owner: none of their records can be published record 5 (" in r.sentence for r in quick
    )
    assert not any(f"'{owner}'" in reason.sentence for reason in quick)


def test_pseudonyms_that_compete_for_too_few_subjects_are_named() -> None:
    frame = pl.DataFrame({"who": ["a", "b", "c"], "day": [1, 5, 9], "item": ["x", "x", "x"], "paid": [1, 1, 1]})
    history = History.from_frame(frame, HISTORY.schema)
    cells = {name: history.cells(name).take([0, 0, 1]) for name in history.codes}
    result = audit_release(history, Release(history.schema, pl.Series(["p", "q", "r"]), cells))
    assert "the 2 pseudonyms 'p', 'q' together fit only 1 subjects ('a')" in result.verdict.reasons[0].sentence


def test_a_foreign_secret_is_refused() -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES)
    nothing = np.empty(0, dtype=np.int64)
    with pytest.raises(InputError, match=r"no owner for the pseudonym '\d+' of the release \(1 such pseudonyms\)"):
        audit_release(HISTORY, release, Secret(secret.owners[1:], nothing))
    foreign = secret.owners.with_columns(pl.lit("nobody").alias("subject"))
    with pytest.raises(InputError, match="do not occur in the original data"):
        audit_release(HISTORY, release, Secret(foreign, nothing))
    with pytest.raises(InputError, match="names row 1000000 of the original"):
        audit_release(HISTORY, release, Secret(secret.owners, np.full(len(release), 999_999)))


def test_bad_requests_are_refused() -> None:
    release, secret = release_of(grouped(HISTORY, 2), NAMES)
    with pytest.raises(ParameterError, match="k must be at least 2 for an audit, got 1"):
        audit_release(HISTORY, release, secret, k=1)
    with pytest.raises(InputError, match="nothing to audit"):
        audit_release(HISTORY, release.take(np.empty(0, dtype=np.int64)))
    with pytest.raises(InputError, match="as written has 1 cells, the release has"):
        audit_release(HISTORY, release, secret, published={"item": pl.Series(["x"])})


def test_a_randomized_design_is_judged_by_its_draws() -> None:
    """Pairs drawn with fair coins are 1/2 each; a sampler that keeps the truth is caught."""
    pairs = grouped(HISTORY, 2)
    release, _ = release_of(pairs, NAMES)
    names = NAMES.sort().to_list()
    place = {name: subject for subject, name in enumerate(NAMES.to_list())}
    truth = np.array([place[name] for name in names])
    partner = np.arange(60)
    for group in pairs.groups:
        partner[group] = group[::-1]
    coins = np.random.default_rng(0).random((2000, len(pairs.groups))) < 0.5
    group_of = np.empty(60, dtype=np.int64)
    for number, group in enumerate(pairs.groups):
        group_of[group] = number
    fair = np.where(coins[:, group_of[truth]], partner[truth], truth)
    method = "uniform-concealment"
    good = audit_release(HISTORY, release, method=method, draws=fair, k=2)
    assert good.max_posterior == pytest.approx(0.5, abs=0.05)
    assert good.verdict.outcome is not Outcome.UNSAFE
    biased = np.where(np.random.default_rng(1).random((2000, 1)) < 0.9, truth, fair)
    bad = audit_release(HISTORY, release, method=method, draws=biased, k=2)
    assert bad.verdict.outcome is Outcome.UNSAFE
    assert codes(bad)[0] == "posterior"


@pytest.mark.half_second
def test_the_safe_golden_file(golden: Path, real_data: Path) -> None:
    history, release, secret = contest_files(golden, real_data, "A_2anon")
    for truth in (secret, None):
        result = audit_release(history, release, truth)
        assert result.verdict.outcome is Outcome.SAFE
        assert (result.k, result.k_anonymity, result.min_candidates, result.mean_candidates) == (2, 2, 2, 2.0)
        assert all(figure.share == 0.5 for figure in result.reidentified.values())
        assert result.joint["official"].probability == pytest.approx(0.0729980, abs=1e-7)
        assert result.joint["official"].survives == pytest.approx(0.3732918, abs=1e-7)
        assert result.joint["official"].guesses == 24


@pytest.mark.slow
def test_the_unsafe_golden_file(golden: Path, real_data: Path) -> None:
    history, release, secret = contest_files(golden, real_data, "A_hub")
    result = audit_release(history, release, secret)
    assert result.verdict.outcome is Outcome.UNSAFE
    assert (result.min_candidates, result.largest_component) == (2, 1000)
    assert result.mean_candidates == pytest.approx(3.006)
    assert result.share_posterior_over_95 == pytest.approx(0.80, abs=0.05)
    assert result.reidentified["cheapest-matching"].share == pytest.approx(0.803, abs=0.01)
    reason = result.verdict.reasons[0]
    assert reason.code == "posterior"
    assert "the pseudonym '100625' with a single suppressed record fits 1000 of 1000 subjects" in reason.sentence
    assert reason.remedy == "limit how many subjects one pseudonym may cover"


@pytest.mark.half_second
def test_a_chain_of_candidates_ends_and_is_told_exactly() -> None:
    """Pseudonym i fits subject i and all later ones, the last one the first subject too: chains never got back."""
    people = 169
    values = [f"v{number:03}" for number in range(people)]
    frame = pl.DataFrame({"who": [f"s{number:03}" for number in range(people)], "mark": values})
    history = History.from_frame(frame, Schema("who", (Column(name="mark"),)))
    fitting = [values[number:] for number in range(people - 1)] + [[values[0], values[-1]]]
    text = pl.DataFrame(
        {
            "pseudonym": [f"p{number:03}" for number in np.random.default_rng(1).permutation(people)],
            "mark": ["{" + ";".join(fits) + "}" for fits in fitting],
        }
    )
    release = release_from_text(text, history.schema, history.categories, file="trap")
    # It had not ended after 150 s of an idle machine. The limit is of the clock: a busy machine needs more of it.
    result = audit_release(history, release, k=2, time_limit=600)
    # One of 2^167 + 1 matchings gives the last pseudonym to the last subject; others have an even chance at most.
    assert result.max_posterior == pytest.approx(1.0)
    assert result.share_posterior_over_95 == pytest.approx(1 / people)
    assert result.chain_difference == 0.0
    assert "posterior" in codes(result)
