"""A certified lower bound for every strict k-anonymity of a history (research part 2).

In a group of any size a random cyclic permutation of its members costs, in expectation, no more than the group itself;
so half the cheapest assignment of all units to others, at pair costs, is a floor for every strict scheme. Exact costs
of all pairs are not needed: starting from lower bounds of pair costs, the pairs an optimal assignment uses are made
exact until it uses no other. Every intermediate value is a valid floor too.

Lower bound of a pair, field by field: if s cells are suppressed, the cost is at least 2 s, and at least the windowed
distances with windows widened by s on both sides; the smaller s, the larger the second, so the best s is bisected.

The argument holds for every loss: where one more member never makes a cell narrower (ncp, entropy, hierarchy) each
member loses at least what it loses in a pair with the next; for the variance a group of g has the sum of squared
distances of its pairs over g, the permutation half of it over g - 1, and g <= 2 (g - 1).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numba import njit

from tokumei.array_types import Codes, Floats, Floats32, Ints
from tokumei.data import Goal, History, Score, assign
from tokumei.methods.grouping.candidates import FORBIDDEN
from tokumei.methods.grouping.costs import SortedFields, exact_matched, surplus_costs, unshared
from tokumei.methods.grouping.losses import Loss, LossName
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.words import Message

# Sorted fields are kept in single precision; this share of a bound covers their rounding.
ROUNDING = 1e-4
LARGEST_EXACT = 6000
MOST_ROUNDS = 60


@njit(cache=True, nogil=True)
def _widened(a: Floats32, b: Floats32, s: int) -> float:
    """Return the capped distances of sorted a to their windows in sorted b, widened by s on both sides."""
    slack = len(b) - len(a)
    total = 0.0
    for i in range(len(a)):
        apart = 0.0
        if i - s >= 0:
            apart = max(apart, b[i - s] - a[i])
        if i + slack + s < len(b):
            apart = max(apart, a[i] - b[i + slack + s])
        total += min(apart, 2.0)
    return total


@njit(cache=True, nogil=True)
def _field_bound(a: Floats32, b: Floats32) -> float:
    """Return the smallest over s of max(2 s, widened distances)."""
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if 2.0 * middle >= _widened(a, b, middle):
            high = middle
        else:
            low = middle + 1
    floor = 2.0 * low
    return min(floor, _widened(a, b, low - 1)) if low > 0 else _widened(a, b, 0)


@njit(cache=True, nogil=True)
def _bounds(  # noqa: PLR0917
    ordered: Floats32, ordered_weights: Floats, nominal: Codes, nominal_weights: Floats, offsets: Ints, out: Floats
) -> None:
    for one in range(len(out)):
        for other in range(one):
            a, b = one, other
            if offsets[a + 1] - offsets[a] > offsets[b + 1] - offsets[b]:
                a, b = b, a
            total = 0.0
            for field in range(ordered.shape[0]):
                total += ordered_weights[field] * _field_bound(
                    ordered[field, offsets[a] : offsets[a + 1]], ordered[field, offsets[b] : offsets[b + 1]]
                )
            for field in range(nominal.shape[0]):
                total += nominal_weights[field] * unshared(
                    nominal[field, offsets[a] : offsets[a + 1]], nominal[field, offsets[b] : offsets[b + 1]]
                )
            out[one, other] = out[other, one] = total


def lower_pair_costs(table: RecordTable) -> Floats:
    """Return a lower bound of the matched cost of every pair of units; a table with missing values has none but 0."""
    out = np.zeros((len(table), len(table)))
    if (table.ordered >= FORBIDDEN).any():
        return out
    fields = SortedFields.of(table)
    ordered, nominal = table.loss.floor_scales
    _bounds(
        fields.ordered,
        table.ordered_weights * ordered,
        fields.nominal,
        table.nominal_weights * nominal,
        table.offsets,
        out,
    )
    return out * (1.0 - ROUNDING)


def strict_bound(
    history: History, *, loss: str = LossName.CELL_ERROR, weights: Mapping[str, float] | None = None, threads: int = 1
) -> Score:
    """Return the floor of the mean loss of a cell (2018: U) of every strict k-anonymity with k >= 2."""
    table = RecordTable.from_history(history, weights, loss=Loss.of(loss, history))
    counts = table.counts()
    cost = lower_pair_costs(table) + table.surplus * np.abs(counts[:, None] - counts[None, :])
    np.fill_diagonal(cost, FORBIDDEN)
    exact = np.eye(len(table), dtype=np.bool_)
    warnings: tuple[Message, ...] = (Message("warning.bound-rounds"),)
    for _ in range(MOST_ROUNDS):
        solution = assign(cost)
        reduced = cost - solution.row_prices[:, None] - solution.column_prices[None, :]
        price = float(np.abs(solution.row_prices).mean())
        used = np.zeros_like(exact)
        used[np.arange(len(table)), solution.columns] = True
        if not (used & ~exact).any():
            warnings = ()
            break
        near = (used | (reduced < 0.02 * price)) & ~exact
        first, second = np.nonzero(np.triu(near | near.T, 1))
        matched = exact_matched(table, first, second, limit=LARGEST_EXACT, threads=threads)
        cost[first, second] = cost[second, first] = matched + surplus_costs(table, first, second)
        exact[first, second] = exact[second, first] = True
    value = solution.cost / 2.0 / (table.surplus * max(len(history), 1))
    return Score(name="strict-bound", value=value, goal=Goal.LOWER, warnings=warnings)
