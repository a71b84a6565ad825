"""The error of a generalized cell against the expectation, summed over its grid."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.data.cell_error import cell_errors, expected_errors, range_errors, set_errors
from tokumei.data.cells import MISSING, RangeCells, SetCells

DICTIONARY = pl.Series("goods", ["a", "b", "c", "d"])
values = st.integers(-50, 50)
spreads = st.floats(0.1, 100)


def expectation(value: int, low: int, high: int, spread: float) -> float:
    """Return the mean distance of the value from every point of the grid, in units of the spread."""
    return sum(abs(value - point) for point in range(low, high + 1)) / (high - low + 1) / spread


@given(values, st.integers(0, 30), st.integers(0, 30), spreads)
def test_a_range_that_holds_the_value_costs_its_expected_distance(
    value: int, below: int, above: int, spread: float
) -> None:
    error = range_errors(np.array([value]), np.array([value - below]), np.array([value + above]), spread)
    assert error[0] == pytest.approx(expectation(value, value - below, value + above, spread), rel=1e-12)


@given(st.lists(st.tuples(values, values, st.integers(0, 30)), min_size=1, max_size=6), spreads)
def test_the_expected_error_holds_for_ranges_that_miss_the_value_too(
    cells: list[tuple[int, int, int]], spread: float
) -> None:
    value, low, width = np.array(cells).T
    error = expected_errors(value, low, low + width, spread)
    assert error.tolist() == pytest.approx([expectation(x, lo, lo + w, spread) for x, lo, w in cells], rel=1e-12)


@given(st.lists(st.tuples(st.integers(0, 3), st.frozensets(st.integers(0, 3), min_size=1)), min_size=1, max_size=6))
def test_a_set_costs_the_chance_of_drawing_another_element(cells: list[tuple[int, frozenset[int]]]) -> None:
    value = np.array([value for value, _ in cells])
    column = SetCells.of_sets([[DICTIONARY[code] for code in one] for _, one in cells], DICTIONARY)
    expected = [sum(code != x for code in one) / len(one) for x, one in cells]
    assert cell_errors(value, column, 0.0).tolist() == pytest.approx(expected)


def test_set_errors_grow_to_one() -> None:
    assert set_errors(np.array([1, 2, 4])).tolist() == [0.0, 0.5, 0.75]


def test_suppression_costs_one_and_a_value_that_was_missing_nothing() -> None:
    cells = RangeCells.of_ranges([0, 3, 0], [0, 9, 0], suppressed=[True, False, True])
    assert cell_errors(np.array([5, MISSING, MISSING]), cells, 2.0).tolist() == [1.0, 0.0, 0.0]
    goods = SetCells.of_sets([None, ["a"]], DICTIONARY)
    assert cell_errors(np.array([1, 1]), goods, 0.0).tolist() == [1.0, 1.0]


def test_in_a_constant_column_everything_but_the_value_costs_one() -> None:
    """Spec F-B5: there is no standard deviation to divide by."""
    cells = RangeCells.of_ranges([5, 4, 6], [5, 5, 6])
    assert cell_errors(np.array([5, 5, 5]), cells, 0.0).tolist() == [0.0, 1.0, 1.0]
