"""Membership: the curve, its area and the hits at few false alarms against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.audits.ladder import mean_score
from tokumei.audits.membership import membership_curve, membership_scores

SCORES = st.lists(st.integers(0, 6), min_size=1, max_size=12)


@given(SCORES, SCORES)
def test_area_and_curve_agree_with_counting_all_pairs(inside: list[int], outside: list[int]) -> None:
    auc, _ = membership_scores(np.array(inside, dtype=float), np.array(outside, dtype=float))
    wins = [1.0 if one > other else 0.5 if one == other else 0.0 for one in inside for other in outside]
    assert auc.value == pytest.approx(sum(wins) / len(wins))
    curve = membership_curve(np.array(inside, dtype=float), np.array(outside, dtype=float))
    for rate, hits in curve.iter_rows():
        limits = [limit for limit in range(8) if sum(one >= limit for one in outside) / len(outside) <= rate]
        assert hits == pytest.approx(max(sum(one >= limit for one in inside) for limit in limits) / len(inside))


def test_hits_at_few_false_alarms_by_hand() -> None:
    """Two of four members lie above everybody outside: half are caught without a false alarm."""
    auc, tpr = membership_scores(np.array([9.0, 8.0, 2.0, 1.0]), np.array([3.0, 2.0, 1.0, 0.0]))
    assert (tpr.value, tpr.baseline) == (0.5, 0.01)
    assert auc.value == pytest.approx((4 + 4 + 2.5 + 1.5) / 16)
    assert auc.interval is not None
    assert auc.interval.low < auc.value < auc.interval.high


def test_chance_is_within_the_interval_on_random_scores() -> None:
    rng = np.random.default_rng(4)
    auc, tpr = membership_scores(rng.random(2_000), rng.random(2_000))
    for score in (auc, tpr):
        assert score.interval is not None
        assert score.baseline is not None
        assert score.interval.low < score.baseline < score.interval.high


def test_the_interval_of_a_share_is_that_of_wilson() -> None:
    """8 of 10: Wilson (1927) gives 0.490 to 0.943; without any value nothing is known."""
    score = mean_score("x", np.array([1.0] * 8 + [0.0] * 2), np.array([0.25, 0.75]))
    assert score.interval is not None
    assert (score.value, score.baseline) == (0.8, 0.5)
    assert [score.interval.low, score.interval.high] == pytest.approx([0.490, 0.943], abs=1e-3)
    unknown = mean_score("x", np.array([np.nan]))
    assert unknown.interval is not None
    assert (unknown.value, unknown.interval.low, unknown.interval.high) == (0.0, 0.0, 1.0)
