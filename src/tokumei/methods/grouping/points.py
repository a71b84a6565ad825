"""Groups of points of little variance: from a first partition down by exchanges, dissolving and rebuilding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.cell_costs import VARIANCE
from tokumei.methods.grouping.columns import ColumnPlan, generate_columns
from tokumei.methods.grouping.exchanges import dissolve, exchange, partition_of
from tokumei.methods.grouping.k_members import nearest_records
from tokumei.methods.grouping.leaves import cut_leaves
from tokumei.methods.grouping.pricing import nearest_prices
from tokumei.methods.grouping.rebuilding import rebuild
from tokumei.methods.grouping.single_records import Records

NEIGHBOURS, LEAF = 60, 2_000
DISSOLVED, FEWEST_GROUPS = 30, 3
PASSES = 20
# Rounds of rebuilding per effort, each of so many tries per point; at first a site may cost more by this share.
ROUNDS = {"mdav": 0, "fast": 1, "normal": 4, "best": 12}
TRIES = 48
HEAT = 0.02
# Up to this k a program over groups ends the search: above it has too many to choose from.
MOST_IN_PROGRAM = 3
STEPS = 1_000


@dataclass(frozen=True, slots=True)
class Refined:
    """The group of every point, its loss SSE / SST, and what no partition into groups of at least k can undercut."""

    labels: Ints
    loss: float
    floor: float


def refine(points: Floats, labels: Ints, k: int, *, rounds: int) -> Refined:
    """Return groups of k to 2 k - 1 points of less squared error than those given (one column per point).

    Groups of the last round and of those before it are combined by column generation where k is small, which gives a
    better floor as well; above the points of one leaf there is no floor.
    """
    fields, count = points.shape
    zeros, ones = np.zeros(fields, dtype=np.int64), np.ones(fields)
    kinds = np.full(fields, VARIANCE, dtype=np.int64)
    values = np.ascontiguousarray(points.T, dtype=np.float64)
    records = Records(values, np.ones(count), ones, kinds, ones, zeros, zeros, np.zeros(1))
    leaves = cut_leaves(records, LEAF, 4 * k)
    bounds = np.cumsum([0, *(len(leaf) for leaf in leaves)]).astype(np.int64)
    near = nearest_records(records, np.concatenate(leaves), bounds, min(max(NEIGHBOURS, k), count - 1))
    groups = partition_of(records, labels, max(count // k, int(labels.max()) + 1), 2 * k - 1)
    width = max(DISSOLVED // k, FEWEST_GROUPS)
    seen: list[Ints] = []
    for turn in range(rounds):
        exchange(records, groups, near, k, PASSES)
        dissolve(records, groups, near)
        rebuild(records, groups, near, k, width, TRIES * count, HEAT, turn)
        exchange(records, groups, near, k, PASSES)
        seen.append(groups.home.copy())
    total = float(((values - values.mean(axis=0)) ** 2).sum()) or 1.0
    if len(leaves) > 1:
        return Refined(groups.home, float(groups.costs.sum()) / total, 0.0)
    if not rounds or k > MOST_IN_PROGRAM:
        floor = float(nearest_prices(records, near, k).sum())
        return Refined(groups.home, float(groups.costs.sum()) / total, floor / total)
    plan = ColumnPlan(rounds=rounds, budget=STEPS)
    made = generate_columns(records, groups.home, near, k, plan, others=seen)
    return Refined(made.labels, made.cost / total, made.floor / total)
