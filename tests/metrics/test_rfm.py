"""The RFM table against the worked example of the specification and a plain loop."""

from __future__ import annotations

from collections import defaultdict
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.metrics.rfm import rfm_distance, rfm_ranks, rfm_table


def _day(year: int, month: int, day: int) -> int:
    return (date(year, month, day) - date(1970, 1, 1)).days


def test_ranks_of_the_worked_example() -> None:
    """Spec A.3.3: three customers of the 2016 paper."""
    days = [_day(2011, 4, 28), _day(2011, 2, 25), _day(2011, 5, 23)]
    assert rfm_ranks(days, [2, 1, 1], [67_80, 43_20, 99_90]).tolist() == [110, 0, 100]


@pytest.mark.parametrize(
    ("day", "invoices", "pence", "cell"),
    [
        (_day(2011, 3, 26), 1, 199_99, 0),
        (_day(2011, 3, 27), 2, 200_00, 111),
        (_day(2011, 12, 4), 10, 3700_00, 999),
        (_day(2011, 12, 3), 9, 3699_99, 888),
    ],
)
def test_a_threshold_that_is_met_counts(day: int, invoices: int, pence: int, cell: int) -> None:
    assert int(rfm_ranks(day, invoices, pence)) == cell


def test_deleting_a_customer_gives_the_stated_rmse() -> None:
    """Spec A.3.3: one customer less is an RMSE of sqrt(1 / 1000)."""
    days = [_day(2011, 4, 28), _day(2011, 2, 25), _day(2011, 5, 23)]
    whole = rfm_table([0, 1, 2], days, [0, 1, 2], [67_80, 43_20, 99_90])
    without = rfm_table([0, 1], days[:2], [0, 1], [67_80, 43_20])
    assert rfm_distance(whole, without) / np.sqrt(1000) == pytest.approx(0.0316228, abs=5e-8)


RECORDS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(14950, 15350), st.integers(0, 3), st.integers(1, 200_000)), max_size=40
)


@settings(max_examples=examples(60))
@given(RECORDS)
def test_table_equals_a_loop_over_customers(records: list[tuple[int, int, int, int]]) -> None:
    customers = defaultdict(list)
    for who, *rest in records:
        customers[who].append(rest)
    expected = np.zeros(1000, dtype=np.int64)
    for rows in customers.values():
        days, bills, paid = zip(*rows, strict=True)
        expected[rfm_ranks(max(days), len(set(bills)), sum(paid))] += 1
    columns = np.array(records, dtype=np.int64).reshape(-1, 4).T
    assert rfm_table(*columns).tolist() == expected.tolist()
