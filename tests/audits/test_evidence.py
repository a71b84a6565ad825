"""The tables behind an audit: what they count, whom they name first, and that they stay out of the plain figures."""

from __future__ import annotations

import json

import polars as pl
import pytest

from tests.leaky_releases import grouped, purchases, random_names, release_of
from tokumei.audits.audit import audit_release
from tokumei.audits.evidence import candidate_counts, evidence_as_dict, posterior_counts, worst_protected
from tokumei.data.results import Evidence

TABLE = pl.DataFrame(
    {
        "pseudonym": ["b", "a", "c", "d"],
        "records": [2, 1, 4, 3],
        "alike": [1, 1, 2, 2],
        "candidates": [3, 2, 2, 2],
        "posterior": [0.5, 0.5, 1.0, 0.0],
    }
)


def test_histograms_count_every_pseudonym_once() -> None:
    assert posterior_counts(TABLE, bins=2).rows() == [(0.0, 0.5, 3), (0.5, 1.0, 1)]
    assert candidate_counts(TABLE).rows() == [(2, 3), (3, 1)]


@pytest.mark.parametrize("k", [2, 3, 5, 7, 40])
def test_who_keeps_the_promise_exactly_is_counted_below_the_line(k: int) -> None:
    """The report draws the line at 1/k: a bar across it would show broken promises where there are none."""
    posteriors = [1 / k, 1 - (k - 1) / k, 1 / k - 0.01, 1 / k + 0.001, 1.0, 0.0]
    bars = posterior_counts(pl.DataFrame({"posterior": posteriors}), k=k)
    assert bars["from"][1:].to_list() == bars["to"][:-1].to_list()
    assert (bars["from"][0], bars["to"][-1], bars.height) == (0.0, 1.0, 20)
    assert bars.filter(pl.col("to") <= 1 / k + 1e-12)["pseudonyms"].sum() == 4
    assert bars.filter(pl.col("from") >= 1 / k - 1e-12)["pseudonyms"].sum() == 2


def test_the_surest_come_first_then_those_with_fewer_candidates() -> None:
    assert worst_protected(TABLE)["pseudonym"].to_list() == ["c", "a", "b", "d"]
    assert worst_protected(TABLE, shown=1).height == 1


@pytest.mark.half_second
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("thorough", [True, False])
def test_an_audit_carries_a_row_per_pseudonym(k: int, thorough: bool) -> None:  # noqa: FBT001
    history = purchases()
    release, secret = release_of(grouped(history, k), random_names(history))
    result = audit_release(history, release, secret, thorough=thorough)
    table = result.evidence.tables["pseudonyms"]
    assert table["pseudonym"].to_list() == sorted(release.pseudonyms.unique().to_list())
    assert table["records"].sum() == len(release)
    assert (table["candidates"].min(), table["alike"].min()) == (k, k)
    assert table["posterior"].max() == pytest.approx(result.max_posterior)
    assert "evidence" not in result.as_dict()
    shown = json.loads(json.dumps(evidence_as_dict(result.evidence)))
    assert sum(row["pseudonyms"] for row in shown["posteriors"]) == len(table)
    assert not any(subject in json.dumps(shown) for subject in history.subjects.to_list())


def test_no_evidence_is_an_empty_document() -> None:
    assert evidence_as_dict(Evidence()) == {}
