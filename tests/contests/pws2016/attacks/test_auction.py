"""Assignment by auction against scipy."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from tokumei.contests.pws2016.attacks.auction import auction, match_customers


@given(st.integers(1, 12), st.integers(0, 6), st.integers(1, 1000), st.integers(0, 2**32 - 1))
def test_the_sum_is_that_of_scipy(rows: int, surplus: int, levels: int, seed: int) -> None:
    """Also with ties (few levels) and with more columns than rows."""
    cost = np.random.default_rng(seed).integers(0, levels, (rows, rows + surplus)).astype(np.float64) / 100
    columns = auction(cost)
    assert len(set(columns.tolist())) == rows
    row, best = linear_sum_assignment(cost)
    assert cost[np.arange(rows), columns].sum() == pytest.approx(cost[row, best].sum(), abs=1e-9)


def test_no_rows_need_no_columns() -> None:
    assert auction(np.empty((0, 3))).tolist() == []


def test_more_rows_than_columns_are_refused() -> None:
    with pytest.raises(ValueError, match="at least as many columns as rows, got 3 rows and 2 columns"):
        auction(np.zeros((3, 2)))


@given(st.integers(0, 2**32 - 1))
def test_guesses_do_not_depend_on_the_order_of_the_files(seed: int) -> None:
    """Even where many answers are equally good."""
    rng = np.random.default_rng(seed)
    cost = rng.integers(0, 2, (5, 6)).astype(np.float32)
    old = pl.Series([f"c{number}" for number in range(6)])
    new = pl.Series([f"p{number}" for number in range(5)])
    rows, columns = rng.permutation(5), rng.permutation(6)
    straight = match_customers(cost, old, new)
    mixed = match_customers(cost[np.ix_(rows, columns)], old.gather(columns), new.gather(rows))
    assert columns[mixed].tolist() == straight[rows].tolist()
