"""Better groups of single records by moving records among groups nearby, those that hold one of the nearest records.

*Exchanging* moves a record to another group or lets two change places, *dissolving* gives a whole group away. What a
group would cost without each of its members is kept, so that most exchanges are ruled out before they are computed: a
group never gets cheaper by one more member.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.demands import SLACK, shortfall_of
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
        refresh(records, found, group, trial, room)
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
def refresh(records: Records, groups: Partition, group: int, trial: Ints, room: Floats) -> None:
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
            refresh(records, groups, here, trial, room)
            refresh(records, groups, to, trial, room)
            gained += gain
        if gained <= 1e-4 * before:
            break


@njit(cache=True, nogil=True)
def breaks(records: Records, members: Ints, size: int) -> bool:
    """Whether a group falls shorter of what is demanded with the member behind its first ``size``."""
    if len(records.demands.diversities) == 0:
        return False
    return shortfall_of(records.demands, members, size + 1) > shortfall_of(records.demands, members, size) + SLACK


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
                    if extra < least and not breaks(records, trial, groups.sizes[there]):
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
            refresh(records, groups, targets[place], trial, room)
        if not paid:
            refresh(records, groups, group, trial, room)
