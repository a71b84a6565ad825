"""Whether a group tells too much of a sensitive column: the one judge that every search and the repair ask.

A group is judged by how often its members have each value (all records of a history count). What it lacks is a number,
0 where all demands are met: l-diversity (Machanavajjhala et al. 2007), t-closeness (Li et al. 2007), or a bound on how
much more frequent a value may be than in all the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Bools, Floats, Ints
from tokumei.data import Demand

SLACK = 1e-9
DIVERSITIES = ("distinct", "entropy", "recursive")
DISTINCT, ENTROPY, RECURSIVE = range(3)
_NUMBERS = ("values", "c", "t", "gain")
# No group is grown beyond so many people for the sake of a demand.
MOST_MEMBERS = 60


class DemandArrays(NamedTuple):
    """What is demanded of groups, and what every unit has.

    Unit u has the values ``value[starts[u]:starts[u + 1]]`` in these ``amounts``; values of all columns are numbered
    one after the other, those of a column from ``bounds[column]`` on. ``shares`` are those of all the data. The
    ``diversities`` are numbers of `DIVERSITIES`; l, c, t and gain have an entry per column.
    """

    starts: Ints
    value: Ints
    amounts: Floats
    bounds: Ints
    shares: Floats
    diversities: Ints
    ordered: Bools
    least: Floats
    c: Floats
    t: Floats
    gain: Floats

    def take(self, units: Ints) -> DemandArrays:
        """Return the same demands for these units alone."""
        if not len(self.diversities):
            return self
        sizes = np.diff(self.starts)[units]
        starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        entries = np.arange(starts[-1]) + np.repeat(self.starts[units] - starts[:-1], sizes)
        return self._replace(starts=starts, value=self.value[entries], amounts=self.amounts[entries])


def demand_arrays(columns: Sequence[tuple[Demand, Floats]]) -> DemandArrays:
    """Lay out demands, each with how often every unit (line) has which value, in ascending order."""
    asked = [demand for demand, _ in columns]
    every = np.concatenate([counts for _, counts in columns], axis=1) if columns else np.zeros((0, 0))
    unit, value = np.nonzero(every)
    totals = [counts.sum(axis=0) for _, counts in columns]
    return DemandArrays(
        np.searchsorted(unit, np.arange(len(every) + 1)).astype(np.int64),
        value.astype(np.int64),
        every[unit, value],
        np.cumsum([0, *(counts.shape[1] for _, counts in columns)]).astype(np.int64),
        np.concatenate([total / max(float(total.sum()), 1e-300) for total in totals]) if totals else np.zeros(0),
        np.array([DIVERSITIES.index(demand.diversity) for demand in asked], dtype=np.int64),
        np.array([demand.distance == "ordered" for demand in asked], dtype=np.bool_),
        *(np.array([getattr(demand, name) for demand in asked], dtype=np.float64) for name in _NUMBERS),
    )


NO_DEMANDS = demand_arrays(())


@njit(cache=True, nogil=True)
def _lacking(demands: DemandArrays, column: int, held: Floats) -> float:
    """Return by how much a group that holds values so often falls short in a column."""
    first, last, least = demands.bounds[column], demands.bounds[column + 1], demands.least[column]
    kind, asks_shares = demands.diversities[column], demands.t[column] < 1.0 or demands.gain[column] < 1.0
    total, present = 0.0, 0
    for value in range(first, last):
        total += held[value]
        present += held[value] > 0.0
        if kind == DISTINCT and not asks_shares and present >= least:
            return 0.0
    total = max(total, 1e-300)
    short = 0.0
    if asks_shares:
        above, most, run, moved = 0.0, -1.0, 0.0, 0.0
        for value in range(first, last):
            more = held[value] / total - demands.shares[value]
            above += abs(more) / 2.0
            most = max(most, more)
            run += more
            moved += abs(run)
        distance = moved / max(last - first - 1, 1) if demands.ordered[column] else above
        short = max(distance - demands.t[column] - SLACK, 0.0) + max(most - demands.gain[column] - SLACK, 0.0)
    if least <= 1.0:
        return short
    if kind == DISTINCT:
        return short + max(least - present, 0.0)
    if kind == ENTROPY:
        entropy = 0.0
        for value in range(first, last):
            if held[value] > 0.0:
                entropy -= held[value] / total * np.log(held[value] / total)
        return short + max(np.log(least) - entropy - SLACK, 0.0)
    rising = np.sort(held[first:last])
    rest = rising[: max(len(rising) - int(least) + 1, 0)].sum()
    # The most frequent value must be strictly rarer than c times the rest.
    return short + max((rising[-1] - demands.c[column] * rest) / total + SLACK, 0.0)


@njit(cache=True, nogil=True)
def held_by(demands: DemandArrays, members: Ints, size: int) -> Floats:
    """Return how often the first ``size`` members have each value."""
    held = np.zeros(len(demands.shares))
    for place in range(size):
        for entry in range(demands.starts[members[place]], demands.starts[members[place] + 1]):
            held[demands.value[entry]] += demands.amounts[entry]
    return held


@njit(cache=True, nogil=True)
def shortfall_of(demands: DemandArrays, members: Ints, size: int) -> float:
    """Return by how much the first ``size`` members, as one group, fall short of all demands; 0: they meet them."""
    if len(demands.diversities) == 0:
        return 0.0
    held, short = held_by(demands, members, size), 0.0
    for column in range(len(demands.diversities)):
        short += _lacking(demands, column, held)
    return short


@njit(cache=True, nogil=True)
def shortfalls(demands: DemandArrays, members: Ints, bounds: Ints) -> Floats:
    """Return the shortfall of groups that stand one after the other."""
    short = np.zeros(len(bounds) - 1)
    for group in range(len(short)):
        short[group] = shortfall_of(
            demands, members[bounds[group] : bounds[group + 1]], bounds[group + 1] - bounds[group]
        )
    return short


@njit(cache=True, nogil=True)
def _outlook(demands: DemandArrays, column: int, held: Floats, left: int) -> float:
    """Return by how much a group falls short after ``left`` more records of the values that it lacks most."""
    first, last = demands.bounds[column], demands.bounds[column + 1]
    asks_shares = demands.t[column] < 1.0 or demands.gain[column] < 1.0
    full, size = held.copy(), held[first:last].sum() + left
    for _ in range(left):
        best, most = first, -np.inf
        for value in range(first, last):
            wanted = (demands.shares[value] * size if asks_shares else 0.0) - full[value]
            if wanted > most and demands.shares[value] > 0.0:
                best, most = value, wanted
        full[best] += 1.0
    return _lacking(demands, column, full)


@njit(cache=True, nogil=True)
def can_be_met(demands: DemandArrays, held: Floats, left: int) -> bool:
    """Whether a group that holds these values may meet all demands after ``left`` more records."""
    short = 0.0
    for column in range(len(demands.diversities)):
        short += _outlook(demands, column, held, left)
    return short <= 0.0


@njit(cache=True, nogil=True)
def size_to_meet(demands: DemandArrays, held: Floats, size: int, k: int, largest: int) -> int:
    """Return the least size, k or more, at which a group of single records may meet all demands."""
    wanted = max(k, size)
    while wanted < largest and not can_be_met(demands, held, wanted - size):
        wanted += 1
    return wanted


@njit(cache=True, nogil=True)
def allowed_values(demands: DemandArrays, held: Floats, left: int, allowed: Bools) -> None:
    """Mark the values of which one more leaves the demands of their column reachable with ``left`` more records.

    Behind those of all values stands one mark per column: for a record that has no value there.
    """
    for column in range(len(demands.diversities)):
        for value in range(demands.bounds[column], demands.bounds[column + 1]):
            held[value] += 1.0
            allowed[value] = _outlook(demands, column, held, left) <= 0.0
            held[value] -= 1.0
        allowed[len(demands.shares) + column] = _outlook(demands, column, held, left) <= 0.0


@njit(cache=True, nogil=True)
def is_allowed(demands: DemandArrays, allowed: Bools, record: int) -> bool:
    """Whether all values of a record are marked."""
    entry, last = demands.starts[record], demands.starts[record + 1]
    for column in range(len(demands.diversities)):
        mark = len(demands.shares) + column
        if entry < last and demands.value[entry] < demands.bounds[column + 1]:
            mark = demands.value[entry]
            entry += 1
        if not allowed[mark]:
            return False
    return True


def most_members(demands: DemandArrays, k: int) -> int:
    """Return how large groups of single records may have to be: twice what anybody's value takes, less one."""
    wanted = k
    for value in range(len(demands.shares)):
        held = np.zeros(len(demands.shares))
        held[value] = 1.0
        wanted = max(wanted, size_to_meet(demands, held, 1, k, max(MOST_MEMBERS, k)))
    return 2 * wanted - 1
