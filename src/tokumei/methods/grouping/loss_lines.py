"""What a cell costs with each of many records, by any loss: for the cost matrices of histories.

The cell error has kernels of its own beside each matrix, because most histories are grouped by it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tokumei.array_types import Codes, Floats
from tokumei.methods.grouping.cell_costs import LossArrays, ordered_cell, set_cell


@njit(cache=True, nogil=True)
def add_range_line(loss: LossArrays, field: int, weight: float, others: Floats, values: Floats, line: Floats) -> None:  # noqa: PLR0917
    """Add to a line what the cell of ``others`` costs with each of the values."""
    size = len(others) + 1
    members, hefts = np.empty(size), np.ones(size)
    members[: size - 1] = others
    kind, step, at, length = loss.kinds[field], loss.steps[field], loss.at[field], loss.lengths[field]
    for column in range(len(line)):
        members[size - 1] = values[column]
        line[column] += weight * ordered_cell(kind, step, loss.table, at, length, members, hefts, size)


@njit(cache=True, nogil=True)
def add_set_line(loss: LossArrays, field: int, weight: float, others: Codes, codes: Codes, line: Floats) -> None:  # noqa: PLR0917
    """Add to a line what the set of ``others`` costs with each of the codes."""
    size = len(others) + 1
    members, hefts, room = np.empty(size), np.ones(size), np.empty(size)
    members[: size - 1] = others
    kind, step, at = loss.kinds[field], loss.steps[field], loss.at[field]
    for column in range(len(line)):
        members[size - 1] = codes[column]
        line[column] += weight * set_cell(kind, step, loss.table, at, members, hefts, size, room)
