"""Groups of single records as arrays, and what they cost: the common ground of the kernels for plain tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.cell_costs import ENTROPY, FAR_AWAY, HIERARCHY, VARIANCE, ordered_cell, set_cell
from tokumei.methods.grouping.demands import NO_DEMANDS, DemandArrays
from tokumei.methods.grouping.record_table import RecordTable


class Records(NamedTuple):
    """Single records, one line each, and the loss by which their groups are judged (`LossArrays`).

    ``weights`` are those of the fields, ``hefts`` those of the records; ``demands`` is what groups have to meet.
    """

    values: Floats
    hefts: Floats
    weights: Floats
    kinds: Ints
    steps: Floats
    at: Ints
    lengths: Ints
    table: Floats
    demands: DemandArrays = NO_DEMANDS


def records_of(table: RecordTable) -> Records:
    """Lay out a table of single records; distances count from the smallest value, so that large ones keep digits."""
    loss = table.loss.arrays
    lines = [line.copy() for line in table.ordered]
    for kind, line in zip(loss.kinds, lines, strict=False):
        present = line < FAR_AWAY
        if kind <= VARIANCE and kind != ENTROPY and present.any():
            line[present] -= line[present].min()
    values = np.stack([*lines, *table.nominal.astype(np.float64)], axis=1)
    weights = np.concatenate((table.ordered_weights, table.nominal_weights))
    return Records(np.ascontiguousarray(values), table.hefts, weights, *loss, table.demands)


@njit(cache=True, nogil=True)
def members_cost(records: Records, members: Ints, size: int, room: Floats) -> float:
    """Return what the first ``size`` members cost as one group; ``room`` has three lines for as many."""
    if size == 0:
        return 0.0
    values, hefts = room[0], room[1]
    for place in range(size):
        hefts[place] = records.hefts[members[place]]
    total = 0.0
    for field in range(len(records.kinds)):
        for place in range(size):
            values[place] = records.values[members[place], field]
        kind, step, at = records.kinds[field], records.steps[field], records.at[field]
        if kind <= HIERARCHY:
            cost = ordered_cell(kind, step, records.table, at, records.lengths[field], values, hefts, size)
        else:
            cost = set_cell(kind, step, records.table, at, values, hefts, size, room[2])
        total += records.weights[field] * cost
    return total


@njit(cache=True, nogil=True)
def costs_of(records: Records, groups: Ints) -> Floats:
    """Return what groups cost that are given one per line, with -1 in free places at the end."""
    costs, room = np.zeros(len(groups)), np.empty((3, groups.shape[1]))
    for group in range(len(groups)):
        size = 0
        while size < groups.shape[1] and groups[group, size] >= 0:
            size += 1
        costs[group] = members_cost(records, groups[group], size, room)
    return costs
