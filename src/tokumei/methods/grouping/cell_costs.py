"""What one cell costs that several records publish alike: the kernels behind every choice of loss.

A cell is known by a few sums over its members, so that one more member is a matter of a few operations. Costs are
summed over the members, each at its heft (its survey weight, else 1). Every loss has the same scale: a member whose
cell is suppressed costs 1 on average, one whose value is still exact costs nothing.

An ordered cell with members x, hull [lo;hi], total heft W:

- cell error: the expected distance of a uniform value of the hull, in standard deviations, or W if that is less (PWS
  Cup 2018, spec B.8);
- ncp: W (hi - lo), in widths of the column (Xu et al., Utility-based anonymization, 2006);
- entropy: what is missing to know the value, sum of log(mass of the hull / mass of x) over the entropy of the column
  (non-uniform entropy: Gionis and Tassa, k-Anonymization with minimal loss of information, 2009);
- variance: squared distances from the mean, over the variance of the column (SSE / SST: Domingo-Ferrer and
  Mateo-Sanz, Practical data-oriented microaggregation, 2002);
- hierarchy: W times the loss of the lowest common ancestor, the largest between neighbouring leaves of lo ... hi.

A set of d of D categories costs W (1 - 1/d), W (d - 1) / (D - 1), the same entropy, or the Gini impurity over that of
the column.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints

CELL_ERROR, NCP, ENTROPY, VARIANCE, HIERARCHY = range(5)
SET_ERROR, SET_NCP, SET_ENTROPY, SET_VARIANCE = range(5, 9)
FAR_AWAY = 1e17
SMALLEST_STEP = 1e-12


class LossArrays(NamedTuple):
    """What the kernels know of a loss, field by field: its kind, its scale, and where its table of numbers begins.

    ``steps`` is the distance of neighbouring values (cell error), or by what the sum of a field is multiplied. The
    table of an ordered field holds the summed mass below each of its values and above the last (entropy), or the
    largest losses between neighbouring leaves in runs of 1, 2, 4, ... (hierarchy, ``lengths`` leaves); that of a
    nominal field the mass of each of its codes (entropy).
    """

    kinds: Ints
    steps: Floats
    at: Ints
    lengths: Ints
    table: Floats


@njit(cache=True, nogil=True)
def range_cost(  # noqa: PLR0917
    kind: int, step: float, low: float, high: float, heft: float, total: float, squares: float
) -> float:
    """Return the cost of an ordered cell by the losses that need no table.

    ``low``, ``high`` and the weighted sums ``total``, ``squares`` may be counted from any base.
    """
    width = high - low
    if kind == NCP:
        return heft * width
    if kind == CELL_ERROR:
        both = 2.0 * squares - 2.0 * (low + high) * total + heft * (low * low + high * high)
        least = max(step, SMALLEST_STEP)
        return min((both + heft * width * least) / (2.0 * (width + least)), heft)
    return max(squares - total * total / heft, 0.0)


@njit(cache=True, nogil=True)
def table_cost(  # noqa: PLR0917
    kind: int, step: float, table: Floats, at: int, length: int, low: float, high: float, heft: float, own: float
) -> float:
    """Return the cost of an ordered cell by the losses that look it up; ``own`` sums the log masses of the members."""
    if kind == ENTROPY:
        mass = table[at + int(high) + 1] - table[at + int(low)]
        return max(heft * np.log(mass) - own, 0.0) * step
    first, last = int(low), int(high)
    if first >= last:
        return 0.0
    run, start = 1, at
    while 2 * run <= last - first:
        run *= 2
        start += length
    return heft * max(table[start + first], table[start + last - run])


@njit(cache=True, nogil=True)
def set_cost(kind: int, step: float, count: int, heft: float, squares: float, mass: float, own: float) -> float:  # noqa: PLR0917
    """Return the cost of a set of ``count`` codes; ``squares`` sums the squared hefts of its codes."""
    if kind == SET_NCP:
        return heft * (count - 1.0) * step
    if kind == SET_ERROR:
        return heft * (1.0 - 1.0 / count)
    if kind == SET_VARIANCE:
        return max(heft - squares / heft, 0.0) * step
    return max(heft * np.log(mass) - own, 0.0) * step


@njit(cache=True, nogil=True)
def value_mass(kind: int, table: Floats, at: int, value: float) -> float:
    """Return the mass of a value or a code, 1 for losses that do not ask."""
    if kind == ENTROPY:
        return table[at + int(value) + 1] - table[at + int(value)]
    return table[at + int(value)] if kind == SET_ENTROPY else 1.0


@njit(cache=True, nogil=True)
def ordered_cell(  # noqa: PLR0917
    kind: int, step: float, table: Floats, at: int, length: int, values: Floats, hefts: Floats, size: int
) -> float:
    """Return the cost of the cell that the first ``size`` values publish; one that is missing suppresses it."""
    low, high, heft, present = values[0], values[0], 0.0, 0.0
    for place in range(size):
        low, high = min(low, values[place]), max(high, values[place])
        heft += hefts[place]
        if values[place] < FAR_AWAY:
            present += hefts[place]
    if high >= FAR_AWAY:
        return present
    if kind == NCP:
        return heft * (high - low)
    if kind in (ENTROPY, HIERARCHY):
        own = 0.0
        if kind == ENTROPY:
            for place in range(size):
                own += hefts[place] * np.log(value_mass(kind, table, at, values[place]))
        return table_cost(kind, step, table, at, length, low, high, heft, own)
    total, squares = 0.0, 0.0
    for place in range(size):
        # Counted from the lowest value, so that large ones lose no digits.
        moved = values[place] - low
        total += hefts[place] * moved
        squares += hefts[place] * moved * moved
    return range_cost(kind, step, 0.0, high - low, heft, total, squares)


@njit(cache=True, nogil=True)
def set_cell(  # noqa: PLR0917
    kind: int, step: float, table: Floats, at: int, codes: Floats, hefts: Floats, size: int, room: Floats
) -> float:
    """Return the cost of the set that the first ``size`` codes publish; ``room`` takes the hefts of its codes."""
    count, heft, mass, own, squares = 0, 0.0, 0.0, 0.0, 0.0
    for place in range(size):
        heft += hefts[place]
        code = codes[place]
        if kind == SET_ENTROPY:
            own += hefts[place] * np.log(value_mass(kind, table, at, code))
        room[place] = hefts[place]
        known = False
        for other in range(place):
            if codes[other] == code:
                room[other] += hefts[place]
                room[place] = 0.0
                known = True
                break
        if not known:
            count += 1
            mass += value_mass(kind, table, at, code)
    if kind == SET_VARIANCE:
        for place in range(size):
            squares += room[place] * room[place]
    return set_cost(kind, step, count, heft, squares, mass, own)
