"""Which pairs of units are worth an exact cost: those whose estimate is low against the prices of both.

A price says what a unit has to pay at least in an optimal assignment of the estimates. Choosing by reduced cost
(estimate minus both prices) instead of by distance finds the pairs an optimal solution uses among 5 to 10 candidates
per unit (research part 2), because somebody must be paired with the outliers too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import assign, distinct
from tokumei.methods.grouping.costs import estimate_pairs, exact_matched, surplus_costs
from tokumei.methods.grouping.demands import shortfalls
from tokumei.methods.grouping.record_table import RecordTable

# The cost of a pair that must not be: a unit with itself, or two units of one owner.
FORBIDDEN = 1e12
# A pair that does not meet the demands costs so many times all cells of the longest history.
BROKEN = 4.0


@dataclass(frozen=True, eq=False, slots=True)
class Estimates:
    """Estimated cost of every pair of a block, and the price of every unit."""

    cost: Floats
    prices: Floats

    def reduced(self) -> Floats:
        """Return the estimate of every pair minus the prices of both."""
        return self.cost - self.prices[:, None] - self.prices[None, :]


@dataclass(frozen=True, eq=False, slots=True)
class PairGraph:
    """Pairs (first < second) with their exact cost."""

    first: Ints
    second: Ints
    cost: Floats


def broken_pairs(table: RecordTable, first: Ints, second: Ints) -> Floats:
    """Return what is added to the cost of pairs that do not meet the demands: more than any other pair loses."""
    if not len(table.demands.diversities):
        return np.zeros(len(first))
    short = shortfalls(table.demands, np.stack((first, second), axis=1).ravel(), np.arange(len(first) + 1) * 2)
    return np.where(short > 0, BROKEN * table.surplus * int(table.counts().max()) * (1.0 + short), 0.0)


def estimate_costs(table: RecordTable, *, threads: int = 1, pairs: bool = False) -> Estimates:
    """Estimate all pairs of a block and price its units by an assignment without fixed points.

    ``pairs`` says that two units are a group: those who do not meet the demands are kept apart.
    """
    counts = table.counts()
    cost = estimate_pairs(table, threads=threads).astype(np.float64)
    cost += table.surplus * np.abs(counts[:, None] - counts[None, :])
    if pairs and len(table.demands.diversities):
        first, second = np.triu_indices(len(table), 1)
        cost[first, second] += broken_pairs(table, first, second)
        cost[second, first] = cost[first, second]
    cost[table.owners[:, None] == table.owners[None, :]] = FORBIDDEN
    solution = assign(cost)
    return Estimates(cost, (solution.row_prices + solution.column_prices) / 2.0)


def choose_pairs(table: RecordTable, estimates: Estimates, per_unit: int) -> tuple[Ints, Ints]:
    """Return the candidate pairs: the best per unit by reduced cost, and neighbours by record count.

    The neighbours make sure that everybody can be paired, whatever the estimates say.
    """
    count = len(table)
    wanted = min(per_unit, count - 1)
    line, nearest = least_of_lines(estimates.reduced(), wanted)
    chain = np.lexsort((np.arange(count), table.counts()))
    first = np.concatenate((line, chain[:-1]))
    second = np.concatenate((nearest, chain[1:]))
    key = distinct(np.minimum(first, second) * count + np.maximum(first, second))
    first, second = np.divmod(key, max(count, 1))
    allowed = table.owners[first] != table.owners[second]
    return first[allowed], second[allowed]


def least_of_lines(values: Floats, wanted: int) -> tuple[Ints, Ints]:
    """Return line and column of the least values of every line, of equal ones the first; to sort lines is dearer."""
    if not wanted:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    last = np.partition(values, wanted - 1, axis=1)[:, wanted - 1 : wanted]
    line, column = np.nonzero(values <= last)
    # Where several are equal to the last, there are too many: those before it first, then by column.
    order = np.lexsort((column, values[line, column] == last[line, 0], line))
    line, column = line[order], column[order]
    rank = np.arange(len(line)) - np.searchsorted(line, line)
    return line[rank < wanted], column[rank < wanted]


def exact_graph(table: RecordTable, first: Ints, second: Ints, *, limit: int, threads: int = 1) -> PairGraph:
    """Return the pairs with their exact costs."""
    matched = exact_matched(table, first, second, limit=limit, threads=threads)
    cost = matched + surplus_costs(table, first, second) + broken_pairs(table, first, second)
    return PairGraph(first, second, cost)
