"""The floor of strict k-anonymity: equal to the assignment at exact costs, and never above a real release."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linear_sum_assignment

from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.methods.grouping.bounds import lower_pair_costs, strict_bound
from tokumei.methods.grouping.candidates import FORBIDDEN
from tokumei.methods.grouping.costs import exact_matched, surplus_costs
from tokumei.methods.grouping.record_table import RecordTable

SCHEMA = Schema("who", (Column(name="paid", kind=Kind.NUMBER), Column(name="item", kind=Kind.CATEGORY)))


def make_history(seed: int, subjects: int = 25) -> History:
    """Return records with outliers, so that suppression matters."""
    rng = np.random.default_rng(seed)
    who = np.repeat([f"s{i:02}" for i in range(subjects)], rng.integers(1, 15, subjects))
    paid = np.round(np.exp(rng.normal(3, 1.5, len(who)))).astype(int)
    return History.from_frame(
        pl.DataFrame({"who": who, "paid": paid, "item": rng.choice(list("abcd"), len(who))}), SCHEMA
    )


@pytest.mark.half_second
@pytest.mark.parametrize("seed", range(4))
def test_bound_is_the_assignment_at_exact_costs(seed: int) -> None:
    """Lazy exact costs end at the same value as exact costs for all pairs, and pair bounds are below exact costs."""
    history = make_history(seed)
    table = RecordTable.from_history(history)
    first, second = np.triu_indices(len(table), 1)
    exact = exact_matched(table, first, second, limit=1000)
    assert (lower_pair_costs(table)[first, second] <= exact + 1e-9).all()
    cost = np.full((len(table), len(table)), FORBIDDEN)
    cost[first, second] = cost[second, first] = exact + surplus_costs(table, first, second)
    lines, columns = linear_sum_assignment(cost)
    score = strict_bound(history)
    assert score.value == pytest.approx(cost[lines, columns].sum() / 2 / (2 * len(history)))
    assert score.warnings == ()
