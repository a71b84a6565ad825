"""Columns of cells put one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokumei.data.cells import Cells, RangeCells, SetCells


def concat_cells(columns: Sequence[Cells]) -> Cells:
    """Return one column made of several of the same sort and dictionary, one after the other."""
    first = columns[0]
    suppressed = np.concatenate([column.suppressed for column in columns])
    if isinstance(first, RangeCells):
        ranges = [column for column in columns if isinstance(column, RangeCells)]
        return RangeCells(
            np.concatenate([column.lo for column in ranges]),
            np.concatenate([column.hi for column in ranges]),
            suppressed,
            np.concatenate([column.missing for column in ranges]),
        )
    sets = [column for column in columns if isinstance(column, SetCells)]
    sizes = np.concatenate([column.sizes() for column in sets])
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return SetCells(offsets, np.concatenate([column.codes for column in sets]), suppressed, first.categories)
