"""Better groups of single records by rebuilding: some neighbouring groups are dissolved and grown anew.

They grow from another start, and stay if they cost less (large neighbourhood search: Shaw, 1998).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.demands import SLACK, shortfall_of
from tokumei.methods.grouping.exchanges import ENOUGH, Partition, breaks, refresh
from tokumei.methods.grouping.k_members import grow_pool
from tokumei.methods.grouping.record_pools import Pool, fill_pool, make_pool
from tokumei.methods.grouping.single_records import Records, members_cost


class _Site(NamedTuple):
    """Room for one rebuilding: the groups that are dissolved, their records, and the fresh groups."""

    chosen: Ints
    records: Ints
    marked: Ints
    out: Ints
    fresh: Ints
    sizes: Ints
    costs: Floats
    room: Floats


@njit(cache=True, nogil=True)
def _site(groups: Partition, width: int, k: int) -> _Site:
    most = groups.members.shape[1]
    limit = width * most
    return _Site(
        np.empty(limit, dtype=np.int64),
        np.empty(limit, dtype=np.int64),
        np.full(len(groups.sizes), -1, dtype=np.int64),
        np.empty(limit, dtype=np.int64),
        np.empty((limit // k + 1, most), dtype=np.int64),
        np.empty(limit, dtype=np.int64),
        np.empty(limit),
        np.empty((3, most + 1)),
    )


@njit(cache=True, nogil=True)
def _around(groups: Partition, record: int, near: Ints, width: int, turn: int, site: _Site) -> tuple[int, int, float]:  # noqa: PLR0917
    """Choose the group of a record and those nearby; return their number, that of their records, and their cost."""
    count, taken, cost = 0, 0, 0.0
    for step in range(-1, len(near)):
        home = groups.home[record if step < 0 else near[step]]
        if site.marked[home] == turn:
            continue
        site.marked[home] = turn
        site.chosen[taken] = home
        taken += 1
        cost += groups.costs[home]
        for place in range(groups.sizes[home]):
            site.records[count] = groups.members[home, place]
            count += 1
        if taken == width:
            break
    return taken, count, cost


@njit(cache=True, nogil=True)
def _grown(records: Records, pool: Pool, site: _Site, count: int, k: int, most: float) -> tuple[int, float]:  # noqa: PLR0917
    """Grow fresh groups from the records of a site; return their number and cost (infinite: at least ``most``)."""
    fill_pool(records, pool, site.records, count)
    start = np.random.randint(count)  # noqa: NPY002
    largest = site.fresh.shape[1]
    left = grow_pool(records, pool, count, k, largest, start, most, site.out, site.sizes, site.costs)
    if left < 0:
        return 0, np.inf
    made, filled, cost = 0, 0, 0.0
    while filled < count - left:
        cost += site.costs[made]
        for place in range(site.sizes[made]):
            site.fresh[made, place] = site.out[filled + place]
        filled += site.sizes[made]
        made += 1
    for place in range(count - left, count):
        cost += _join(records, site.fresh, site.sizes, site.costs, made, site.out[place], site.room)
    return made, cost


@njit(cache=True, nogil=True)
def _settle(groups: Partition, site: _Site, made: int, taken: int, spare: Ints, idle: int) -> int:  # noqa: PLR0917
    """Put the fresh groups in place of the dissolved ones; return how many places for groups are free."""
    for number in range(taken, made):
        idle -= 1
        site.chosen[number] = spare[idle]
    for number in range(made, taken):
        groups.sizes[site.chosen[number]], groups.costs[site.chosen[number]] = 0, 0.0
        spare[idle] = site.chosen[number]
        idle += 1
    for number in range(made):
        home = site.chosen[number]
        groups.sizes[home], groups.costs[home] = site.sizes[number], site.costs[number]
        for place in range(site.sizes[number]):
            groups.members[home, place] = site.fresh[number, place]
            groups.home[site.fresh[number, place]] = home
    return idle


@njit(cache=True, nogil=True)
def rebuild(  # noqa: PLR0917
    records: Records, groups: Partition, near: Ints, k: int, width: int, tries: int, heat: float, seed: int
) -> None:
    """Dissolve some ``width`` groups around one record after the other and grow them anew where that costs less.

    ``tries`` counts records, drawn at random; those whose group costs nothing are passed over. At first fresh groups
    may cost more by a share of ``heat``, which falls to nothing in the end (threshold accepting: Dueck, 1990).
    """
    np.random.seed(seed)  # noqa: NPY002
    site = _site(groups, width, k)
    pool = make_pool(len(records.kinds), len(site.records))
    spare = np.empty(len(groups.sizes), dtype=np.int64)
    idle = 0
    for group in range(len(groups.sizes)):
        if groups.sizes[group] == 0:
            spare[idle] = group
            idle += 1
    for turn in range(tries):
        record = np.random.randint(len(groups.home))  # noqa: NPY002
        if groups.costs[groups.home[record]] <= ENOUGH:
            continue
        taken, count, before = _around(groups, record, near[record], width, turn, site)
        if taken < 2:
            continue
        short = 0.0
        for number in range(taken if len(records.demands.diversities) > 0 else 0):
            home = site.chosen[number]
            short += shortfall_of(records.demands, groups.members[home], groups.sizes[home])
        most = before * (1.0 + heat * (1.0 - turn / tries)) - ENOUGH
        made, after = _grown(records, pool, site, count, k, np.inf if short > SLACK else most)
        if not np.isfinite(after) or made > taken + idle:
            continue
        if len(records.demands.diversities) > 0:
            for number in range(made):
                short -= shortfall_of(records.demands, site.fresh[number], site.sizes[number])
        # Fresh groups that meet more of what is demanded may cost more.
        if short > SLACK or (after < most and short >= -SLACK):
            idle = _settle(groups, site, made, taken, spare, idle)
    trial = np.empty(groups.members.shape[1] + 1, dtype=np.int64)
    for number in range(len(groups.sizes)):
        refresh(records, groups, number, trial, site.room)


@njit(cache=True, nogil=True)
def _join(  # noqa: PLR0917
    records: Records, fresh: Ints, sizes: Ints, costs: Floats, count: int, record: int, room: Floats
) -> float:
    """Put a record into the group that it makes dearer by the least; return by how much."""
    best, least = -1, np.inf
    for number in range(count):
        if sizes[number] >= fresh.shape[1]:
            continue
        fresh[number, sizes[number]] = record
        extra = members_cost(records, fresh[number], sizes[number] + 1, room) - costs[number]
        if extra < least and not breaks(records, fresh[number], sizes[number]):
            best, least = number, extra
    if best < 0:
        return np.inf
    fresh[best, sizes[best]] = record
    sizes[best] += 1
    costs[best] += least
    return least
