"""Exchanging members: groups keep their sizes, costs only fall, and whoever asks for what there is gets it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.methods.test_k_anonymity import SCHEMA, make_frame
from tokumei.array_types import Ints
from tokumei.data import History
from tokumei.methods.grouping.candidates import estimate_costs
from tokumei.methods.grouping.exact_annealing import anneal_exactly
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.partition import GroupingPlan, _model, _sorted_groups, group_units
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.swapping import exchange_members
from tokumei.progress import (
    ask_for_what_there_is,
    can_be_asked,
    is_enough,
    loss_so_far,
    searching,
    taking_what_there_is,
    tell_loss,
    was_ended_early,
)

K = 3


@pytest.fixture(scope="module")
def table() -> RecordTable:
    """Forty purchasers, so that one group has an extra member."""
    history = History.from_frame(make_frame(40, seed=3, longest=6), SCHEMA)
    return RecordTable.from_history(history)


def _total(table: RecordTable, groups: list[list[int]]) -> float:
    return float(group_costs(table, Groups.of(groups), limit=300, rounds=1).sum())


def test_passes_tell_exact_costs_that_fall(table: RecordTable) -> None:
    """Every pass yields a partition of the same sizes whose cost is what it says, and never more than before."""
    start = _sorted_groups(table, K)
    model = _model(table, estimate_costs(table), K, GroupingPlan())
    passes = exchange_members(table, model, start, tries=4, limit=300)
    costs = []
    for _ in range(4):
        cost, groups = next(passes)
        assert sorted(len(group) for group in groups) == sorted(len(group) for group in start)
        assert sorted(unit for group in groups for unit in group) == list(range(len(table)))
        assert cost == pytest.approx(_total(table, groups))
        costs.append(cost)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def test_annealing_on_exact_costs_keeps_sizes_and_only_gains(table: RecordTable) -> None:
    """The least cost falls part by part, groups are whole, and the same seed gives the same groups."""
    start = _sorted_groups(table, K)
    model = _model(table, estimate_costs(table), K, GroupingPlan())
    found, again = (list(anneal_exactly(table, model, start, limit=300, most_work=2e6, seed=1)) for _ in range(2))
    assert found == again
    costs = [cost for cost, _ in found]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < _total(table, start)
    groups = found[-1][1]
    assert sorted(map(len, groups)) == sorted(map(len, start))
    assert sorted(unit for group in groups for unit in group) == list(range(len(table)))
    # Aligned once only, a group costs at least what it costs when its members are matched again.
    assert _total(table, groups) <= costs[-1] * (1 + 1e-9)


def test_few_people_are_annealed_while_patience_lasts(table: RecordTable) -> None:
    plan = GroupingPlan()
    assert plan.anneals_exactly(table, K)
    assert not plan.on(1, patience=0.02).anneals_exactly(table, K)
    assert not plan.shared(1e-4).anneals_exactly(table, K)


def test_nobody_meets_himself(table: RecordTable) -> None:
    """Units of one owner are never exchanged into one group."""
    owners: Ints = np.arange(len(table)) // 2
    doubled = table.regroup(np.arange(len(table.rows)), table.offsets, owners)
    for group in group_units(doubled, K, GroupingPlan()):
        assert len(set(owners[group].tolist())) == len(group)


def test_patience_decides_how_long_is_searched(table: RecordTable) -> None:
    """Without patience nothing is exchanged after the first pass; with all of it no less is lost than before."""
    hasty, patient = (
        _total(table, group_units(table, K, GroupingPlan(moves_per_unit=1).on(1, patience=patience)))
        for patience in (1.0, 0.0)
    )
    assert patient < hasty


def test_asked_for_what_there_is(table: RecordTable) -> None:
    """A search that is asked to end gives a whole partition; nobody hears who asks again, or when none goes on."""
    with searching():
        assert not ask_for_what_there_is()
    with taking_what_there_is():
        assert can_be_asked()
        assert not ask_for_what_there_is()
    with taking_what_there_is(), searching():
        assert loss_so_far() is None
        tell_loss("other block", 1.0, 4.0)
        assert loss_so_far() == 0.25
        assert ask_for_what_there_is()
        assert is_enough()
        assert not ask_for_what_there_is()
        groups = group_units(table, K, GroupingPlan())
        assert sorted(unit for group in groups for unit in group) == list(range(len(table)))
    assert was_ended_early()
    assert not is_enough()
    assert loss_so_far() is None
    with searching():
        assert not was_ended_early()
