"""Units that are left over when the others are grouped: each joins the group that it makes dearer by the least.

Nobody is dropped: whole-subject deletion is visible in a release (research part 3, hole 6).
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.candidates import FORBIDDEN, Estimates
from tokumei.methods.grouping.groups import Groups, group_costs
from tokumei.methods.grouping.record_table import RecordTable

GROUPS_TRIED = 40
# Histories are compared in chunks of so many records where an estimate is enough.
TRIAL_LIMIT = 300


def absorb(
    table: RecordTable, estimates: Estimates, groups: list[list[int]], left: list[int], *, limit: int, threads: int = 1
) -> list[list[int]]:
    """Return the groups with every unit of ``left`` added to one of them (never to one that holds its owner)."""
    result = [list(group) for group in groups]
    for unit in sorted(left, key=lambda one: (table.counts()[one], one)):
        distance = np.array([estimates.cost[unit, group].sum() for group in result])
        tried = [int(one) for one in np.argsort(distance, kind="stable")[:GROUPS_TRIED] if distance[one] < FORBIDDEN]
        if not tried:
            continue
        before = group_costs(table, Groups.of([result[one] for one in tried]), limit=limit, threads=threads)
        after = group_costs(table, Groups.of([[*result[one], unit] for one in tried]), limit=limit, threads=threads)
        result[tried[int(np.argmin(after - before))]].append(unit)
    return result


def joining_costs(
    table: RecordTable, estimates: Estimates, size: int, *, limit: int, threads: int = 1
) -> tuple[Ints, Floats]:
    """Return the units that are cheapest to leave over, and what each would add to a group of ``size``.

    Only the cheapest units can be worth it: a unit pays at least its price wherever it is.
    """
    units = np.argsort(estimates.prices, kind="stable")[: 2 * GROUPS_TRIED]
    near = np.argsort(estimates.cost[units], axis=1, kind="stable")[:, : size + 2]
    trial, owner = [], []
    for unit, others in zip(units.tolist(), near.tolist(), strict=True):
        rest = [other for other in others if other != unit]
        for start in range(min(3, len(rest) - size + 1)):
            group = rest[start : start + size]
            if len({*table.owners[group].tolist(), int(table.owners[unit])}) == size + 1:
                trial.append((group, [*group, unit]))
                owner.append(unit)
    if not trial:
        return units[:0], np.empty(0)
    before = group_costs(table, Groups.of([one for one, _ in trial]), limit=limit, threads=threads)
    after = group_costs(table, Groups.of([one for _, one in trial]), limit=limit, threads=threads)
    best = np.full(len(table), np.inf)
    np.minimum.at(best, np.array(owner), after - before)
    chosen = np.flatnonzero(np.isfinite(best))
    return chosen, best[chosen]


def without_worst(table: RecordTable, groups: Groups, share: float) -> Groups:
    """Return the groups without those that lose most per member, as long as no more than a share of the units goes.

    Whole groups go, so that those who stay are still published alike in groups of at least k.
    """
    if share <= 0 or len(groups) == 0:
        return groups
    sizes = groups.sizes()
    lost = group_costs(table, groups, limit=TRIAL_LIMIT, rounds=1) / sizes
    order = np.lexsort((np.arange(len(sizes)), -lost))
    gone = np.cumsum(sizes[order]) <= share * len(table)
    kept = np.ones(len(sizes), dtype=np.bool_)
    kept[order[gone & (lost[order] > 0)]] = False
    return Groups.of([group for group, stays in zip(groups.lists(), kept.tolist(), strict=True) if stays])
