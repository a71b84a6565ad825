"""The expected error of a generalized cell (PWS Cup 2018 report, section on utility; spec B.8).

0 is a cell that still says the exact value, 1 a suppressed one; a wide range may exceed 1.
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data.cells import MISSING, Cells, RangeCells


def range_errors(values: Ints, lo: Ints, hi: Ints, spread: float) -> Floats:
    """Return E|x - y| / sd for y uniform on the grid lo, lo + 1, ..., hi (spec B.8, closed form, w = 1).

    With a spread of 0 (a constant column) a range of width 0 costs nothing and any other 1 (spec F-B5).
    """
    if spread == 0:
        return ((lo != hi) | (values != lo)).astype(np.float64)
    below, above = (values - lo).astype(np.float64), (hi - values).astype(np.float64)
    width = below + above
    return (below * below + above * above + width) / (2.0 * (width + 1.0) * spread)


def expected_errors(values: Ints, lo: Ints, hi: Ints, spread: float) -> Floats:
    """Return E|x - y| / sd for y uniform on the grid lo .. hi, also where the range misses x (spec F-B1, F-B5)."""
    error = range_errors(values, lo, hi, spread)
    missed = (values < lo) | (values > hi)
    if spread and missed.any():
        # All of the range lies on one side of x, so that the mean distance is the distance of its middle.
        error = np.where(missed, np.abs(values - (lo + hi) / 2) / spread, error)
    return error


def set_errors(sizes: Ints) -> Floats:
    """Return 1 - 1/size: the expected Hamming distance to a uniform element of a set that holds the value."""
    return 1.0 - 1.0 / np.maximum(sizes, 1)


def cell_errors(values: Ints, cells: Cells, spread: float) -> Floats:
    """Return the error of every cell against its original value; suppression costs 1, a value missing before 0."""
    if isinstance(cells, RangeCells):
        error = expected_errors(values, cells.lo, cells.hi, spread)
    else:
        error = np.where(cells.contains(values), set_errors(cells.sizes()), 1.0)
    error = np.where(cells.suppressed, 1.0, error)
    return np.where(values == MISSING, 0.0, error)
