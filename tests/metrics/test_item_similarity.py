"""Cosine similarities of goods and their distance, against plain dense computation."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.metrics.item_similarity import (
    Scores,
    bought_scores,
    buyers_of_goods,
    item_similarities,
    popular_goods,
    restricted_scores,
    retail_scores,
    similarity_distance,
    total_quantities,
    wholesale_scores,
)

GOODS = 6
Record = tuple[int, int, int]
RECORDS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, GOODS - 1), st.integers(1, 40)), max_size=40)


def _totals(records: list[Record]) -> Scores:
    columns = np.array(records, dtype=np.int64).reshape(-1, 3).T
    return total_quantities(*columns)


def _cosines(scores: Scores) -> dict[tuple[int, int], float]:
    """Return the cosine of every pair with a common customer, pair by pair."""
    table: dict[int, dict[int, float]] = {goods: {} for goods in range(GOODS)}
    for customer, goods, score in zip(scores.customer, scores.goods, scores.score, strict=True):
        table[int(goods)][int(customer)] = float(score)
    found = {}
    for one, other in combinations(range(GOODS), 2):
        common = table[one].keys() & table[other].keys()
        if common:
            dot = sum(table[one][who] * table[other][who] for who in common)
            norms = [math.sqrt(sum(value**2 for value in table[goods].values())) for goods in (one, other)]
            found[one, other] = dot / (norms[0] * norms[1])
    return found


@pytest.mark.half_second
@settings(max_examples=examples(60))
@given(RECORDS, RECORDS)
@pytest.mark.parametrize("score", [wholesale_scores, retail_scores, bought_scores])
def test_distance_equals_the_definition(score, before: list[Record], after: list[Record]) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    first, second = score(_totals(before)), score(_totals(after))
    original, changed = _cosines(first), _cosines(second)
    distance = similarity_distance(item_similarities(first, GOODS), second)
    if not original:
        assert math.isnan(distance)
        return
    gaps = sum(abs(value - changed.get(pair, 0.0)) for pair, value in original.items())
    assert distance == pytest.approx(min(1.0, gaps / sum(original.values())), abs=1e-12)


@settings(max_examples=examples(60))
@given(RECORDS, st.permutations(range(5)))
def test_names_of_customers_do_not_matter(records: list[Record], names: list[int]) -> None:
    renamed = [(names[who], goods, amount) for who, goods, amount in records]
    reference = item_similarities(wholesale_scores(_totals(records)), GOODS)
    distance = similarity_distance(reference, wholesale_scores(_totals(renamed)))
    assert math.isnan(distance) or distance == 0.0


def test_totals_add_up_records_and_leave_out_negative_codes() -> None:
    totals = total_quantities([1, 0, 1, -1, 0], [2, 0, 2, 0, -1], [3, 4, 5, 6, 7])
    assert (totals.customer.tolist(), totals.goods.tolist(), totals.score.tolist()) == ([0, 1], [0, 2], [4.0, 8.0])


def test_scores_of_dozens_small_quantities_and_purchases() -> None:
    totals = total_quantities(np.zeros(5), np.arange(5), [11, 12, 35, 84, 1])
    assert wholesale_scores(totals).score.tolist() == [1.0, 2.0, 6.0]
    assert wholesale_scores(totals, cap=None).score.tolist() == [1.0, 2.0, 7.0]
    assert retail_scores(totals).goods.tolist() == [0, 4]
    assert bought_scores(totals).score.tolist() == [1.0] * 5


def test_popular_goods_break_ties_by_the_larger_code() -> None:
    totals = total_quantities([0, 1, 0, 1, 2], [3, 3, 0, 1, 1], np.ones(5))
    assert buyers_of_goods(totals, 5).tolist() == [1, 2, 0, 2, 0]
    assert popular_goods(totals, 5, 4).tolist() == [3, 1, 0, 4]


def test_restriction_ignores_other_and_unknown_goods() -> None:
    scores = Scores(np.array([0, 0, 1]), np.array([1, 9, 3]), np.ones(3))
    chosen = restricted_scores(scores, np.array([3, 1]), 5)
    assert (chosen.customer.tolist(), chosen.goods.tolist()) == ([0, 1], [0, 1])


def test_goods_outside_the_reference_are_ignored() -> None:
    before = total_quantities([0, 0], [0, 1], [1, 1])
    after = total_quantities([0, 0, 0], [0, 1, 7], [1, 1, 1])
    assert similarity_distance(item_similarities(before, 2), after) == 0.0


def test_an_empty_table_is_at_distance_one() -> None:
    before = total_quantities([0, 0], [0, 1], [1, 1])
    assert similarity_distance(item_similarities(before, 2), total_quantities([], [], [])) == 1.0
