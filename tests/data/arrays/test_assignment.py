"""The assignment kernel against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from tests.effort import examples
from tokumei.data.arrays.assignment import assign


@settings(max_examples=examples(150))
@given(rows=st.integers(0, 9), more=st.integers(0, 6), levels=st.integers(1, 6), seed=st.integers(0, 10**6))
def test_cost_and_prices_are_optimal(rows: int, more: int, levels: int, seed: int) -> None:
    """The cost equals scipy's, and the prices prove it, with many ties too."""
    cost = np.random.default_rng(seed).integers(0, levels, (rows, max(rows + more, 1))).astype(float) / 3
    result = assign(cost)
    lines, columns = linear_sum_assignment(cost)
    assert result.cost == pytest.approx(cost[lines, columns].sum())
    assert len(set(result.columns.tolist())) == rows
    assert (cost - result.row_prices[:, None] - result.column_prices >= -1e-9).all()
    assert (result.column_prices <= 1e-12).all()
    assert result.row_prices.sum() + result.column_prices.sum() == pytest.approx(result.cost)


def test_more_rows_than_columns_are_refused() -> None:
    """Rows must not outnumber columns."""
    with pytest.raises(ValueError, match="at least as many columns as rows, got 2 rows and 1 columns"):
        assign(np.zeros((2, 1)))
