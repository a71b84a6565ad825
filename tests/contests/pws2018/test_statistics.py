"""Statistics of columns, Pearson's r and its critical value."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tokumei.contests.pws2018.sampling import PlainRows
from tokumei.contests.pws2018.statistics import (
    STATISTICS,
    column_statistics,
    critical_correlation,
    pearson_correlation,
    rows_statistics,
)


def test_statistics_of_four_values_by_hand() -> None:
    assert column_statistics([1, 2, 3, 10]) == {
        "sum": 16.0,
        "mean": 4.0,
        "variance": 12.5,
        "sd": math.sqrt(12.5),
        "max": 10.0,
        "min": 1.0,
        "median": 2.5,
    }


def test_sample_variance_is_selectable() -> None:
    assert column_statistics([1, 2, 3, 10], ddof=1)["variance"] == pytest.approx(50 / 3)
    assert math.isnan(column_statistics([7], ddof=1)["variance"])


def test_nothing_sums_to_zero_and_has_no_mean() -> None:
    figures = column_statistics([])
    assert figures["sum"] == 0.0
    assert all(math.isnan(figures[name]) for name in STATISTICS[1:])


def test_dates_count_from_the_first_of_january_2010() -> None:
    one = np.array([0])
    rows = PlainRows(one, np.array([14610 + 334]), one, np.array([250]), np.array([3]), np.array([True]))
    figures = rows_statistics(rows)
    assert [figures[name]["mean"] for name in ("date", "price", "quantity")] == [334.0, 250.0, 3.0]


def test_pearson_by_hand() -> None:
    assert pearson_correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1.0)
    assert pearson_correlation([1, 2, 3], [1, 0, 1]) == pytest.approx(0.0)
    assert math.isnan(pearson_correlation([1, 2, 3], [5, 5, 5]))


def test_critical_value_of_thirteen_teams() -> None:
    """Spec B.10.5: df 11, t = 2.201."""
    assert critical_correlation(13) == pytest.approx(0.5529, abs=5e-5)
    assert math.isnan(critical_correlation(2))
