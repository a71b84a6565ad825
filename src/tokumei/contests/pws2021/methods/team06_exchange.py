"""Steps 3 and 4 of Team 06: swap records among the kept rows, then plant deleted records as decoys (spec D.8).

A record may stand in another one's place only if the information loss stays within the limit and it is not among the
most similar records of the original: then the nearest rows of D never lead to the true one.
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Bools, Ints
from tokumei.contests.pws2021.rows import pair_distances, pair_losses
from tokumei.contests.pws2021.table import HealthTable
from tokumei.contests.pws2021.tracker import UtilityTracker
from tokumei.progress import stage

BLOCK = 256
Limits = tuple[float, float, float]


def allowed_records(table: HealthTable, kept: Ints, *, limit: float, similar: int) -> Bools:
    """Return for every kept row (in order) which rows of the table may stand in its place.

    Excluded are the ``similar`` nearest records among the kept rows, and whatever is as near as they are.
    """
    allowed = np.zeros((len(kept), table.height), dtype=bool)
    pool = np.zeros(table.height, dtype=bool)
    pool[kept] = True
    with stage("candidates", len(kept)) as advance:
        for start in range(0, len(kept), BLOCK):
            rows = kept[start : start + BLOCK]
            block = table.take(rows)
            distances = pair_distances(block, table)
            within = distances[:, pool]
            # The row itself is one of the kept rows; its distance 0 takes the first place.
            rank = min(similar, within.shape[1] - 1)
            nearest = np.partition(within, rank, axis=1)[:, rank] if similar else np.full(len(rows), -1.0)
            allowed[start : start + BLOCK] = (pair_losses(block, table) <= limit) & (distances > nearest[:, None])
            advance(len(rows))
    allowed[np.arange(len(kept)), kept] = False
    return allowed


def swap_records(mutual: Bools, *, scarce_first: bool, rng: np.random.Generator) -> Ints:
    """Return the partner of every row, -1 for none: pairs that may exchange their records, found greedily.

    Rows are visited in random order, or those with the fewest possible partners first.
    """
    count = len(mutual)
    order = rng.permutation(count)
    if scarce_first:
        order = order[np.argsort(mutual.sum(axis=1)[order], kind="stable")]
    partner = np.full(count, -1, dtype=np.int64)
    free = np.ones(count, dtype=bool)
    for row in order.tolist():
        if not free[row]:
            continue
        choices = np.flatnonzero(mutual[row] & free)
        if len(choices):
            other = int(rng.choice(choices))
            partner[row], partner[other] = other, row
            free[row] = free[other] = False
    return partner


def plant_decoys(
    tracker: UtilityTracker,
    allowed: Bools,
    deleted: Ints,
    *,
    limits: Limits,
    most: int | None,
    rng: np.random.Generator,
) -> Bools:
    """Show deleted records in places where they are allowed, each once; return which positions were replaced.

    A replacement is kept if umark stays within the limits, or at least comes no farther from them.
    """
    unused = np.zeros(allowed.shape[1], dtype=bool)
    unused[deleted] = True
    replaced = np.zeros(len(allowed), dtype=bool)
    current = tracker.violation().excess(limits)
    left = len(deleted) if most is None else most
    with stage("decoys", len(allowed)) as advance:
        for position in rng.permutation(len(allowed)).tolist():
            advance(1)
            if left == 0:
                break
            choices = np.flatnonzero(allowed[position] & unused)
            if len(choices) == 0:
                continue
            before = int(tracker.shown[position])
            change = tracker.influence(choices) - tracker.influence(np.array([before]))
            best = int(choices[tracker.odds_after(change).argmin()])
            tracker.replace(np.array([position]), np.array([best]))
            after = tracker.violation().excess(limits)
            if after > max(1.0, current):
                tracker.replace(np.array([position]), np.array([before]))
                continue
            current, replaced[position], unused[best] = after, True, False
            left -= 1
    return replaced
