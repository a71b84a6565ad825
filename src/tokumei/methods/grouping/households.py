"""People who belong together are never each other's cover: a group has at most one member of a household.

Groups of at least k members of different households exist exactly if no household has more people than there can be
groups, n // k. If: sort the people by household and deal them round to n // k groups; no household is longer than a
round, so that no group gets two of it, and every group gets at least k. Only if: each of its people needs a group.
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.errors import InfeasibleError
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.record_table import RecordTable

# So many groups are tried for somebody who has to move, by an estimate of what it costs.
GROUPS_TRIED, TRIAL_LIMIT = 20, 300


def groupable(houses: Ints, k: int) -> Bools:
    """Return who can be in groups of k households: of households that are too large the last people are left out."""
    kept = np.ones(len(houses), dtype=np.bool_)
    while kept.any():
        numbers, sizes = np.unique(houses[kept], return_counts=True)
        most = int(kept.sum()) // k
        if int(sizes.max()) <= most:
            return kept
        largest = np.flatnonzero(kept & (houses == numbers[int(np.argmax(sizes))]))
        kept[largest[-1]] = False
    return kept


def refuse_large_households(table: RecordTable, k: int) -> None:
    """Raise InfeasibleError if the owners of a table, households, do not make groups of k different ones."""
    numbers, sizes = np.unique(table.owners, return_counts=True)
    if int(sizes.max(initial=0)) > len(table) // k:
        message = (
            f"{len(numbers):,} households of {len(table):,} people do not make groups of k = {k} different ones: the "
            f"largest has {int(sizes.max())} people, and there can be {len(table) // k} groups; lower k or add data"
        )
        raise InfeasibleError(message, code="households")


def households_apart(table: RecordTable, groups: Groups, k: int) -> Groups:
    """Return groups in which all owners of the table, its households, are different; everybody is in one.

    Whoever is with the own household changes places with somebody of another group, where that costs least. Where
    nobody fits, groups are taken apart, and where that does not help everybody is dealt round.
    """
    lists = groups.lists()
    for place, group in enumerate(lists):
        for unit in _repeated(group, table.owners):
            _swap(table, lists, place, unit)
    kept, loose = _taken_apart(lists, table.owners, len(table), k)
    for unit in loose:
        best = _cheapest(table, kept, unit)
        if best < 0:
            return _dealt(table.owners, k)
        kept[best].append(unit)
    return Groups.of(kept)


def _repeated(group: list[int], houses: Ints) -> list[int]:
    """Return the members whose household an earlier member has."""
    _, first = np.unique(houses[group], return_index=True)
    return [unit for position, unit in enumerate(group) if position not in first]


def _swap(table: RecordTable, lists: list[list[int]], place: int, unit: int) -> None:
    """Exchange somebody for a member of another group, so that neither group has a household twice, if one can."""
    houses, counts = table.owners, table.counts()
    rest = [other for other in lists[place] if other != unit]
    near = sorted(range(len(lists)), key=lambda one: (abs(int(counts[lists[one]].min()) - int(counts[unit])), one))
    near = near[: 10 * GROUPS_TRIED]
    trials = [
        (one, [*rest, other], [*(member for member in lists[one] if member != other), unit])
        for one in near
        if one != place
        for other in lists[one]
        if houses[other] not in houses[rest]
        and houses[unit] not in houses[[member for member in lists[one] if member != other]]
    ][: GROUPS_TRIED * len(lists[place])]
    if not trials:
        return
    owns, others = [own for _, own, _ in trials], [theirs for _, _, theirs in trials]
    after: Floats = _costs(table, owns) + _costs(table, others)
    best = int(np.argmin(after - _costs(table, [lists[trial[0]] for trial in trials])))
    lists[place], lists[trials[best][0]] = owns[best], others[best]


def _costs(table: RecordTable, groups: list[list[int]]) -> Floats:
    return group_costs(table, Groups.of(groups), limit=TRIAL_LIMIT, rounds=1)


def _taken_apart(groups: list[list[int]], houses: Ints, count: int, k: int) -> tuple[list[list[int]], list[int]]:
    """Return the groups without members whose household they have already, and who is in no group of k then."""
    kept: list[list[int]] = []
    inside = np.zeros(count, dtype=np.bool_)
    for group in groups:
        _, first = np.unique(houses[group], return_index=True)
        members = [group[place] for place in sorted(first.tolist())]
        if len(members) >= k:
            kept.append(members)
            inside[members] = True
    return kept, np.flatnonzero(~inside).tolist()


def _cheapest(table: RecordTable, lists: list[list[int]], unit: int) -> int:
    """Return the group that somebody makes dearer by the least, -1 if all have the household."""
    house, counts = table.owners[unit], table.counts()
    fitting = [place for place, group in enumerate(lists) if house not in table.owners[group]]
    if not fitting:
        return -1
    near = sorted(fitting, key=lambda place: (abs(int(counts[lists[place]].min()) - int(counts[unit])), place))
    tried = near[:GROUPS_TRIED]
    after = _costs(table, [[*lists[place], unit] for place in tried])
    return tried[int(np.argmin(after - _costs(table, [lists[place] for place in tried])))]


def _dealt(houses: Ints, k: int) -> Groups:
    """Return groups to which everybody is dealt round by household."""
    order, rounds = np.argsort(houses, kind="stable"), len(houses) // k
    return Groups.of([np.sort(order[start::rounds]) for start in range(rounds)])
