"""Frequent item sets against an enumeration of all subsets."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.contests.pws2018 import frequent_sets as module
from tokumei.contests.pws2018.frequent_sets import frequent_sets, shared_sets

RECORDS = st.lists(st.tuples(st.integers(0, 90), st.integers(0, 6)), max_size=150)


def _every_set(records: list[tuple[int, int]], min_support: int) -> set[tuple[int, ...]]:
    baskets: defaultdict[int, set[int]] = defaultdict(set)
    for basket, goods in records:
        baskets[basket].add(goods)
    support: Counter[tuple[int, ...]] = Counter()
    for held in baskets.values():
        for size in range(1, len(held) + 1):
            support.update(combinations(sorted(held), size))
    return {one for one, count in support.items() if count >= min_support}


def _found(records: list[tuple[int, int]], min_support: int, max_size: int | None = None) -> list[tuple[int, ...]]:
    columns = np.array(records, dtype=np.int64).reshape(-1, 2).T
    levels = frequent_sets(*columns, min_support=min_support, max_size=max_size)
    return [tuple(row) for level in levels for row in level.tolist()]


@settings(max_examples=examples(60))
@given(RECORDS, st.integers(1, 6))
def test_all_and_only_the_frequent_sets_are_found(records: list[tuple[int, int]], min_support: int) -> None:
    found = _found(records, min_support)
    assert len(found) == len(set(found))
    assert set(found) == _every_set(records, min_support)


@settings(max_examples=examples(60))
@given(RECORDS, RECORDS)
def test_shared_sets_are_the_intersection(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    levels = [frequent_sets(*np.array(table, dtype=np.int64).reshape(-1, 2).T, min_support=2) for table in (one, other)]
    assert shared_sets(*levels) == len(_every_set(one, 2) & _every_set(other, 2))


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    records = list(zip(rng.integers(0, 70, 600).tolist(), rng.integers(0, 12, 600).tolist(), strict=True))
    whole = _found(records, 5)
    monkeypatch.setattr(module, "_BLOCK", 3)
    monkeypatch.setattr(module, "_ROWS", 2)
    assert _found(records, 5) == whole
    assert max(len(one) for one in whole) > 2


def test_size_can_be_limited() -> None:
    records = [(basket, goods) for basket in range(3) for goods in range(4)]
    assert {len(one) for one in _found(records, 3, max_size=2)} == {1, 2}
    assert len(_found(records, 3)) == 15


def test_nothing_is_frequent_in_an_empty_table() -> None:
    assert frequent_sets([], [], min_support=1) == []
