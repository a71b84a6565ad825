"""The quick audit of very many pseudonyms: equal histories prove k, or the whole graph is looked at after all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from tests.leaky_releases import purchases
from tokumei.audits import audit, equal_histories
from tokumei.audits.audit import audit_release
from tokumei.audits.equal_histories import audit_equal_histories
from tokumei.audits.naming import naming_answer
from tokumei.data.cells import RangeCells
from tokumei.data.columns import Column
from tokumei.data.history import History, Release, Secret
from tokumei.data.results import Outcome
from tokumei.data.schema import Schema
from tokumei.flow import make_method
from tokumei.flow.making import anonymized

HISTORY = purchases(24)


def made(k: int = 3) -> tuple[Release, Secret]:
    return anonymized(HISTORY, make_method("k-anonymity", {"k": k, "effort": "fast"}), key="3a" * 32)


@pytest.mark.half_second
def test_equal_histories_alone_prove_what_the_whole_quick_audit_proves(monkeypatch: pytest.MonkeyPatch) -> None:
    release, secret = made()
    whole = audit_release(HISTORY, release, secret, k=3, thorough=False)
    monkeypatch.setattr(audit, "MOST_LOOKED_FOR", 10)
    counted = audit_release(HISTORY, release, secret, k=3, thorough=False)
    assert counted.verdict.outcome is whole.verdict.outcome is Outcome.SAFE
    assert counted.proven_k == whole.proven_k == counted.min_candidates
    assert counted.verdict.reasons == whole.verdict.reasons
    assert (counted.subjects, counted.pseudonyms, counted.with_secret) == (24, 24, True)
    assert counted.mean_candidates is None
    assert [reason.code for reason in counted.verdict.skipped] == ["candidates-not-counted", "cheap-part"]
    assert counted.verdict.skipped[0].sentence.startswith(
        "candidates beyond those of equal histories, and posteriors: equal histories were counted for all 24 pseudonyms"
    )
    # A whole audit looks at everything, whatever the size.
    assert audit_release(HISTORY, release, secret, k=3).mean_candidates is not None
    seeded = audit_release(HISTORY, release, replace(secret, seed=7), k=3, thorough=False)
    assert seeded.verdict.outcome is Outcome.NOT_SHOWN_UNSAFE
    assert seeded.verdict.reasons[0].code == "seed"


def test_a_quick_audit_of_very_many_pairs_that_fit_is_content_with_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    release, secret = made()
    monkeypatch.setattr(audit, "MOST_LINKS", 10)
    counted = audit_release(HISTORY, release, secret, k=3, quick=True)
    assert (counted.verdict.outcome, counted.proven_k, counted.mean_candidates) == (Outcome.SAFE, 3, None)
    figure = naming_answer(counted).figure
    assert figure is not None
    assert figure.value == pytest.approx(1 / 3)
    assert counted.verdict.skipped[0].code == "candidates-not-counted"
    assert audit_release(HISTORY, release, secret, k=3).mean_candidates is not None
    assert audit_release(HISTORY, release, None, k=3, quick=True).mean_candidates is not None


def test_what_equal_histories_do_not_prove_is_left_to_the_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    release, secret = made()
    assert audit_equal_histories(HISTORY, release, secret, k=3) is not None
    assert audit_equal_histories(HISTORY, release, secret, k=13) is None
    paid = release.cells["paid"]
    assert isinstance(paid, RangeCells)
    moved = RangeCells.of_ranges(paid.lo + 10**6, paid.hi + 10**6, suppressed=paid.suppressed)
    changed = replace(release, cells={**release.cells, "paid": moved})
    assert audit_equal_histories(HISTORY, changed, secret, k=3) is None
    repeated = replace(secret, rows=np.full_like(secret.rows, secret.rows[0]))
    for rows in (secret.rows[1:], repeated.rows, np.where(np.arange(len(release)) == 0, -1, secret.rows)):
        assert audit_equal_histories(HISTORY, release, replace(secret, rows=rows), k=3) is None
    monkeypatch.setattr(audit, "MOST_LOOKED_FOR", 10)
    assert audit_release(HISTORY, changed, secret, k=3, thorough=False).contradicts_original


def test_somebody_with_two_pseudonyms_is_left_to_the_graph() -> None:
    """Two names of one owner are no two candidates."""
    schema = Schema("who", (Column(name="goods"),))
    assert equal_histories.MOST_LOOKED_FOR == 200_000
    history = History.from_frame(pl.DataFrame({"who": ["a", "a", "b", "b"], "goods": ["x"] * 4}), schema)
    names = pl.Series("pseudonym", ["1", "2", "3", "4"])
    release = Release(schema, names, {"goods": history.cells("goods")}, "k-anonymity")
    owners = pl.DataFrame({"pseudonym": names, "subject": ["a", "a", "b", "b"]})
    assert audit_equal_histories(history, release, Secret(owners, np.arange(4)), k=2) is None


def named_by(name: Callable[[int], str], people: int = 24) -> tuple[History, Release, Secret]:
    """Return a release of people who are all alike, whose pseudonyms are computed from their number."""
    schema = Schema("who", (Column(name="goods"),))
    ids = [f"c{number:05d}" for number in range(people)]
    history = History.from_frame(pl.DataFrame({"who": ids, "goods": ["x"] * people}), schema)
    names = pl.Series("pseudonym", [name(number) for number in range(people)])
    owners = pl.DataFrame({"pseudonym": names, "subject": ids})
    rows = names.arg_sort().to_numpy().astype(np.int64)
    release = Release(schema, names.gather(rows), {"goods": history.cells("goods").take(rows)}, "k-anonymity")
    return history, release, Secret(owners, rows)


@pytest.mark.parametrize(
    "name",
    [
        lambda number: str(number + 107),
        lambda number: str((number * 7_919_777 + 13) % 999_999_937),
        lambda number: str(int(hashlib.sha256(f"c{number:05d}".encode()).hexdigest(), 16) % 10**9),
    ],
)
def test_a_quick_audit_that_has_a_proof_still_computes_pseudonyms(
    name: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal histories prove nothing about names that somebody can compute from the ids."""
    monkeypatch.setattr(audit, "MOST_LINKS", 10)
    history, release, secret = named_by(name)
    found = audit_release(history, release, secret, k=3, quick=True)
    assert found.verdict.outcome is Outcome.UNSAFE
    assert max(figure.share for figure in found.reidentified.values()) == 1.0
    numbers = np.random.default_rng(5).choice(10**8, size=24, replace=False)
    drawn = audit_release(*named_by(lambda number: str(numbers[number] + 1)), k=3, quick=True)
    assert drawn.verdict.outcome is Outcome.SAFE


def test_digests_of_ids_are_seen_where_everybody_fits_everybody() -> None:
    """Without the Secret, and with data that refute no rule, names still show that they were computed."""
    history, release, _ = named_by(
        lambda number: str(int(hashlib.blake2b(f"c{number:05d}".encode()).hexdigest(), 16) % 10**9)
    )
    assert audit_release(history, release, None, k=3).verdict.outcome is Outcome.UNSAFE
    numbers = np.random.default_rng(5).permutation(24)
    for name in (lambda number: str(numbers[number] + 1), lambda number: str(numbers[number] * 10**7 + 77)):
        shuffled, published, secret = named_by(name)
        assert audit_release(shuffled, published, secret, k=3).verdict.outcome is not Outcome.UNSAFE
