"""Public grids of ordered columns: the cell of every value, known without the data.

Cells are calendar units, bands of one width from zero, bands 1-2-5 (1, 2, 5, 10, 20, 50 ... on both sides of zero), or
the nodes of a hierarchy that the publisher gives.

>>> from tokumei.data.columns import Field, Kind
>>> [ends.tolist() for ends in grid_ends(Field("price", Kind.NUMBER), "1-2-5", np.array([-7, 0, 1, 4, 30]))]
[[-9, 0, 1, 2, 20], [-5, 0, 1, 4, 49]]
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from functools import cache

import numpy as np

from tokumei.array_types import Ints
from tokumei.data.column_choices import CALENDAR_UNITS, ONE_TWO_FIVE
from tokumei.data.columns import Field
from tokumei.data.hierarchies.building import calendar_ends

_BEYOND = 2**62


def grid_ends(field: Field, grid: str | float, codes: Ints) -> tuple[Ints, Ints]:
    """Return the first and the last code of the cell of every code."""
    if grid in CALENDAR_UNITS:
        distinct, place = np.unique(codes, return_inverse=True)
        low, high = calendar_ends(field.kind, distinct, CALENDAR_UNITS[str(grid)])
        return low[place], high[place]
    if grid == ONE_TWO_FIVE:
        return _preferred_ends(codes, field.step)
    width = max(int(Decimal(repr(grid)) / Decimal(repr(field.step))), 1)
    low = codes // width * width
    return low, low + width - 1


def _preferred_ends(codes: Ints, step: float) -> tuple[Ints, Ints]:
    """Return the ends of the bands 1-2-5 of every code; what is below the first of them is a cell around zero."""
    bounds = _preferred_bounds(step)
    size = np.abs(codes)
    band = np.searchsorted(bounds, size, side="right")
    inner = np.where(band == 0, 0, bounds[np.maximum(band - 1, 0)])
    outer = bounds[np.minimum(band, len(bounds) - 1)] - 1
    around = band == 0
    low = np.where(around, -outer, np.where(codes < 0, -outer, inner))
    high = np.where(around, outer, np.where(codes < 0, -inner, outer))
    return low, high


@cache
def _preferred_bounds(step: float) -> Ints:
    """Return where the bands 1-2-5 begin, in steps, ascending."""
    unit = Decimal(repr(step))
    exponent = unit.adjusted()
    bounds: set[int] = set()
    while True:
        for head in (1, 2, 5):
            bound = int((Decimal(head).scaleb(exponent) / unit).to_integral_value(ROUND_CEILING))
            if bound > _BEYOND:
                return np.array(sorted(bounds - {0}), dtype=np.int64)
            bounds.add(bound)
        exponent += 1
