"""The linear assignment problem: give every row a column of its own so that the summed cost is smallest.

Shortest augmenting paths with column prices (Jonker and Volgenant, Computing 38, 1987; rectangular form as in Crouse,
IEEE Trans. Aerospace 52, 2016): rows are first settled by augmenting row reduction, the few that remain by Dijkstra
searches over reduced costs. Rows must not outnumber columns. Unassigned columns keep price 0 and no price is positive,
so that the prices prove the result: the sum over rows of ``min(cost - price)`` plus the sum of prices is the optimum.

>>> assign(np.array([[4.0, 1.0, 4.0], [2.0, 0.0, 5.0]])).columns.tolist()
[1, 0]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import njit

from tokumei.array_types import Floats, Ints

FAR = 1e300
REDUCTION_ROUNDS = 3


@dataclass(frozen=True, eq=False, slots=True)
class Assignment:
    """The column of every row, the optimal cost, and the prices that prove it."""

    columns: Ints
    cost: float
    row_prices: Floats
    column_prices: Floats


def assign(cost: npt.ArrayLike) -> Assignment:
    """Return a cheapest assignment of all rows to distinct columns (at least as many columns as rows)."""
    matrix = np.ascontiguousarray(cost, dtype=np.float64)
    rows, columns = matrix.shape
    if rows > columns:
        message = f"an assignment needs at least as many columns as rows, got {rows} rows and {columns} columns"
        raise ValueError(message)
    column_of = np.empty(rows, dtype=np.int64)
    prices = np.zeros(columns)
    solve_assignment(matrix, column_of, prices)
    row_prices = matrix[np.arange(rows), column_of] - prices[column_of]
    return Assignment(column_of, float(matrix[np.arange(rows), column_of].sum()), row_prices, prices)


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "reassoc"})
def _two_smallest(cost: Floats, row: int, prices: Floats) -> tuple[int, float, int, float]:
    """Return the two columns with the smallest reduced cost in a row, and these costs."""
    first, second = 0, -1
    least, next_least = cost[row, 0] - prices[0], FAR
    for column in range(1, cost.shape[1]):
        reduced = cost[row, column] - prices[column]
        if reduced < next_least:
            if reduced < least:
                second, next_least = first, least
                first, least = column, reduced
            else:
                second, next_least = column, reduced
    return first, least, second, next_least


@njit(cache=True, nogil=True)
def _reduce_rows(cost: Floats, column_of: Ints, row_of: Ints, prices: Floats, free: Ints) -> int:
    """Settle rows by lowering the price of their best column to the second best; return how many stay free."""
    rows = cost.shape[0]
    waiting = rows
    for row in range(rows):
        free[row] = row
    for _ in range(REDUCTION_ROUNDS):
        position, kept, budget = 0, 0, 8 * rows
        while position < waiting:
            row = free[position]
            position += 1
            first, least, second, next_least = _two_smallest(cost, row, prices)
            taken = row_of[first]
            strict = least < next_least
            if taken >= 0 and not strict and second >= 0:
                first = second
                taken = row_of[first]
            if strict and second >= 0 and taken >= 0:
                prices[first] -= next_least - least
            row_of[first] = row
            column_of[row] = first
            if taken >= 0:
                column_of[taken] = -1
                budget -= 1
                if strict and budget > 0:
                    position -= 1
                    free[position] = taken
                else:
                    free[kept] = taken
                    kept += 1
        waiting = kept
        if waiting == 0:
            break
    return waiting


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "reassoc"})
def _relax(line: Floats, row: int, offset: float, shadow: Floats, key: Floats, before: Ints) -> float:  # noqa: PLR0917
    """Shorten the distances through a row; return the smallest distance of a column not yet scanned."""
    least = FAR
    for column in range(len(line)):
        reached = line[column] - shadow[column] + offset
        known = key[column]
        shorter = reached < known
        nearest = reached if shorter else known
        key[column] = nearest
        before[column] = row if shorter else before[column]
        least = min(least, nearest)
    return least


@njit(cache=True, nogil=True)
def _nearest_column(key: Floats, least: float, row_of: Ints) -> int:
    """Return a column at the least distance, a free one if there is any."""
    column = -1
    for position in range(len(key)):
        if key[position] == least:
            column = position
            if row_of[position] < 0:
                break
    return column


@njit(cache=True, nogil=True)
def _augment(  # noqa: PLR0917
    cost: Floats,
    start: int,
    column_of: Ints,
    row_of: Ints,
    prices: Floats,
    shadow: Floats,
    key: Floats,
    before: Ints,
    scanned: Ints,
    reached: Floats,
) -> None:
    """Settle one free row along the shortest alternating path and correct the prices of the scanned columns."""
    key[:] = FAR
    row, offset, count = start, 0.0, 0
    while True:
        least = _relax(cost[row], row, offset, shadow, key, before)
        column = _nearest_column(key, least, row_of)
        if row_of[column] < 0:
            break
        scanned[count] = column
        reached[count] = least
        count += 1
        # A scanned column takes no further part: its shadow price puts it out of reach.
        key[column] = FAR
        shadow[column] = -FAR
        row = row_of[column]
        offset = least - (cost[row, column] - prices[column])
    for position in range(count):
        prices[scanned[position]] += reached[position] - least
        shadow[scanned[position]] = prices[scanned[position]]
    while True:
        row = before[column]
        row_of[column] = row
        previous = column_of[row]
        column_of[row] = column
        if row == start:
            break
        column = previous


@njit(cache=True, nogil=True)
def solve_assignment(cost: Floats, column_of: Ints, prices: Floats) -> None:
    """Fill the column of every row and the column prices; the inner form for kernels."""
    rows, columns = cost.shape
    row_of = np.full(columns, -1, dtype=np.int64)
    free = np.empty(rows, dtype=np.int64)
    column_of[:] = -1
    prices[:] = 0.0
    if rows == 0:
        return
    waiting = _reduce_rows(cost, column_of, row_of, prices, free)
    if waiting == 0:
        return
    shadow = prices.copy()
    key = np.empty(columns)
    reached = np.empty(columns)
    before = np.empty(columns, dtype=np.int64)
    scanned = np.empty(columns, dtype=np.int64)
    for position in range(waiting):
        _augment(cost, free[position], column_of, row_of, prices, shadow, key, before, scanned, reached)
