"""Groups that tell little of a sensitive column: demands are checked, and groups are repaired until they hold.

The values of a group are those of all records of its members; a missing value is none. A group that falls short
exchanges members with near groups where that helps, at least loss; what is left over is merged, which ends: all people
together have the values of the data itself. So a demand can be met exactly if the whole data meets it
(`GroupDemands.refuse_impossible`).

Exchanges look at the values: somebody who knows the original and replays the method learns no more than from the
groups themselves, which identical histories tell anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from tokumei.array_types import Floats, Ints
from tokumei.data import Demand, History
from tokumei.errors import InfeasibleError
from tokumei.methods.grouping.demands import SLACK, DemandArrays, demand_arrays, shortfall_of, shortfalls
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.record_table import RecordTable

# Members of other groups that are tried for an exchange, and exchanges that are costed exactly.
NEAR_UNITS, COSTED = 120, 8
# Histories are compared in chunks of so many records where an estimate is enough.
TRIAL_LIMIT = 300
ROUNDS = 10
# Categories that count in how near two units are; more would drown the numbers.
_FEW_VALUES = 30


@dataclass(frozen=True, eq=False, slots=True)
class ColumnDemand:
    """The demand of one column: ``counts`` has how often every unit (row) has each value, in ascending order.

    A missing value is none.
    """

    name: str
    demand: Demand
    counts: Floats


@dataclass(frozen=True, eq=False, slots=True)
class GroupDemands:
    """What the sensitive columns of a history demand of groups of its subjects.

    ``widened`` are columns of two values: a group that has both shows both, so that to show both everywhere loses no
    more, tells less, and leaves the groups as they are.
    """

    columns: tuple[ColumnDemand, ...]
    widened: tuple[ColumnDemand, ...] = ()

    @classmethod
    def of(cls, history: History) -> GroupDemands:
        """Return the demands of a schema; a place is demanded of both its coordinates."""
        demands = history.schema.demands
        fields = [field for field in history.schema.fields if field.column in demands]
        columns, binary = [], []
        for field in fields:
            codes = history.codes[field.name]
            values, place = np.unique(codes, return_inverse=True)
            counts = np.zeros((len(history.subjects), len(values)))
            np.add.at(counts, (history.subject, place), 1.0)
            # "Ill, or nothing is known" tells as much of whoever has a value as "ill" does.
            present = history.is_value(field.name, values)
            columns.append(ColumnDemand(field.name, demands[field.column], counts[:, present]))
            # Where the values of every group are published apart, to show both in every cell would hide nothing.
            two = len(values) == 2 and present.all() and field.nominal
            binary.append(bool(two) and not demands[field.column].apart)
        return cls(
            tuple(column for column, both in zip(columns, binary, strict=True) if not both),
            tuple(column for column, both in zip(columns, binary, strict=True) if both),
        )

    def __bool__(self) -> bool:
        """Return whether anything is demanded."""
        return bool(self.columns or self.widened)

    def names(self) -> list[str]:
        """Return the fields in which groups show all their values, or all values there are."""
        return [column.name for column in (*self.columns, *self.widened)]

    def refuse_impossible(self) -> None:
        """Raise InfeasibleError if not even all people together meet a demand: then no grouping does."""
        for column in (*self.columns, *self.widened):
            everybody = np.arange(len(column.counts))
            if shortfall_of(demand_arrays([(column.demand, column.counts)]), everybody, len(everybody)) <= 0:
                continue
            asked, present = column.demand, int((column.counts.sum(axis=0) > 0).sum())
            what = f"{present or 'no'} values" if present != 1 else "one value"
            message = (
                f"the sensitive column '{column.name}' has {what} in all the data, which does not give "
                f"l = {asked.values:g} ({asked.diversity}) even if all people are one group (a missing value is none); "
                "lower l in the schema (sensitive = { l = 1 } only measures) or drop the column"
            )
            raise InfeasibleError(message, code="not-diverse")

    def arrays(self) -> DemandArrays:
        """Return the demands as the kernels take them."""
        return demand_arrays([(column.demand, column.counts) for column in self.columns])


NOTHING_DEMANDED = GroupDemands(())


def diverse_groups(table: RecordTable, groups: Groups, demands: GroupDemands) -> Groups:
    """Return groups that meet all demands, as near to the given ones as exchanges and mergers find."""
    if not demands.columns or len(groups) == 0:
        return groups
    demands.refuse_impossible()
    asked = demands.arrays()
    return Groups.of(_merged(table, exchange_short(table, groups.lists(), asked), asked))


def exchange_short(table: RecordTable, groups: list[list[int]], demands: DemandArrays) -> list[list[int]]:
    """Return the groups after those that fall short exchanged members with near ones, as far as that helps."""
    lists = list(groups)
    if not total_shortfall(demands, lists):
        return lists
    near = _nearest(table, np.sort(np.concatenate(lists)))
    for _ in range(ROUNDS):
        wanting = np.flatnonzero(_shortfall(demands, lists) > 0)
        if not len(wanting):
            break
        home = np.full(len(table), -1, dtype=np.int64)
        for number, group in enumerate(lists):
            home[group] = number
        changed = [_exchange(table, (lists, home), demands, near, int(number)) for number in wanting]
        if not any(changed):
            break
    return lists


def total_shortfall(demands: DemandArrays, groups: Sequence[Sequence[int] | Ints]) -> float:
    """Return by how much all groups of a partition together fall short."""
    return float(_shortfall(demands, groups).sum()) if len(demands.diversities) else 0.0


def _shortfall(demands: DemandArrays, groups: Sequence[Sequence[int] | Ints]) -> Floats:
    flat = Groups.of(groups)
    return shortfalls(demands, flat.members, flat.bounds)


def _after_exchange(demands: DemandArrays, group: Sequence[int], out: int, units: Ints) -> Floats:
    """Return by how much a group falls short that gives one member away for each of these units."""
    kept = np.array([one for one in group if one != out], dtype=np.int64)
    trials = np.column_stack((np.tile(kept, (len(units), 1)), units))
    return shortfalls(demands, trials.ravel(), np.arange(len(units) + 1) * len(group))


def _features(table: RecordTable) -> Floats:
    """Return where units lie: means of ordered fields and shares of few categories, weighted as in the loss."""
    counts = np.maximum(table.counts(), 1)
    unit = np.repeat(np.arange(len(table)), table.counts())
    columns = [
        weight * np.bincount(unit, weights=np.nan_to_num(values), minlength=len(table)) / counts
        for values, weight in zip(table.ordered, table.ordered_weights, strict=True)
        if weight > 0
    ]
    for values, weight in zip(table.nominal, table.nominal_weights, strict=True):
        many = int(values.max(initial=-1)) + 1
        if weight > 0 and many <= _FEW_VALUES:
            columns += [
                weight * np.bincount(unit, weights=values == one, minlength=len(table)) / counts for one in range(many)
            ]
    return np.stack(columns, axis=1) if columns else np.zeros((len(table), 1))


def _nearest(table: RecordTable, units: Ints) -> Ints:
    """Return for every unit the nearest of these units, itself first."""
    places = _features(table)
    _, found = cKDTree(places[units]).query(places, k=min(NEAR_UNITS, len(units)))
    return units[found.reshape(len(places), -1)]


def _exchange(
    table: RecordTable, partition: tuple[list[list[int]], Ints], demands: DemandArrays, near: Ints, number: int
) -> bool:
    """Let a group that falls short exchange one member, if that helps it and does not harm the other group.

    ``partition`` has the groups and the group of every unit; both are changed.
    """
    lists, home = partition
    group = lists[number]
    before = _shortfall(demands, [group])[0]
    if before <= 0:
        return False
    choices: list[tuple[int, int, int]] = []
    left: list[float] = []
    for out in group:
        others = near[out][(home[near[out]] != number)]
        others = others[~np.isin(table.owners[others], table.owners[group])]
        short = _after_exchange(demands, group, out, others)
        better = np.flatnonzero(short < before - SLACK).tolist()
        choices += [(rank, out, int(others[rank])) for rank in better]
        left += short[better].tolist()
    if not choices:
        return False
    there = [lists[home[other]] for _, _, other in choices]
    given = [_swapped(group_there, other, out) for group_there, (_, out, other) in zip(there, choices, strict=True)]
    # An exchange that harmed the other group would only move what is wanting.
    harmless = _shortfall(demands, given) <= _shortfall(demands, there) + SLACK
    if not harmless.any():
        return False
    short = np.where(harmless, left, np.inf)
    wanted = short <= short.min() + SLACK
    best = [choices[one] for one in np.flatnonzero(wanted).tolist()]
    feasible = [(out, other) for _, out, other in sorted(best)[:COSTED]]
    trials = [
        trial
        for out, other in feasible
        for trial in (_swapped(group, out, other), _swapped(lists[home[other]], other, out), lists[home[other]])
    ]
    costs = group_costs(table, Groups.of(trials), limit=TRIAL_LIMIT, rounds=1).reshape(-1, 3)
    out, other = feasible[int(np.argmin(costs[:, 0] + costs[:, 1] - costs[:, 2]))]
    target = int(home[other])
    lists[number], lists[target] = _swapped(group, out, other), _swapped(lists[target], other, out)
    home[out], home[other] = target, number
    return True


def _swapped(group: Sequence[int], out: int, other: int) -> list[int]:
    return sorted([other, *(one for one in group if one != out)])


def _merged(table: RecordTable, lists: list[list[int]], demands: DemandArrays) -> list[list[int]]:
    """Merge every group that still falls short with the near group that leaves least wanting."""
    places = _features(table)
    groups = [list(group) for group in lists]
    short = _shortfall(demands, groups).tolist()
    centres = [places[group].mean(axis=0) for group in groups]
    while len(groups) > 1 and max(short) > 0:
        number = int(np.argmax(short))
        distance = np.abs(np.array(centres) - centres[number]).sum(axis=1)
        distance[number] = np.inf
        tried = np.argsort(distance, kind="stable")[: min(NEAR_UNITS, len(groups) - 1)]
        left = _shortfall(demands, [[*groups[number], *groups[one]] for one in tried.tolist()])
        target = int(tried[int(np.argmin(np.round(left, 9)))])
        groups[target] = sorted([*groups[number], *groups[target]])
        short[target] = float(_shortfall(demands, [groups[target]])[0])
        centres[target] = places[groups[target]].mean(axis=0)
        del groups[number], short[number], centres[number]
    return groups
