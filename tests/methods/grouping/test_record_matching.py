"""Record matching: exact against scipy, chunk bounds, estimates."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linear_sum_assignment

from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.methods.grouping.alignment import align_groups
from tokumei.methods.grouping.costs import estimate_pairs, exact_matched
from tokumei.methods.grouping.record_matching import chunk_count
from tokumei.methods.grouping.record_table import RecordTable

SCHEMA = Schema("who", (Column(name="day", kind=Kind.NUMBER), Column(name="item", kind=Kind.CATEGORY)))


def make_history(counts: list[int], seed: int = 0, missing: float = 0.0) -> History:
    """Return random records with the given number of records per subject."""
    rng = np.random.default_rng(seed)
    total = sum(counts)
    who = np.repeat([f"s{i:03}" for i in range(len(counts))], counts)
    day = [None if rng.random() < missing else int(value) for value in rng.integers(0, 50, total)]
    item = rng.choice(list("abcdef"), total)
    return History.from_frame(pl.DataFrame({"who": who, "day": day, "item": item}), SCHEMA)


def brute_matched(history: History, first: int, second: int) -> float:
    """Return the cheapest matching by scipy on cell costs written out."""
    rows = [history.order[history.offsets[unit] : history.offsets[unit + 1]] for unit in (first, second)]
    shorter, longer = sorted(rows, key=len)
    spread = history.spread("day")
    lowest = np.iinfo(np.int64).min
    cost = np.zeros((len(shorter), len(longer)))
    for i, x in enumerate(shorter):
        for j, y in enumerate(longer):
            a, b = int(history.codes["day"][x]), int(history.codes["day"][y])
            if (a == lowest) != (b == lowest):
                cost[i, j] = 1
            elif a != lowest:
                cost[i, j] = min(abs(a - b) / spread, 2)
            cost[i, j] += history.codes["item"][x] != history.codes["item"][y]
    lines, columns = linear_sum_assignment(cost)
    return float(cost[lines, columns].sum())


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_pair_costs_equal_scipy(missing: float) -> None:
    """Exact costs are those of the assignment on the written-out cell costs."""
    history = make_history([1, 4, 9, 13, 30], seed=3, missing=missing)
    table = RecordTable.from_history(history)
    first, second = np.triu_indices(5, 1)
    exact = exact_matched(table, first, second, limit=1000, threads=2)
    wanted = [brute_matched(history, int(a), int(b)) for a, b in zip(first, second, strict=True)]
    assert exact == pytest.approx(wanted)


def test_group_of_two_costs_what_the_pair_costs() -> None:
    """The joint alignment of two members is the pair matching."""
    table = RecordTable.from_history(make_history([5, 8, 12], seed=5, missing=0.1))
    pairs = exact_matched(table, np.array([0, 1]), np.array([1, 2]), limit=1000)
    costs, _ = align_groups(table, np.array([0, 1, 1, 2]), np.array([0, 2, 4]), limit=1000)
    assert costs == pytest.approx(pairs)


@pytest.mark.parametrize("limit", [1, 2, 5, 50])
@pytest.mark.parametrize("sizes", [(7, 8), (10, 11), (13, 100), (1, 50), (20, 20)])
def test_chunks_never_have_more_rows_than_columns(limit: int, sizes: tuple[int, int]) -> None:
    """Chunk bounds keep step, so that chunked costs exist and are at least the exact ones."""
    table = RecordTable.from_history(make_history(list(sizes), seed=limit))
    one, two = np.array([0]), np.array([1])
    chunked = exact_matched(table, one, two, limit=limit)
    assert chunked[0] >= exact_matched(table, one, two, limit=1000)[0] - 1e-9
    assert chunk_count(*sizes, limit) >= 1
    _, aligned = align_groups(table, np.array([0, 1]), np.array([0, 2]), limit=limit, keep=True)
    assert len(set(aligned.tolist())) == len(aligned) == 2 * sizes[0]


def test_estimate_is_a_lower_bound_without_suppression() -> None:
    """Field by field matching cannot cost more than joint matching, while no cell is far enough to suppress."""
    table = RecordTable.from_history(make_history([3, 5, 8, 20, 21, 40], seed=9))
    estimate = estimate_pairs(table, threads=2)
    first, second = np.triu_indices(6, 1)
    exact = exact_matched(table, first, second, limit=1000)
    assert (estimate[first, second] <= exact + 1e-3).mean() > 0.8
    assert (estimate == estimate.T).all()
    assert (estimate == estimate_pairs(table, threads=1)).all()
