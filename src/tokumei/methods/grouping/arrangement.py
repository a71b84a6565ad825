"""Who is in which group while a search by exact costs goes on: the arrays that its kernels change in place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Codes, Floats, Ints
from tokumei.methods.grouping.alignment import group_cost
from tokumei.methods.grouping.cell_costs import LossArrays
from tokumei.methods.grouping.demands import DemandArrays, shortfall_of
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.search import GroupModel, model_cost


class HistoryArrays(NamedTuple):
    """The records as the kernels of the alignment take them, and how closely they look."""

    loss: LossArrays
    ordered: Floats
    steps: Floats
    ordered_weights: Floats
    nominal: Codes
    nominal_weights: Floats
    offsets: Ints
    owners: Ints
    limit: int
    rounds: int


class ModelArrays(NamedTuple):
    """The arrays of a `GroupModel`."""

    per_row: Floats
    counts: Ints
    neighbours: Ints
    shares: Floats
    surplus: float
    demands: DemandArrays


class Arrangement(NamedTuple):
    """Who is in which group, what every group costs exactly and by the model, and when something last happened."""

    members: Ints
    sizes: Ints
    home: Ints
    slot: Ints
    exact: Floats
    rough: Floats
    changed: Ints
    looked: Ints


@njit(cache=True, nogil=True)
def rough_cost(model: ModelArrays, now: Arrangement, group: int) -> float:
    """Return what a group costs by the model."""
    return model_cost(model.per_row, model.counts, model.shares, model.surplus, now.members[group], now.sizes[group])


@njit(cache=True, nogil=True)
def lacks(model: ModelArrays, now: Arrangement, one: int, two: int) -> float:
    """Return by how much two groups fall short of what is demanded."""
    first = shortfall_of(model.demands, now.members[one], now.sizes[one])
    return first + shortfall_of(model.demands, now.members[two], now.sizes[two])


@njit(cache=True, nogil=True)
def exact_cost(records: HistoryArrays, surplus: float, now: Arrangement, group: int) -> float:
    """Return what a group costs, without bound if two of its members have one owner."""
    units = now.members[group, : now.sizes[group]]
    for one in range(len(units)):
        for other in range(one):
            if records.owners[units[one]] == records.owners[units[other]]:
                return np.inf
    return group_cost(
        records.loss,
        records.ordered,
        records.steps,
        records.ordered_weights,
        records.nominal,
        records.nominal_weights,
        records.offsets,
        units,
        surplus,
        records.rounds,
        records.limit,
    )


@njit(cache=True, nogil=True)
def exchange(now: Arrangement, unit: int, other: int) -> None:
    """Let two units of different groups change places."""
    source, target, here, there = now.home[unit], now.home[other], now.slot[unit], now.slot[other]
    now.members[target, there], now.members[source, here] = unit, other
    now.home[unit], now.home[other], now.slot[unit], now.slot[other] = target, source, there, here


def lay_out(table: RecordTable, *, limit: int, rounds: int) -> HistoryArrays:
    """Return the records of a table as the kernels take them."""
    return HistoryArrays(
        table.loss.arrays,
        table.ordered,
        table.steps,
        table.ordered_weights,
        table.nominal,
        table.nominal_weights,
        table.offsets,
        table.owners,
        limit,
        rounds,
    )


def model_arrays(model: GroupModel) -> ModelArrays:
    """Return a model as the kernels take it."""
    return ModelArrays(model.per_row, model.counts, model.neighbours, model.shares, model.surplus, model.demands)


def arrange(
    table: RecordTable, model: GroupModel, groups: list[list[int]], *, limit: int, rounds: int = 1, threads: int = 1
) -> Arrangement:
    """Return where everybody is in these groups, with their exact and approximate costs."""
    flat = Groups.of(groups)
    sizes = flat.sizes()
    home, slot = np.empty(len(table), dtype=np.int64), np.empty(len(table), dtype=np.int64)
    home[flat.members] = np.repeat(np.arange(len(flat)), sizes)
    slot[flat.members] = np.arange(len(flat.members)) - np.repeat(flat.bounds[:-1], sizes)
    members = np.zeros((len(flat), int(sizes.max())), dtype=np.int64)
    members[home[flat.members], slot[flat.members]] = flat.members
    exact = group_costs(table, flat, limit=limit, rounds=rounds, threads=threads)
    rough = np.empty(len(flat))
    for size in np.unique(sizes).tolist():
        rough[sizes == size] = model.costs(members[sizes == size, :size])
    never = np.zeros(len(flat), dtype=np.int64)
    return Arrangement(members, sizes, home, slot, exact, rough, never, np.full(len(table), -1, dtype=np.int64))
