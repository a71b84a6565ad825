"""The solver for plain tables against brute force on tiny ones, and on tables with nothing in them to go by."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from tokumei.array_types import Ints
from tokumei.data.columns import Column, Kind
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.errors import InfeasibleError
from tokumei.methods.grouping.columns import ColumnPlan, generate_columns
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.k_members import grow_pool, nearest_records
from tokumei.methods.grouping.losses import Loss, LossName
from tokumei.methods.grouping.plain_tables import SinglePlan, group_singles
from tokumei.methods.grouping.pricing import can_be_bounded, price_groups
from tokumei.methods.grouping.record_pools import fill_pool, make_pool
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.single_records import Records, members_cost, records_of
from tokumei.methods.grouping.table_bounds import BoundPlan, table_bound
from tokumei.methods.k_anonymity import KAnonymity
from tokumei.metrics.certainty_penalty import CertaintyPenalty

LOSSES = [name.value for name in LossName if name is not LossName.AUTO]
BOUNDED = [name for name in LOSSES if name != "cell-error"]
FIELDS = (Column(name="age", kind=Kind.NUMBER), Column(name="job"), Column(name="sex"))
WEIGHT = Column(name="w", kind=Kind.NUMBER, step=0.5, weight=True)


def table_of(count: int, *, seed: int, loss: str, missing: bool = False, weights: bool = False) -> RecordTable:
    rng = np.random.default_rng(seed)
    ages = [None if missing and rng.random() < 0.2 else int(one) for one in rng.integers(20, 40, count)]
    frame = pl.DataFrame({"age": ages, "job": rng.choice(list("abcd"), count), "sex": rng.choice(["f", "m"], count)})
    if weights:
        frame = frame.with_columns(pl.Series("w", rng.integers(1, 5, count) / 2.0))
    history = History.from_frame(frame, Schema("row", (*FIELDS, WEIGHT) if weights else FIELDS))
    return RecordTable.from_history(history, loss=Loss.of(loss, history))


def cost_of(records: Records, members: Ints) -> float:
    return float(members_cost(records, members, len(members), np.empty((3, len(members)))))


def cheapest(records: Records, k: int) -> float:
    """Return the cost of the cheapest partition into groups of at least k, over all of them."""
    count = len(records.hefts)
    costs = {
        sum(1 << one for one in group): cost_of(records, np.array(group))
        for size in range(k, count + 1)
        for group in combinations(range(count), size)
    }
    best = {0: 0.0}
    for mask in range(1, 1 << count):
        first = mask & -mask
        found = [
            cost + best[mask ^ group]
            for group, cost in costs.items()
            if group & first and group & mask == group and (mask ^ group) in best
        ]
        if found:
            best[mask] = min(found)
    return best[(1 << count) - 1]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_grown_group_costs_what_its_members_cost(loss: str) -> None:
    """What is kept from member to member adds up to the cost counted anew, with weights and missing values too."""
    for missing, weights in ((False, False), (True, False), (False, True), (True, True)):
        records = records_of(table_of(23, seed=4, loss=loss, missing=missing, weights=weights))
        pool = make_pool(len(records.kinds), 23)
        fill_pool(records, pool, np.arange(23), 23)
        out, sizes, costs = np.empty(23, dtype=np.int64), np.empty(23, dtype=np.int64), np.empty(23)
        assert grow_pool(records, pool, 23, 5, 9, 0, np.inf, out, sizes, costs) == 3
        assert sorted(out.tolist()) == list(range(23))
        assert sizes[:4].tolist() == [5, 5, 5, 5]
        for number in range(4):
            wanted = cost_of(records, out[5 * number : 5 * number + 5])
            assert float(costs[number]) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.half_second
@pytest.mark.parametrize("loss", LOSSES)
def test_tiny_tables_are_solved_near_the_optimum(loss: str) -> None:
    """Never below the optimum of all partitions, and on these within a tenth of it (in sum)."""
    found, best = 0.0, 0.0
    for seed in range(4):
        table = table_of(9, seed=seed, loss=loss, missing=seed == 3)
        groups = group_singles(table, 3, SinglePlan(tries=20.0, exchanges=3))
        assert groups.sizes().min() >= 3
        assert sorted(groups.members.tolist()) == list(range(9))
        cost, least = float(group_costs(table, groups, limit=10).sum()), cheapest(records_of(table), 3)
        assert cost >= least - 1e-9
        found, best = found + cost, best + least
    assert found <= 1.1 * best


@pytest.mark.half_second
@pytest.mark.parametrize("loss", BOUNDED)
def test_prices_are_put_right_by_the_group_that_undercuts_them_most(loss: str) -> None:
    """Against all groups of 3 to 5 among 9; and a search that is cut short only lowers the floor."""
    for seed in range(3):
        records = records_of(table_of(9, seed=seed, loss=loss, weights=seed == 2))
        prices = np.random.default_rng(seed).random(9) * 1.5
        order = np.lexsort((np.arange(9), prices))
        rank = np.argsort(order)
        wanted = np.zeros(9)
        for size in range(3, 6):
            for group in combinations(range(9), size):
                dearest = max(group, key=lambda one: int(rank[one]))
                saved = cost_of(records, np.array(group)) - float(prices[list(group)].sum())
                wanted[dearest] = min(wanted[dearest], saved)
        found = price_groups(records, prices, 3, budget=10_000)
        assert found.savings.tolist() == pytest.approx(wanted.tolist(), abs=1e-8)
        assert found.proven == 9 - 2
        for line in found.members:
            members = line[line >= 0]
            assert cost_of(records, members) < float(prices[members].sum())
        hurried = price_groups(records, prices, 3, budget=1)
        assert (hurried.savings <= found.savings + 1e-8).all()


def test_equal_records_are_searched_once_with_their_copies() -> None:
    """Against all groups of 3 to 5 among 10 records, of which 6 are distinct."""
    copies = np.array([3, 1, 1, 2, 1, 2])
    every = np.repeat(np.arange(6), copies)
    for seed in range(4):
        points = records_of(table_of(6, seed=seed, loss="ncp"))
        records = points._replace(values=points.values[every], hefts=points.hefts[every])
        prices = np.random.default_rng(seed).random(6) * 2.0
        rank = np.argsort(np.lexsort((np.arange(6), prices)))
        wanted = np.zeros(6)
        for size in range(3, 6):
            for group in combinations(range(10), size):
                names = every[list(group)]
                saved = cost_of(records, np.array(group)) - float(prices[names].sum())
                dearest = names[np.argmax(rank[names])]
                wanted[dearest] = min(wanted[dearest], saved)
        found = price_groups(points, prices, 3, budget=10_000, copies=copies)
        assert found.savings.tolist() == pytest.approx(wanted.tolist(), abs=1e-8)
        for line in found.members:
            assert (np.bincount(line[line >= 0], minlength=6) <= copies).all()


@pytest.mark.half_second
@pytest.mark.parametrize("loss", BOUNDED)
def test_column_generation_brackets_the_optimum(loss: str) -> None:
    for seed in range(2):
        records = records_of(table_of(9, seed=seed, loss=loss))
        near = nearest_records(records, np.arange(9), np.array([0, 9]), 8)
        plan = ColumnPlan(rounds=30, budget=10_000)
        made = generate_columns(records, np.arange(9) // 3, near, 3, plan)
        least = cheapest(records, 3)
        assert made.floor <= least + 1e-7
        assert made.cost >= least - 1e-9
        assert made.floor >= 0.8 * least
        assert np.bincount(made.labels).min() >= 3
        costs = [cost_of(records, np.flatnonzero(made.labels == one)) for one in range(int(made.labels.max()) + 1)]
        assert sum(costs) == pytest.approx(made.cost)


def test_no_floor_where_a_larger_group_may_cost_less() -> None:
    assert not can_be_bounded(records_of(table_of(9, seed=1, loss="cell-error")))
    assert not can_be_bounded(records_of(table_of(30, seed=1, loss="variance", missing=True)))
    assert can_be_bounded(records_of(table_of(30, seed=1, loss="ncp", missing=True)))
    assert can_be_bounded(records_of(table_of(9, seed=1, loss="variance")))


@pytest.mark.half_second
@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"age": [5] * 11, "job": ["a"] * 11}),
        pl.DataFrame({"age": [5] * 11, "job": list("abcabcabcab")}),
        pl.DataFrame({"age": [None] * 11, "job": list("abcabcabcab")}, schema={"age": pl.Int64, "job": pl.String}),
        pl.DataFrame({"age": list(range(11)), "job": ["a"] * 11}),
        pl.DataFrame({"age": list(range(11))}),
        pl.DataFrame({"job": list("abcabcabcab")}),
    ],
    ids=["all equal", "constant number", "nothing known", "constant category", "one number", "one category"],
)
def test_tables_with_little_to_go_by_are_grouped(frame: pl.DataFrame) -> None:
    schema = Schema("row", tuple(column for column in FIELDS if column.name in frame.columns))
    history = History.from_frame(frame, schema)
    for loss in LOSSES:
        for k in (2, 5, 6, 11):
            release, _ = KAnonymity(k=k, loss=loss).anonymize(history, rng=np.random.default_rng(1))
            assert len(release) == 11
            assert int(str(release.text().drop("pseudonym").group_by(pl.all()).len()["len"].min())) >= k


def test_a_group_of_one_is_aligned_with_itself() -> None:
    """It costs nothing by any loss: a set of one value, a range of one."""
    for loss in LOSSES:
        table = table_of(6, seed=1, loss=loss)
        assert group_costs(table, Groups.of([[2], [0, 1]]), limit=10)[0] == pytest.approx(0.0)


def test_the_floor_of_a_table_lies_below_every_release() -> None:
    """Cut into leaves, so that prices at their borders have to be put right; near what the search reaches."""
    rng = np.random.default_rng(6)
    frame = pl.DataFrame({"age": rng.integers(20, 60, 60), "job": rng.choice(list("abcd"), 60)})
    history = History.from_frame(frame, Schema("row", FIELDS[:2]))
    plan = BoundPlan(leaf=30, columns=ColumnPlan(rounds=6, budget=500))
    floor = table_bound(history, 3, loss="ncp", plan=plan)
    release, secret = KAnonymity(k=3, loss="ncp").anonymize(history, rng=np.random.default_rng(1))
    lost = CertaintyPenalty(sets="beyond").measure(history, release, secret).value
    assert 0.5 * lost < floor.value <= lost
    with pytest.raises(InfeasibleError, match="the floor is for one record per person.*take another loss"):
        table_bound(history, 3, loss="cell-error", plan=plan)
    with pytest.raises(InfeasibleError, match="k = 61 needs at least 61 records, the data has 60"):
        table_bound(history, 61, loss="ncp", plan=plan)
