"""Equal histories of k distinct owners prove 1/k whatever they say; and the Secret never makes a verdict better."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tests.leaky_releases import grouped, owners_of, purchases, random_names, release_of
from tokumei.attacks.matching.consistency import consistency_graph
from tokumei.audits.audit import audit_release
from tokumei.audits.truth import anonymity_level
from tokumei.data.cells import RangeCells
from tokumei.data.history import History, Release, Secret
from tokumei.data.results import Outcome
from tokumei.flow import make_method
from tokumei.flow.making import anonymized
from tokumei.words import Words, conclusion_line

HISTORY = purchases(24)


def _outcomes(history: History, release: Release, secret: Secret) -> list[str]:
    return [audit_release(history, release, known).verdict.outcome.value for known in (secret, None)]


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("name", "settings"),
    [("microaggregation", {"k": 3}), ("k-anonymity", {"k": 3, "surplus": "dummy", "effort": "fast"})],
)
def test_identical_bytes_of_k_owners_are_proven_though_they_fit_nobody(name: str, settings: dict[str, object]) -> None:
    made = anonymized(HISTORY, make_method(name, settings), key="3a" * 32)
    for known in (made[1], None):
        result = audit_release(HISTORY, made[0], known)
        assert result.verdict.outcome is Outcome.SAFE
        assert result.proven_k == result.k_anonymity >= 3
        assert result.verdict.reasons[0].code == "k-anonymous"
        assert result.verdict.reasons[-1].code == "inconsistent"
        believed = "without the Secret, count as distinct" in result.verdict.reasons[0].sentence
        assert believed == (known is None)
    assert audit_release(HISTORY, made[0], made[1]).max_posterior == pytest.approx(1 / 3, abs=0.1)
    # More than the groups have is not proven by them.
    asked = audit_release(HISTORY, made[0], made[1], k=9)
    assert asked.verdict.outcome is not Outcome.SAFE


@pytest.mark.half_second
@pytest.mark.parametrize("rule", ["order", "digest", "affine"])
def test_pseudonyms_that_tell_their_owner_are_seen_without_the_secret_though_nobody_fits(rule: str) -> None:
    """The nearest people are taken for the members of a group."""
    release, secret = anonymized(HISTORY, make_method("microaggregation", {"k": 3}), key="3a" * 32)
    owners = secret.owners.sort("subject")
    names = {
        "order": [str(10**6 + 1000 * number) for number in range(len(owners))],
        "digest": [hashlib.sha256(subject.encode()).hexdigest() for subject in owners["subject"]],
        "affine": [str((48271 * number + 11) % 10**9) for number in range(7, 7 + len(owners))],
    }[rule]
    renamed = replace(release, pseudonyms=release.pseudonyms.replace_strict(owners["pseudonym"], names))
    assert audit_release(HISTORY, renamed, k=3).verdict.outcome is not Outcome.SAFE
    told = [reason.code for reason in audit_release(HISTORY, release, k=3).verdict.skipped]
    assert "nearest-candidates" in told


def test_a_strict_release_of_other_data_contradicts_the_original_before_all_else() -> None:
    """Its bytes are as equal as before, but they prove nothing about the people of this original."""
    release, _ = release_of(grouped(HISTORY, 3), random_names(HISTORY))
    result = audit_release(purchases(24, seed=99), release, k=3, truthful=True)
    assert result.verdict.outcome is Outcome.NOT_SHOWN_UNSAFE
    assert result.as_dict()["contradicts_original"] is True
    assert [reason.code for reason in result.verdict.reasons] == ["other-original", "k-anonymous", "inconsistent"]
    assert result.verdict.reasons[0].sentence.startswith("the release contradicts the original: its method changes")
    headline = conclusion_line("not-shown-unsafe", 3, Words("en"), other_original=result.verdict.of_other_original)
    assert headline == "THE RELEASE CONTRADICTS THE ORIGINAL; names: not shown unsafe"
    # Too few share a history: the same is said where nothing is proven.
    alone = audit_release(purchases(24, seed=99), release, k=4, truthful=True)
    assert [reason.code for reason in alone.verdict.reasons] == ["other-original", "inconsistent"]
    # With its own original there is no such word.
    assert audit_release(HISTORY, release, k=3, truthful=True).as_dict()["contradicts_original"] is False


@pytest.mark.half_second
def test_order_is_named_in_groups_that_fit_nobody_too() -> None:
    """With the Secret the groups are known, and what stands beside the content is tried on them."""
    names = pl.Series([str(1000 + number) for number in range(24)])
    release, secret = release_of(grouped(HISTORY, 2), names)
    cells = dict(release.cells)
    paid = cells["paid"]
    assert isinstance(paid, RangeCells)
    cells["paid"] = RangeCells.of_ranges(paid.lo + 100_000, paid.hi + 100_000)
    result = audit_release(HISTORY, Release(release.schema, release.pseudonyms, cells), secret)
    assert result.verdict.outcome is Outcome.UNSAFE
    assert result.verdict.reasons[0].code == "release-order"


def test_a_history_of_which_one_owner_has_most_pseudonyms_protects_nobody() -> None:
    """Three of four equal histories are his: one of them is his with three in four."""
    release, _ = release_of(grouped(purchases(4), 4), random_names(purchases(4)))
    histories = consistency_graph(purchases(4), release).histories
    assert anonymity_level(histories, np.array([0, 0, 0, 1])) == 1
    assert anonymity_level(histories, np.array([0, 0, 1, 1])) == 2
    assert anonymity_level(histories, None) == 4


@pytest.mark.half_second
@pytest.mark.parametrize(("k", "subjects"), [(2, 12), (2, 26), (3, 12), (3, 15)])
def test_pseudonyms_in_the_order_of_ids_are_unsafe_with_the_secret_as_without(k: int, subjects: int) -> None:
    history = purchases(subjects)
    names = pl.Series("pseudonym", [str(500 + 3 * number) for number in range(subjects)])
    release, secret = release_of(grouped(history, k), names)
    assert _outcomes(history, release, secret) == ["unsafe", "unsafe"]
    figure = audit_release(history, release, secret).reidentified["release-order"]
    assert figure.share == pytest.approx(1.0)
    assert figure.observed == pytest.approx(1.0)


@pytest.mark.half_second
@pytest.mark.parametrize("method", ["k-concealment", "k-concealment-assignment", "swapping"])
def test_the_secret_never_makes_a_verdict_better(method: str) -> None:
    severity = ["safe", "not-shown-unsafe", "unsafe"]
    for number in range(3):
        made = anonymized(HISTORY, make_method(method), key=f"{number:02}" * 32)
        known, believed = (severity.index(outcome) for outcome in _outcomes(HISTORY, *made))
        assert known >= believed


@pytest.mark.half_second
def test_a_secret_with_a_seed_lowers_a_proof() -> None:
    release, secret = release_of(grouped(HISTORY, 2), random_names(HISTORY))
    seeded = Secret(owners_of(HISTORY, random_names(HISTORY)), secret.rows, seed=3)
    assert _outcomes(HISTORY, release, seeded) == ["not-shown-unsafe", "safe"]
