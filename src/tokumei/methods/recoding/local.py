"""Local recoding: groups of at least k records, each published at the lowest common ancestors of its members.

Equal records that are k or more stay as they are. The others are cut into blocks along the hierarchies, and `kernels`
groups the records of a block. It adds up losses over columns; the figure that is reported is that of `recoding.table`.
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Ints
from tokumei.methods.recoding.kernels import Leaves, grow, improve
from tokumei.methods.recoding.table import LeafTable

BLOCK_RECORDS = 400


def cut_blocks(table: LeafTable, rows: Ints, *, most: int, fewest: int) -> list[Ints]:
    """Return the rows in blocks of at most ``most`` records, cut between children of the widest common ancestor.

    Where no cut leaves ``fewest`` records on both sides, the rows are halved by content.
    """
    if len(rows) <= most:
        return [rows]
    wide = []
    for column in range(table.leaf.shape[1]):
        leaves = table.leaf[rows, column]
        level = _common_level(table.nodes[column], leaves)
        wide.append((-float(table.losses[column, level, leaves[0]]), column, level))
    for _, column, level in sorted(wide):
        if level == 0:
            continue
        child = table.nodes[column, level - 1, table.leaf[rows, column]]
        order = np.argsort(child, kind="stable")
        ends = np.flatnonzero(np.diff(child[order])) + 1
        ends = ends[(ends >= fewest) & (ends <= len(rows) - fewest)]
        if len(ends):
            cut = int(ends[np.argmin(np.abs(ends - len(rows) / 2))])
            halves = (np.sort(order[:cut]), np.sort(order[cut:]))
            break
    else:
        middle = len(rows) // 2
        halves = (np.arange(middle), np.arange(middle, len(rows)))
    return [block for half in halves for block in cut_blocks(table, rows[half], most=most, fewest=fewest)]


def _common_level(nodes: Ints, leaves: Ints) -> int:
    """Return the lowest level at which all these values are one node."""
    return next(level for level in range(len(nodes)) if (nodes[level, leaves] == nodes[level, leaves[0]]).all())


def local_groups(table: LeafTable, k: int, *, passes: int) -> Ints:
    """Return the group of every record, each of k members or more; more passes search longer."""
    order = table.order()
    bottom = table.classes(order, np.zeros(table.leaf.shape[1], dtype=np.int64))
    alone = np.bincount(bottom)[bottom] >= k
    rest = order[~alone]
    if 0 < len(rest) < k:
        # Too few for a group of their own: one class of equal records joins them.
        joined = bottom == bottom[alone][0]
        rest, alone = order[~alone | joined], alone & ~joined
    group = np.zeros(len(table), dtype=np.int64)
    group[order[alone]] = np.unique(bottom[alone], return_inverse=True)[1]
    count = int(group[order[alone]].max(initial=-1)) + 1
    most = max(BLOCK_RECORDS, 4 * k)
    for block in cut_blocks(table, rest, most=most, fewest=2 * k):
        if len(block):
            group[block] = _solved(table, block, k, passes) + count
            count = int(group[block].max()) + 1
    return group


def _solved(table: LeafTable, block: Ints, k: int, passes: int) -> Ints:
    """Return the groups of a block, numbered from 0."""
    leaves = Leaves(np.ascontiguousarray(table.leaf[block]), table.nodes, table.losses)
    found: Ints = grow(leaves, k)
    if passes and found.max() > 0:
        improve(leaves, found, k, passes)
    return found


def group_levels(table: LeafTable, group: Ints) -> Ints:
    """Return the level at which every column of every record is published: that of its group's common ancestors."""
    order = np.argsort(group, kind="stable")
    first = np.concatenate(([0], np.flatnonzero(np.diff(group[order])) + 1))
    levels = np.zeros(table.leaf.shape, dtype=np.int64)
    anchor = order[first]
    place = np.unique(group, return_inverse=True)[1]
    for column, most in enumerate(table.levels):
        nodes, leaf = table.nodes[column], table.leaf[:, column]
        for level in range(int(most) - 1):
            apart = nodes[level, leaf] != nodes[level, leaf[anchor][place]]
            above = np.zeros(len(first), dtype=np.bool_)
            above[place[apart]] = True
            levels[above[place], column] = level + 1
    return levels
