"""Linear assignment by auction: as good as shortest paths, and much faster where many rows want the same columns.

Rows bid for columns; a bid raises the price of the best column by its lead over the second best plus a step, and the
row that held the column bids again (Bertsekas, Annals of Operations Research 14, 1988). Large steps first find rough
prices, small ones refine them. Costs are rounded to whole multiples of a resolution; with a last step below 1/n the
result is an optimum of the rounded costs. On 4,334 customers with blurred histories this takes 1 s where shortest
augmenting paths (`tokumei.data.arrays.assignment`) take 30 s or more.

>>> auction(np.array([[4.0, 1.0, 3.0], [1.0, 0.0, 5.0]])).tolist()
[1, 0]
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl
from numba import njit

from tokumei.array_types import Floats, Floats32, Ints

RESOLUTION = 1e-5
STEP_RATIO = 8.0
FAR = 1e300


def auction(cost: npt.NDArray[np.floating], *, resolution: float = RESOLUTION) -> Ints:
    """Return a column of its own for every row with the least summed cost (at least as many columns as rows).

    Fewer rows than columns are filled up with rows that cost nothing anywhere, so that the surplus columns are bid for
    too: prices of an earlier round would otherwise keep rows away from a column that nobody holds.
    """
    rows, columns = cost.shape
    if rows > columns:
        raise ValueError(f"an assignment needs at least as many columns as rows, got {rows} rows and {columns} columns")
    if rows == 0:
        return np.empty(0, dtype=np.int64)
    whole = np.rint(cost.astype(np.float64) / resolution)
    prices, column_of = np.zeros(columns), np.empty(columns, dtype=np.int64)
    last = 1.0 / (columns + 1)
    step = max(float(np.ptp(whole)) / STEP_RATIO, last)
    while True:
        _bid(whole, step, prices, column_of)
        if step <= last:
            return column_of[:rows]
        step = max(step / STEP_RATIO, last)


@njit(cache=True)
def _bid(cost: Floats, step: float, prices: Floats, column_of: Ints) -> None:
    """Let all rows bid until everyone holds a column; the last one to lose bids first."""
    rows, columns = cost.shape
    row_of = np.full(columns, -1, dtype=np.int64)
    waiting = np.arange(columns)
    count = columns
    while count > 0:
        count -= 1
        row = waiting[count]
        best, second, at = FAR, FAR, -1
        for column in range(columns):
            value = prices[column]
            if row < rows:
                value += cost[row, column]
            if value < second:
                if value < best:
                    second = best
                    best = value
                    at = column
                else:
                    second = value
        # A single column has no second best; any raise will do.
        prices[at] += (second - best if second < FAR else 0.0) + step
        if row_of[at] >= 0:
            waiting[count] = row_of[at]
            count += 1
        row_of[at] = row
        column_of[row] = at


def match_customers(cost: Floats32, original: pl.Series, published: pl.Series) -> Ints:
    """Return Q: for every published customer (row) an original one (column), nobody twice, least in sum.

    Rows and columns are put in the order of their ids first: equally good answers do not depend on the order of the
    files, which may be that of P.
    """
    rows, columns = published.arg_sort().to_numpy(), original.arg_sort().to_numpy()
    guesses = np.empty(len(rows), dtype=np.int64)
    guesses[rows] = columns[auction(cost[np.ix_(rows, columns)])]
    return guesses
