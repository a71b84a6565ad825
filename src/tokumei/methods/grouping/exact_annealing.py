"""Annealing on exact costs, for few people: where a search by exchanges is done in a second, more of it gains most.

Two members of groups near each other change places with the probability of Metropolis under a falling temperature. The
approximate cost decides first whether an exchange is costed at all, and the exact cost corrects what it let through, so
that exact costs alone decide what is likely in the end (delayed acceptance: Christen and Fox, Markov chain Monte Carlo
using an approximation, 2005). Costs that were computed are kept under a number of the group (Zobrist, 1970), because
the same groups come again and again when it gets cold. Work is counted in cells compared, never in seconds, and every
step draws the same number of random numbers: a last bit of a cost that differs changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
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

# Temperatures, as shares of what a pair inside a group costs; how much more the approximate cost lets through.
HOTTEST, COLDEST, LENIENCE = 0.6, 0.09, 2.0
# So many moves of a unit are enough; the annealing may be ended, and tells its cost, so many times.
MOVES_PER_UNIT, PARTS = 12_000, 12
# What a move costs that needs no exact cost, and an exact cost beside its cells, in cells compared.
MOVE_WORK, GROUP_WORK = 40.0, 400.0
KEPT_COSTS = 1 << 18
# A gain below this share of the cost is rounding.
ENOUGH = 1e-9


class _Kept(NamedTuple):
    """Costs of groups by the number of the group, and the random number of every unit that makes it up."""

    numbers: npt.NDArray[np.uint64]
    groups: npt.NDArray[np.uint64]
    costs: Floats


@njit(cache=True, nogil=True)
def _known_cost(  # noqa: PLR0917
    records: HistoryArrays, surplus: float, now: Arrangement, group: int, kept: _Kept, work: Floats
) -> float:
    """Return the exact cost of a group, computed if it is not kept; add to the work what it took."""
    number = np.uint64(0)
    for place in range(now.sizes[group]):
        number ^= kept.numbers[now.members[group, place]]
    at = np.int64(number & np.uint64(len(kept.groups) - 1))
    if kept.groups[at] != number:
        kept.groups[at] = number
        kept.costs[at] = exact_cost(records, surplus, now, group)
        work[0] += GROUP_WORK + _cells(records, now, group)
    return kept.costs[at]


@njit(cache=True, nogil=True)
def _cells(records: HistoryArrays, now: Arrangement, group: int) -> float:
    """Return how many cells are compared when the records of a group are aligned."""
    total, fewest = 0.0, np.inf
    for place in range(now.sizes[group]):
        unit = now.members[group, place]
        count = float(min(records.offsets[unit + 1] - records.offsets[unit], records.limit))
        total += count
        fewest = min(fewest, count)
    return (len(records.ordered) + len(records.nominal)) * fewest * (total - fewest)


@njit(cache=True, nogil=True)
def _anneal(  # noqa: PLR0917
    records: HistoryArrays,
    model: ModelArrays,
    now: Arrangement,
    kept: _Kept,
    moves: int,
    most_work: float,
    hottest: float,
    coldest: float,
    seed: int,
    state: Floats,
    stop: float,
    best: Ints,
) -> None:
    """Go on until ``stop`` of the annealing is done; ``state`` is the share done, work, moves, cost and least cost."""
    np.random.seed(seed)  # noqa: NPY002
    units, reach = model.neighbours.shape
    work, demanded = np.array([state[1]]), len(model.demands.diversities) > 0
    done, move, cost, least = state[0], state[2], state[3], state[4]
    while done < stop:
        move += 1.0
        work[0] += MOVE_WORK
        done = max(move / moves, work[0] / most_work)
        heat = hottest * (coldest / hottest) ** min(done, 1.0)
        unit = np.random.randint(units)  # noqa: NPY002
        target = now.home[model.neighbours[unit, np.random.randint(reach)]]  # noqa: NPY002
        chosen, first, second = np.random.random(), np.random.random(), np.random.random()  # noqa: NPY002
        source = now.home[unit]
        if target == source:
            continue
        other = now.members[target, int(chosen * now.sizes[target])]
        short = lacks(model, now, target, source) + SLACK if demanded else 0.0
        exchange(now, unit, other)
        one, two = rough_cost(model, now, target), rough_cost(model, now, source)
        guess = (one + two - now.rough[target] - now.rough[source]) / (LENIENCE * heat)
        if first >= np.exp(min(-guess, 0.0)) or (demanded and lacks(model, now, target, source) > short):
            exchange(now, unit, other)
            continue
        exact_one = _known_cost(records, model.surplus, now, target, kept, work)
        exact_two = _known_cost(records, model.surplus, now, source, kept, work)
        change = exact_one + exact_two - now.exact[target] - now.exact[source]
        # Two members of one owner cost without bound.
        if not second < np.exp(min(guess - change / heat, 0.0)):
            exchange(now, unit, other)
            continue
        now.exact[target], now.exact[source] = exact_one, exact_two
        now.rough[target], now.rough[source] = one, two
        cost += change
        if cost < least * (1.0 - ENOUGH):
            least = cost
            best[:] = now.home
    state[0], state[1], state[2], state[3], state[4] = done, work[0], move, cost, least


def typical_work(table: RecordTable, k: int) -> float:
    """Return what costing a group of k typical members takes, in cells compared."""
    records = len(table.rows) / max(len(table), 1)
    return GROUP_WORK + (len(table.ordered) + len(table.nominal)) * records * records * (k - 1)


def anneal_exactly(
    table: RecordTable, model: GroupModel, groups: list[list[int]], *, limit: int, most_work: float, seed: int
) -> Iterator[tuple[float, list[list[int]]]]:
    """Yield the least cost so far and its groups, which have the sizes of those given, part by part.

    Records are aligned once, without being taken out and matched again: half as dear, and a few thousandths more. So a
    cost that is told is an upper bound.
    """
    records, rough = lay_out(table, limit=limit, rounds=0), model_arrays(model)
    now = arrange(table, model, groups, limit=limit, rounds=0)
    cost = float(now.exact.sum())
    if cost <= 0.0 or len(groups) < 2:
        return
    size = len(table) / len(groups)
    pair = cost / len(groups) / size**2
    numbers = np.random.default_rng(seed).integers(1, 2**63, len(table)).astype(np.uint64)
    kept = _Kept(numbers, np.zeros(KEPT_COSTS, dtype=np.uint64), np.zeros(KEPT_COSTS))
    state, best = np.array([0.0, 0.0, 0.0, cost, cost]), now.home.copy()
    for part in range(PARTS):
        _anneal(
            records,
            rough,
            now,
            kept,
            MOVES_PER_UNIT * len(table),
            most_work,
            HOTTEST * pair,
            COLDEST * pair,
            seed * PARTS + part,
            state,
            (part + 1) / PARTS,
            best,
        )
        order = np.argsort(best, kind="stable")
        yield float(state[4]), [one.tolist() for one in np.split(order, np.cumsum(np.bincount(best))[:-1])]
