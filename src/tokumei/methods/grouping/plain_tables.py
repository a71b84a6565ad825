"""The solver for one record per person: grow groups of k, then rebuild and exchange them among their neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Ints
from tokumei.methods.grouping.demands import most_members
from tokumei.methods.grouping.exchanges import dissolve, exchange, partition_of, place_rest
from tokumei.methods.grouping.groups import Groups
from tokumei.methods.grouping.k_members import grow_leaves, nearest_records
from tokumei.methods.grouping.leaves import cut_leaves
from tokumei.methods.grouping.rebuilding import rebuild
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.single_records import records_of

# Leaves for neighbours are cut at another share than blocks, so that they have other borders.
OTHER_SHARE = 0.4
SEED = 1
# So many records are dissolved together, in groups of k; the time of one try grows with the square.
DISSOLVED = 40
MOST_GROUPS, FEWEST_GROUPS = 12, 3
# Where something is demanded of groups, so many turns of exchanges, dissolving and rebuilding follow.
DEMANDED_TURNS, DEMANDED_PASSES = 2, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SinglePlan:
    """How much work the search in plain tables may do.

    ``most_units`` records make a block, neighbours (``near`` of each) are looked for in leaves of ``leaf`` records,
    ``tries`` rebuildings are tried per record, and passes of ``exchanges`` follow.
    """

    most_units: int = 32_000
    leaf: int = 1_500
    near: int = 30
    tries: float = 3.0
    exchanges: int = 0


def group_singles(table: RecordTable, k: int, plan: SinglePlan) -> Groups:
    """Return groups of k to 2 k - 1 records (more, where demands need more) of low total cost."""
    count = len(table)
    everybody = np.arange(count, dtype=np.int64)
    if count < 2 * k:
        return Groups.of([everybody])
    records = records_of(table)
    most = most_members(table.demands, k)
    labels = grow_leaves(records, everybody, np.array([0, count]), k, most)
    leaves = cut_leaves(records, plan.leaf, 4 * k, share=OTHER_SHARE)
    bounds = np.cumsum([0, *(len(leaf) for leaf in leaves)]).astype(np.int64)
    near = nearest_records(records, np.concatenate(leaves), bounds, min(plan.near, count - 1))
    place_rest(records, labels, near, most)
    groups = partition_of(records, labels, count // k, most)
    width = min(max(DISSOLVED // k, FEWEST_GROUPS), MOST_GROUPS)
    tries = int(plan.tries * count * min(1.0, DISSOLVED / (width * k)) * min(1.0, 5 / k))
    rebuild(records, groups, near, k, width, tries, 0.0, SEED)
    for turn in range(DEMANDED_TURNS if len(table.demands.diversities) else 0):
        # Where somebody with a rare value is wanting, fewer and larger groups cost less.
        exchange(records, groups, near, k, DEMANDED_PASSES)
        dissolve(records, groups, near)
        rebuild(records, groups, near, k, width, tries // DEMANDED_TURNS, 0.0, SEED + 2 + turn)
    if plan.exchanges:
        exchange(records, groups, near, k, plan.exchanges)
        rebuild(records, groups, near, k, width, tries // 4, 0.0, SEED + 1)
    return _in_order(groups.home)


def _in_order(labels: Ints) -> Groups:
    """Return the groups that labels name, members ascending, groups by their first member."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    parts = sorted(np.split(order, starts[1:]), key=lambda part: int(part[0]))
    return Groups.of(parts)
