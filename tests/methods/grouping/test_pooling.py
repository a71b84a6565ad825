"""Pooled surplus: every record once, none added, no single link above 1/k, exactly when nobody has more than 1/k."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from itertools import permutations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.errors import InfeasibleError
from tokumei.flow import audit, plan_of, release
from tokumei.methods.grouping import merging
from tokumei.methods.grouping.merging import Merged
from tokumei.methods.grouping.pooling import pool_rest
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.k_anonymity import KAnonymity

RNG = np.random.default_rng
SCHEMA = Schema("who", (Column(name="day", kind=Kind.NUMBER), Column(name="item", kind=Kind.CATEGORY)))


def history_of(counts: list[int], seed: int = 0) -> History:
    rng = RNG(seed)
    who = np.repeat([f"s{number:02}" for number in range(len(counts))], counts)
    frame = pl.DataFrame({"who": who, "day": rng.integers(0, 40, len(who)), "item": rng.choice(list("abc"), len(who))})
    return History.from_frame(frame, SCHEMA)


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.integers(1, 12), min_size=2, max_size=12), st.integers(2, 4), st.integers(0, 9))
def test_all_records_are_published_if_nobody_has_more_than_the_share(counts: list[int], k: int, seed: int) -> None:
    """Every record stands once, in a class of k pseudonyms of different people with the same rows; or it is refused."""
    history = history_of(counts, seed)
    method = KAnonymity(k=k, surplus="pooled", effort="fast")
    if len(counts) < k or max(counts) * k > sum(counts):
        with pytest.raises(InfeasibleError):
            method.anonymize(history, rng=RNG(seed))
        return
    published, secret = method.anonymize(history, rng=RNG(seed))
    assert sorted(secret.rows.tolist()) == list(range(len(history)))
    for spec in history.schema.fields:
        assert published.cells[spec.name].contains(history.codes[spec.name][secret.rows]).all()
    owner = dict(secret.owners.iter_rows())
    assert set(owner) == set(published.pseudonyms)
    shown: dict[str, list[str]] = defaultdict(list)
    for name, *cells in published.text().iter_rows():
        shown[name].append("|".join(cells))
    crowds: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, lines in shown.items():
        crowds[tuple(sorted(lines))].add(owner[name])
    assert min(len(people) for people in crowds.values()) >= k


@cache
def can_be_divided(counts: tuple[int, ...], k: int) -> bool:
    """Search exhaustively for classes of k or more records of different subjects that use up all records."""
    left = [subject for subject, count in enumerate(counts) if count]
    if not left:
        return True
    if len(left) < k:
        return False
    # The first subject with records must be in some class: try all.
    for chosen in product((False, True), repeat=len(left) - 1):
        members = [left[0], *(subject for subject, taken in zip(left[1:], chosen, strict=True) if taken)]
        if len(members) < k:
            continue
        rest = tuple(count - (subject in members) for subject, count in enumerate(counts))
        if can_be_divided(tuple(sorted(rest)), k):
            return True
    return False


@pytest.mark.parametrize("k", [2, 3])
def test_exhaustive_search_finds_classes_exactly_where_the_proof_does(k: int) -> None:
    for counts in product(range(6), repeat=4):
        if sum(counts) and tuple(sorted(counts)) == counts:
            assert can_be_divided(counts, k) == (max(counts) * k <= sum(counts)), counts


@pytest.mark.half_second
@pytest.mark.parametrize(("counts", "k"), [([2, 1, 1, 1], 2), ([2, 1, 1], 2)])
def test_no_link_is_above_one_in_k_over_all_draws(counts: list[int], k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over all ways to give out the pseudonyms: among those that publish the same, everybody owns each 1 in k times."""
    history = history_of(counts, 5)
    merged = KAnonymity(k=k, surplus="pooled", effort="fast")._merged(RecordTable.from_history(history))
    names = len(merged.owner)
    assert 4 <= names <= 5
    drawn: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    ways: Counter[str] = Counter()
    for order in permutations(range(1, names + 1)):
        texts = pl.Series("pseudonym", [str(number) for number in order])
        monkeypatch.setattr(merging, "draw_pseudonyms", lambda *_, texts=texts, **__: texts)
        published, secret = merging.to_release(history, merged, method="k-anonymity", rng=RNG(1))
        seen = published.text().sort(pl.all()).write_csv()
        ways[seen] += 1
        drawn[seen].update(secret.owners.iter_rows())
    assert max(Fraction(hits, ways[seen]) for seen, links in drawn.items() for hits in links.values()) <= Fraction(1, k)


def test_lines_are_taken_back_for_a_subject_that_is_left_over_alone() -> None:
    """Two people are published alike; the three records of a third need partners: two lines give theirs."""
    history = history_of([2, 2, 2], 1)
    table = RecordTable.from_history(history)
    rows = np.array([0, 2, 1, 3])
    merged = Merged(rows, np.array([0, 2]), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), rows, *[np.arange(2)] * 2)
    pooled = pool_rest(table, merged, 2)
    assert sorted(pooled.source.tolist()) == list(range(6))
    sizes = np.diff(np.append(pooled.starts, len(pooled.rows)))
    assert sizes.tolist() == [2, 2, 2]
    people = history.subject[pooled.rows].reshape(3, 2)
    assert (people[:, 0] != people[:, 1]).all()


def test_one_person_with_most_records_is_refused_with_the_reason() -> None:
    with pytest.raises(InfeasibleError, match="one subject has 6 of 10 records, more than 1/2 of them: no method can"):
        KAnonymity(k=2, surplus="pooled").anonymize(history_of([6, 2, 2]), rng=RNG(0))


@pytest.mark.half_second
def test_the_audit_finds_one_in_k() -> None:
    made = release(history_of([9, 7, 5, 3, 2, 2, 1, 1], 3), plan_of("k-anonymity", {"surplus": "pooled"}, k=2, seed=1))
    result = audit(made)
    assert result.verdict.outcome.value != "unsafe"
    assert result.min_candidates == 2
    assert result.max_posterior == pytest.approx(0.5)
