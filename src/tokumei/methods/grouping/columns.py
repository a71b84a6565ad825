"""Column generation for single records: prices by the relaxed set partitioning program, a floor, and better partitions.

The program over all groups found so far gives every record a price; groups that undercut the prices join it
(`pricing`), until none is left or the rounds are over. Prices are taken between those of the program and the best that
are proven (Wentges, Weighted Dantzig-Wolfe decomposition, 1997): those of the program alone jump. In the end
neighbouring groups are dissolved, window by window, and a mixed-integer program picks the cheapest of all found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import scipy
from scipy.sparse import csc_matrix

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.pricing import nearest_prices, price_groups
from tokumei.methods.grouping.program import Windows, silence
from tokumei.methods.grouping.single_records import Records, costs_of

SMOOTH = 0.6
# The program begins with so many groups of each record and its nearest.
CHOICES = 20
# Windows of so many records, one pass each; they are solved up to a slack of their cost.
WIDTHS = (45, 75)
SLACK = 1e-4
TURNS = 5
# The program ends when it is that close to the floor.
CLOSE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnPlan:
    """How much work column generation may do: rounds, and steps of the search around each record."""

    rounds: int = 40
    budget: int = 4_000


@dataclass(frozen=True, eq=False, slots=True)
class Generated:
    """The best partition, its cost, and a floor for every partition into groups of at least k."""

    labels: Ints
    cost: float
    floor: float


@dataclass(eq=False, slots=True)
class _Columns:
    """Groups of records, one per line (-1 where it is shorter), with what they cost."""

    members: Ints
    costs: Floats

    def add(self, records: Records, fresh: Ints) -> int:
        """Cost the groups that are new; return how many there were."""
        known = len(self.members)
        merged, first = np.unique(np.concatenate((self.members, _sorted(fresh))), axis=0, return_index=True)
        new = merged[first >= known]
        self.members = np.concatenate((self.members, new))
        self.costs = np.concatenate((self.costs, costs_of(records, new)))
        return len(new)

    def matrix(self, count: int, chosen: Ints) -> csc_matrix:
        """Return how often a record (line) lies in which of the chosen groups (column)."""
        lines = self.members[chosen]
        present = lines >= 0
        bounds = np.concatenate(([0], np.cumsum(present.sum(axis=1))))
        matrix = csc_matrix((np.ones(bounds[-1]), lines[present], bounds), shape=(count, len(chosen)))
        matrix.sum_duplicates()
        return matrix


def _sorted(members: Ints) -> Ints:
    """Return groups with their members in order, free places last."""
    lines = np.sort(np.where(members < 0, np.iinfo(np.int64).max, members), axis=1)
    return np.where(lines == np.iinfo(np.int64).max, -1, lines)


def _lines(labels: Ints, most: int) -> Ints:
    """Return the groups that labels name, one per line."""
    order = np.argsort(labels, kind="stable")
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(labels)))
    lines = np.full((len(starts), most), -1, dtype=np.int64)
    lines[np.repeat(np.arange(len(starts)), sizes), np.arange(len(labels)) - np.repeat(starts, sizes)] = order
    return lines


def _around(near: Ints, k: int) -> Ints:
    """Return groups of every record and all choices among as many of its nearest as there are choices for."""
    reach = k - 1
    while reach < near.shape[1] and comb(reach + 1, k - 1) <= CHOICES:
        reach += 1
    choices = np.array(list(combinations(range(min(reach, near.shape[1])), k - 1)), dtype=np.int64).reshape(-1, k - 1)
    records = np.repeat(np.arange(len(near)), len(choices))
    lines = np.column_stack((records, near[:, choices].reshape(-1, k - 1)))
    lines = lines[(np.diff(np.sort(lines, axis=1), axis=1) > 0).all(axis=1)]
    return np.pad(lines, ((0, 0), (0, k - 1)), constant_values=-1)


@dataclass(frozen=True, eq=False, slots=True)
class _Priced:
    """All groups found, and prices that none undercuts, so that their sum is a floor."""

    columns: _Columns
    prices: Floats


def generate_columns(
    records: Records, labels: Ints, near: Ints, k: int, plan: ColumnPlan, *, others: Sequence[Ints] = ()
) -> Generated:
    """Improve a partition into groups of k to 2 k - 1 records, and prove how far it is from the best.

    ``near`` are the nearest records of each, of all of them; ``others`` are partitions whose groups may be used too.
    """
    found = _priced(records, _lines(labels, 2 * k - 1), near, k, plan)
    for other in others:
        found.columns.add(records, _lines(other, 2 * k - 1))
    before = float(costs_of(records, _lines(labels, 2 * k - 1)).sum())
    better, cost = _by_windows(found.columns, labels, near)
    return Generated(better if cost < before else labels, min(cost, before), float(found.prices.sum()))


def proven_prices(  # noqa: PLR0917
    records: Records, labels: Ints, near: Ints, k: int, plan: ColumnPlan, copies: Ints | None = None
) -> Floats:
    """Return prices that no group undercuts, as high as the rounds of the plan bring them.

    ``copies`` says how often each record occurs (default: once); ``labels`` then has one for each copy, in order.
    """
    lines = _lines(labels, 2 * k - 1)
    if copies is not None:
        lines = np.where(lines < 0, -1, np.repeat(np.arange(len(copies)), copies)[lines])
    return _priced(records, lines, near, k, plan, copies).prices


def settle(
    records: Records, prices: Floats, k: int, *, budget: int, turns: int, copies: Ints | None = None
) -> tuple[Floats, Ints]:
    """Lower prices until no group undercuts them; return them and the groups that did.

    To put all that a group saves on its dearest member proves the floor, but counts it once for each of its k members
    where all are too dear: so at first each pays its share only, and the best of all turns is taken.
    """
    often = np.ones(len(prices), dtype=np.int64) if copies is None else copies
    best, groups = prices, []
    for turn in range(turns):
        found = price_groups(records, prices, k, budget=budget, copies=copies)
        right = prices + found.savings
        best = right if turn == 0 or right @ often > best @ often else best
        groups.append(found.members)
        prices = prices + found.savings / k
    return best, np.concatenate(groups)


def _priced(  # noqa: PLR0917
    records: Records, lines: Ints, near: Ints, k: int, plan: ColumnPlan, copies: Ints | None = None
) -> _Priced:
    often = np.ones(len(near), dtype=np.int64) if copies is None else copies
    columns = _Columns(np.empty((0, 2 * k - 1), dtype=np.int64), np.empty(0))
    columns.add(records, lines)
    columns.add(records, _around(near, k) if copies is None else _copies_around(near, k, copies))
    proven = nearest_prices(records, near, k, copies)
    prices, value = _relaxed(columns, often)
    for _ in range(plan.rounds):
        asked = SMOOTH * proven + (1.0 - SMOOTH) * prices
        found = price_groups(records, asked, k, budget=plan.budget, copies=copies)
        feasible = asked + found.savings
        if feasible @ often > proven @ often:
            proven = feasible
        if value - float(proven @ often) <= CLOSE * value:
            break
        if columns.add(records, found.members):
            prices, value = _relaxed(columns, often)
    settled, more = settle(records, prices, k, budget=plan.budget, turns=TURNS, copies=copies)
    columns.add(records, more)
    return _Priced(columns, settled if settled @ often > proven @ often else proven)


def _copies_around(near: Ints, k: int, copies: Ints) -> Ints:
    """Return a group of every record, all copies of it and of its nearest, until there are k."""
    names = np.column_stack((np.arange(len(near)), near))
    places = np.cumsum(copies[names], axis=1)
    last = np.minimum(places, k)
    taken = np.diff(last, axis=1, prepend=0)
    full = last[:, -1] == k
    lines = np.repeat(names[full].ravel(), taken[full].ravel()).reshape(-1, k)
    return np.pad(lines, ((0, 0), (0, k - 1)), constant_values=-1)


def _relaxed(columns: _Columns, often: Ints) -> tuple[Floats, float]:
    """Solve the linear program; return the price of every record and its value."""
    everything = np.arange(len(columns.members))
    matrix = columns.matrix(len(often), everything)
    result = scipy.optimize.linprog(columns.costs, A_eq=matrix, b_eq=often, bounds=(0, None), method="highs")
    return np.asarray(result.eqlin.marginals, dtype=np.float64), float(result.fun)


def _by_windows(columns: _Columns, labels: Ints, near: Ints) -> tuple[Ints, float]:
    """Return a better partition: neighbouring groups are dissolved and their records covered at the least cost."""
    count = len(labels)
    lines = _lines(labels, columns.members.shape[1])
    known = {tuple(line): place for place, line in enumerate(columns.members.tolist())}
    current = np.array([known[tuple(line)] for line in lines.tolist()], dtype=np.int64)
    sizes = (columns.members >= 0).sum(axis=1)
    windows = Windows(columns.matrix(count, np.arange(len(sizes))).tocsr(), columns.costs, sizes)
    home = np.empty(count, dtype=np.int64)
    home[:] = current[np.unique(labels, return_inverse=True)[1]]
    with silence:
        for width in WIDTHS:
            covered = np.zeros(count, dtype=np.bool_)
            for record in range(count):
                if covered[record] or columns.costs[home[record]] <= 0.0:
                    continue
                dissolved = _nearby(home, near, record, sizes, width)
                covered[near[record]] = covered[record] = True
                for group in windows.solve(dissolved, SLACK * float(columns.costs[dissolved].sum())).tolist():
                    home[columns.members[group, : sizes[group]]] = group
    chosen, labels = np.unique(home, return_inverse=True)
    return labels.astype(np.int64), float(columns.costs[chosen].sum())


def _nearby(home: Ints, near: Ints, record: int, sizes: Ints, width: int) -> Ints:
    """Return the groups around a record, those of its nearest first and then of theirs, of ``width`` records."""
    taken: dict[int, None] = {}
    filled = 0
    for other in (record, *near[record].tolist(), *near[near[record]].ravel().tolist()):
        group = int(home[other])
        if group not in taken:
            taken[group] = None
            filled += int(sizes[group])
            if filled >= width:
                break
    return np.array(list(taken), dtype=np.int64)
