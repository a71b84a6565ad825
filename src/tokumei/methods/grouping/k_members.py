"""Greedy k-member clustering of single records: groups of k grown by the record that makes them dearer by the least.

After Byun, Kamra, Bertino and Li (Efficient k-anonymization using clustering techniques, 2007): each group starts with
the record that would make the one before dearest, so that outliers are served while there is a choice.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tokumei.array_types import Bools, Floats, Ints
from tokumei.methods.grouping.demands import allowed_values, is_allowed, size_to_meet
from tokumei.methods.grouping.record_pools import Pool, add_member, drop, fill_pool, joint_costs, make_pool, start_group
from tokumei.methods.grouping.single_records import Records


@njit(cache=True, nogil=True)
def _extreme(pool: Pool, count: int, sign: float) -> int:
    """Return where the line is smallest (sign 1) or largest (-1); of equal ones the record that comes first."""
    best, least = 0, sign * pool.line[0]
    for place in range(1, count):
        here = sign * pool.line[place]
        if here < least or (here == least and pool.names[place] < pool.names[best]):
            best, least = place, here
    return best


@njit(cache=True, nogil=True)
def _cheapest_allowed(records: Records, pool: Pool, count: int, held: Floats, left: int, allowed: Bools) -> int:  # noqa: PLR0917
    """Return where the line is smallest of the records after which all demands can be met; -1 if there is none."""
    allowed_values(records.demands, held, left, allowed)
    best, least = -1, np.inf
    for place in range(count):
        here = pool.line[place]
        if here > least or (here == least and pool.names[place] > pool.names[best]):
            continue
        if is_allowed(records.demands, allowed, pool.names[place]):
            best, least = place, here
    return best


@njit(cache=True, nogil=True)
def _hold(records: Records, held: Floats, record: int) -> None:
    """Count the sensitive values of a record."""
    for entry in range(records.demands.starts[record], records.demands.starts[record + 1]):
        held[records.demands.value[entry]] += records.demands.amounts[entry]


@njit(cache=True, nogil=True)
def grow_pool(  # noqa: PLR0917
    records: Records,
    pool: Pool,
    count: int,
    k: int,
    largest: int,
    start: int,
    most: float,
    out: Ints,
    sizes: Ints,
    costs: Floats,
) -> int:
    """Put the first ``count`` records of a pool into groups of k; return how many are left over.

    ``out`` gets the groups one after the other, and then those left over, ``sizes`` and ``costs`` those of the groups;
    the first group starts with the record at the place ``start``. The pool is used up. It ends with -1 as soon as the
    groups cost at least ``most``. Where something is demanded, groups take the cheapest records with which they can
    still meet it, and more than k (up to ``largest``) if they have to.
    """
    filled, place, spent, number = 0, start, 0.0, 0
    demanded = len(records.demands.diversities) > 0
    held = np.empty(len(records.demands.shares))
    allowed = np.empty(len(held) + len(records.demands.diversities), dtype=np.bool_)
    while count >= k:
        heft = start_group(records, pool, count, place)
        out[filled] = pool.names[place]
        cost, size, wanted, reachable = 0.0, 1, k, demanded
        if demanded:
            held[:] = 0.0
            _hold(records, held, pool.names[place])
            wanted = size_to_meet(records.demands, held, size, k, largest)
        count = drop(records, pool, count, place)
        while size < wanted and count > 0:
            joint_costs(records, pool, count, heft)
            place = -1
            while reachable and place < 0:
                place = _cheapest_allowed(records, pool, count, held, wanted - size - 1, allowed)
                if place < 0 and wanted < largest:
                    wanted += 1
                elif place < 0:
                    reachable, wanted = False, k
            if size >= wanted:
                break
            place = _extreme(pool, count, 1.0) if place < 0 else place
            cost = pool.line[place]
            out[filled + size] = pool.names[place]
            size += 1
            if demanded:
                _hold(records, held, pool.names[place])
            heft = add_member(records, pool, count, place, heft)
            count = drop(records, pool, count, place)
        sizes[number], costs[number] = size, cost
        number += 1
        filled += size
        spent += cost
        if spent >= most:
            return -1
        if count >= k:
            joint_costs(records, pool, count, heft)
            place = _extreme(pool, count, -1.0)
    out[filled : filled + count] = pool.names[:count]
    return count


@njit(cache=True, nogil=True)
def grow_leaves(records: Records, leaves: Ints, bounds: Ints, k: int, most: int) -> Ints:
    """Return the group of every record (of at most ``most``), -1 for those left over in their leaf."""
    labels = np.full(len(records.hefts), -1, dtype=np.int64)
    largest = np.max(np.diff(bounds))
    pool = make_pool(len(records.kinds), largest)
    out, sizes, costs = np.empty(largest, dtype=np.int64), np.empty(largest, dtype=np.int64), np.empty(largest)
    label = 0
    for leaf in range(len(bounds) - 1):
        count = bounds[leaf + 1] - bounds[leaf]
        fill_pool(records, pool, leaves[bounds[leaf] : bounds[leaf + 1]], count)
        left = grow_pool(records, pool, count, k, most, 0, np.inf, out, sizes, costs)
        number, filled = 0, 0
        while filled < count - left:
            labels[out[filled : filled + sizes[number]]] = label
            filled += sizes[number]
            number += 1
            label += 1
    return labels


@njit(cache=True, nogil=True)
def nearest_records(records: Records, leaves: Ints, bounds: Ints, wanted: int) -> Ints:
    """Return the nearest records of each within its leaf, by what the two cost together; short leaves repeat some."""
    near = np.zeros((len(records.hefts), wanted), dtype=np.int64)
    pool = make_pool(len(records.kinds), np.max(np.diff(bounds)))
    kept = np.empty(wanted)
    for leaf in range(len(bounds) - 1):
        members = leaves[bounds[leaf] : bounds[leaf + 1]]
        fill_pool(records, pool, members, len(members))
        for place in range(len(members)):
            heft = start_group(records, pool, len(members), place)
            joint_costs(records, pool, len(members), heft)
            pool.line[place] = np.inf
            _smallest(pool.line[: len(members)], members, kept, near[members[place]])
    return near


@njit(cache=True, nogil=True)
def _smallest(line: Floats, names: Ints, kept: Floats, out: Ints) -> None:
    """Write the names of the smallest entries of a line; of equal ones the first."""
    wanted, filled, worst = len(out), 0, np.inf
    for place in range(len(line)):
        if line[place] >= worst:
            continue
        position = min(filled, wanted - 1)
        while position > 0 and kept[position - 1] > line[place]:
            kept[position] = kept[position - 1]
            out[position] = out[position - 1]
            position -= 1
        kept[position] = line[place]
        out[position] = names[place]
        filled = min(filled + 1, wanted)
        worst = kept[wanted - 1] if filled == wanted else np.inf
    for position in range(filled, wanted):
        out[position] = out[position % filled] if filled > 0 else names[0]
