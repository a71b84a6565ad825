"""Better groups of single records by local search among groups nearby, those that hold one of the nearest records.

*Rebuilding* dissolves some neighbouring groups and grows them anew from another start; it is kept if it costs less
(large neighbourhood search: Shaw, 1998). *Exchanging* moves a record to another group or lets two change places. What a
group would cost without each of its members is kept, so that most exchanges are ruled out before they are computed: a
group never gets cheaper by one more member.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.demands import SLACK, shortfall_of
from tokumei.methods.grouping.k_members import grow_pool
from tokumei.methods.grouping.record_pools import Pool, fill_pool, make_pool
from tokumei.methods.grouping.single_records import Records, members_cost

ENOUGH = 1e-9


class Partition(NamedTuple):
    """Groups as arrays that the search changes in place.

    ``members[g, :sizes[g]]`` are the records of group g (none: a free place for a group), ``home`` says where a record
    is; ``costs`` are those of the groups, ``without[r]`` what the group of r would cost without it.
    """

    members: Ints
    sizes: Ints
    home: Ints
    costs: Floats
    without: Floats


@njit(cache=True, nogil=True)
def place_rest(records: Records, labels: Ints, near: Ints, most: int) -> None:
    """Give every record without a group the cheapest of the groups nearby that have room, else the smallest group."""
    sizes = np.bincount(labels[labels >= 0])
    members = np.full((len(sizes), most), -1, dtype=np.int64)
    filled = np.zeros(len(sizes), dtype=np.int64)
    for record in range(len(labels)):
        if labels[record] >= 0:
            members[labels[record], filled[labels[record]]] = record
            filled[labels[record]] += 1
    room, trial = np.empty((3, most)), np.empty(most, dtype=np.int64)
    for record in range(len(labels)):
        if labels[record] >= 0:
            continue
        best, least = -1, np.inf
        for other in near[record]:
            group = labels[other]
            if group < 0 or filled[group] >= most:
                continue
            size = filled[group]
            trial[:size] = members[group, :size]
            before = members_cost(records, trial, size, room)
            trial[size] = record
            extra = members_cost(records, trial, size + 1, room) - before
            if extra < least:
                best, least = group, extra
        if best < 0:
            best = int(np.argmin(filled))
        members[best, filled[best]] = record
        filled[best] += 1
        labels[record] = best


@njit(cache=True, nogil=True)
def partition_of(records: Records, labels: Ints, groups: int, most: int) -> Partition:
    """Return the groups that labels name, with their costs; ``groups`` places for groups of at most ``most``."""
    found = Partition(
        np.full((groups, most), -1, dtype=np.int64),
        np.zeros(groups, dtype=np.int64),
        labels.copy(),
        np.zeros(groups),
        np.zeros(len(labels)),
    )
    room, trial = np.empty((3, most + 1)), np.empty(most + 1, dtype=np.int64)
    for record in range(len(labels)):
        group = labels[record]
        found.members[group, found.sizes[group]] = record
        found.sizes[group] += 1
    for group in range(groups):
        _refresh(records, found, group, trial, room)
    return found


@njit(cache=True, nogil=True)
def _changed(  # noqa: PLR0917
    records: Records, groups: Partition, group: int, leaves: int, enters: int, trial: Ints, room: Floats
) -> float:
    """Return what a group costs after one record left it and another entered it (-1: nobody)."""
    return members_cost(records, trial, _after(groups, group, leaves, enters, trial), room)


@njit(cache=True, nogil=True)
def _after(groups: Partition, group: int, leaves: int, enters: int, trial: Ints) -> int:
    """Write down who is in a group after one record left it and another entered it; return how many."""
    size = 0
    for place in range(groups.sizes[group]):
        member = groups.members[group, place]
        if member != leaves:
            trial[size] = member
            size += 1
    if enters >= 0:
        trial[size] = enters
        size += 1
    return size


@njit(cache=True, nogil=True)
def _refresh(records: Records, groups: Partition, group: int, trial: Ints, room: Floats) -> None:
    """Compute the costs of a group that was changed."""
    cost = _changed(records, groups, group, -1, -1, trial, room)
    groups.costs[group] = cost
    for place in range(groups.sizes[group]):
        member = groups.members[group, place]
        groups.home[member] = group
        # Nobody can be spared from a group that costs nothing: it costs nothing without him either.
        groups.without[member] = _changed(records, groups, group, member, -1, trial, room) if cost > 0.0 else 0.0


@njit(cache=True, nogil=True)
def _falls_short(  # noqa: PLR0917
    records: Records, groups: Partition, here: int, there: int, leaves: int, enters: int, trial: Ints
) -> bool:
    """Whether two groups fall shorter of what is demanded after a record went from one to the other, and one back."""
    if len(records.demands.diversities) == 0:
        return False
    before = after = 0.0
    for group, goes, comes in ((here, leaves, enters), (there, enters, leaves)):
        before += shortfall_of(records.demands, groups.members[group], groups.sizes[group])
        after += shortfall_of(records.demands, trial, _after(groups, group, goes, comes, trial))
    return after > before + SLACK


@njit(cache=True, nogil=True)
def _leave(groups: Partition, record: int) -> None:
    group = groups.home[record]
    for place in range(groups.sizes[group]):
        if groups.members[group, place] == record:
            groups.sizes[group] -= 1
            groups.members[group, place] = groups.members[group, groups.sizes[group]]
            break


@njit(cache=True, nogil=True)
def _enter(groups: Partition, record: int, group: int) -> None:
    groups.members[group, groups.sizes[group]] = record
    groups.sizes[group] += 1
    groups.home[record] = group


@njit(cache=True, nogil=True)
def _best_exchange(  # noqa: PLR0917
    records: Records, groups: Partition, record: int, near: Ints, k: int, tried: Ints, trial: Ints, room: Floats
) -> tuple[float, int, int]:
    """Return the gain of the best move or exchange of a record, where it goes, and who comes back (-1: nobody)."""
    here = groups.home[record]
    most = groups.members.shape[1]
    best, to, back = ENOUGH, -1, -1
    for other in near:
        there = groups.home[other]
        if there == here or tried[there] == record:
            continue
        tried[there] = record
        before = groups.costs[here] + groups.costs[there] - groups.without[record]
        if groups.sizes[here] > k and groups.sizes[there] < most and before - groups.costs[there] > best:
            gain = before - _changed(records, groups, there, -1, record, trial, room)
            if gain > best and not _falls_short(records, groups, here, there, record, -1, trial):
                best, to, back = gain, there, -1
        for place in range(groups.sizes[there]):
            partner = groups.members[there, place]
            if before - groups.without[partner] <= best:
                continue
            after = _changed(records, groups, there, partner, record, trial, room)
            if before - after <= best:
                continue
            gain = before + groups.without[record] - after
            gain -= _changed(records, groups, here, record, partner, trial, room)
            if gain > best and not _falls_short(records, groups, here, there, record, partner, trial):
                best, to, back = gain, there, partner
    return best, to, back


@njit(cache=True, nogil=True)
def exchange(records: Records, groups: Partition, near: Ints, k: int, passes: int) -> None:
    """Move and exchange records until nothing gets better, or the passes are over."""
    most = groups.members.shape[1] + 1
    trial, room = np.empty(most, dtype=np.int64), np.empty((3, most))
    tried = np.empty(len(groups.sizes), dtype=np.int64)
    for _ in range(passes):
        gained, before = 0.0, groups.costs.sum()
        tried[:] = -1
        for record in range(len(groups.home)):
            here = groups.home[record]
            # Who does not make his group dearer gains nothing by leaving it.
            if groups.costs[here] - groups.without[record] <= ENOUGH:
                continue
            gain, to, back = _best_exchange(records, groups, record, near[record], k, tried, trial, room)
            if to < 0:
                continue
            _leave(groups, record)
            if back >= 0:
                _leave(groups, back)
                _enter(groups, back, here)
            _enter(groups, record, to)
            _refresh(records, groups, here, trial, room)
            _refresh(records, groups, to, trial, room)
            gained += gain
        if gained <= 1e-4 * before:
            break


@njit(cache=True, nogil=True)
def dissolve(records: Records, groups: Partition, near: Ints) -> None:
    """Give the members of a group to groups nearby, one after the other, wherever that costs less than the group."""
    most = groups.members.shape[1]
    trial, room = np.empty(most + 1, dtype=np.int64), np.empty((3, most + 1))
    targets = np.empty(most, dtype=np.int64)
    for group in range(len(groups.sizes)):
        size, gain = groups.sizes[group], groups.costs[group]
        if gain <= ENOUGH:
            continue
        placed = 0
        while placed < size and gain > ENOUGH:
            record = groups.members[group, placed]
            least, to = gain, -1
            for other in near[record]:
                there = groups.home[other]
                if there != group and groups.sizes[there] < most:
                    extra = _changed(records, groups, there, -1, record, trial, room) - groups.costs[there]
                    if extra < least and not _breaks(records, trial, groups.sizes[there]):
                        least, to = extra, there
            if to < 0:
                break
            gain -= least
            targets[placed] = to
            groups.members[to, groups.sizes[to]] = record
            groups.sizes[to] += 1
            groups.costs[to] += least
            placed += 1
        paid = placed == size and gain > ENOUGH
        if paid:
            groups.sizes[group], groups.costs[group] = 0, 0.0
        for place in range(placed):
            # Undone by taking the last one away again: records were put at the end.
            groups.sizes[targets[place]] -= 0 if paid else 1
        for place in range(placed):
            _refresh(records, groups, targets[place], trial, room)
        if not paid:
            _refresh(records, groups, group, trial, room)


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
        _refresh(records, groups, number, trial, site.room)


@njit(cache=True, nogil=True)
def _breaks(records: Records, members: Ints, size: int) -> bool:
    """Whether a group falls shorter of what is demanded with the member behind its first ``size``."""
    if len(records.demands.diversities) == 0:
        return False
    return shortfall_of(records.demands, members, size + 1) > shortfall_of(records.demands, members, size) + SLACK


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
        if extra < least and not _breaks(records, fresh[number], sizes[number]):
            best, least = number, extra
    if best < 0:
        return np.inf
    fresh[best, sizes[best]] = record
    sizes[best] += 1
    costs[best] += least
    return least
