"""Joint alignment of the records of a group: the published rows, and what every member puts into them.

A group publishes as many rows as its smallest member has records. The smallest member fills all rows; every other
member is matched into them by assignment, at the true cost of the merged cells; then one member after the other is
taken out and matched again until nothing improves. The cost of a cell is summed over the g members (spec B.8): the
tight hull, or g if the cell is suppressed for the whole group, whichever is less; for categories g (1 - 1/size). Other
losses than this cell error are those of `cell_costs`.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numba import njit

from tokumei.array_types import Codes, Floats, Ints
from tokumei.data import solve_assignment
from tokumei.engine import spread_over
from tokumei.methods.grouping.cell_costs import CELL_ERROR, FAR_AWAY, SET_ERROR, SMALLEST_STEP, LossArrays
from tokumei.methods.grouping.loss_lines import add_range_line, add_set_line
from tokumei.methods.grouping.record_matching import chunk_count
from tokumei.methods.grouping.record_table import RecordTable

ENOUGH = 1e-9


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "arcp", "contract"})
def _hull_costs(  # noqa: PLR0917
    values: Floats,
    lowest: float,
    reach: float,
    total: float,
    squares: float,
    size: float,
    step: float,
    weight: float,
    line: Floats,
) -> None:
    """Add the cost of the hull, or of suppression, for each of the values; nothing is missing here."""
    for column in range(len(line)):
        moved = values[column] - lowest
        low, high = min(moved, 0.0), max(moved, reach)
        width = high - low
        added, added_squares = total + moved, squares + moved * moved
        both = 2.0 * added_squares - 2.0 * (low + high) * added + size * (low * low + high * high)
        hull = (both + size * width * step) / (2.0 * (width + step))
        line[column] += weight * min(hull, size)


@njit(cache=True, nogil=True)
def _ordered_costs(values: Floats, others: Floats, step: float, weight: float, whole: bool, line: Floats) -> None:  # noqa: FBT001, PLR0917
    """Add the cost of a cell that holds ``others`` and one of ``values`` (``whole``: none missing) to a line."""
    present = 0
    lowest, highest = 0.0, 0.0
    for value in others:
        if value < FAR_AWAY:
            lowest = value if present == 0 else min(lowest, value)
            highest = value if present == 0 else max(highest, value)
            present += 1
    total, squares = 0.0, 0.0
    for value in others:
        if value < FAR_AWAY:
            total += value - lowest
            squares += (value - lowest) * (value - lowest)
    size = present + 1.0
    if present == len(others) and whole:
        _hull_costs(values, lowest, highest - lowest, total, squares, size, step, weight, line)
        return
    for column in range(len(line)):
        if values[column] >= FAR_AWAY:
            line[column] += weight * present
        elif present < len(others):
            line[column] += weight * size
        else:
            one = slice(column, column + 1)
            _hull_costs(values[one], lowest, highest - lowest, total, squares, size, step, weight, line[one])


@njit(cache=True, nogil=True)
def _nominal_costs(codes: Codes, others: Codes, weight: float, line: Floats) -> None:
    """Add the cost of a set that holds ``others`` and one of ``codes`` to a line of the cost matrix."""
    distinct = np.empty(len(others), dtype=np.int32)
    count = 0
    for code in others:
        known = False
        for position in range(count):
            known = known or distinct[position] == code
        if not known:
            distinct[count] = code
            count += 1
    size = len(others) + 1.0
    inside, outside = weight * size * (1.0 - 1.0 / count), weight * size * (1.0 - 1.0 / (count + 1.0))
    line += outside
    for position in range(count):
        code = distinct[position]
        for column in range(len(line)):
            line[column] -= outside - inside if codes[column] == code else 0.0


@njit(cache=True, nogil=True)
def _match_member(  # noqa: PLR0917
    loss: LossArrays,
    ordered: Floats,
    steps: Floats,
    ordered_weights: Floats,
    nominal: Codes,
    nominal_weights: Floats,
    lefts: Ints,
    widths: Ints,
    member: int,
    used: Ints,
    height: int,
    places: Ints,
) -> float:
    """Match one member into the rows that the used members fill; return the cost of all rows."""
    width, left = widths[member], lefts[member]
    cost = np.zeros((height, width))
    whole = np.ones(ordered.shape[0], dtype=np.bool_)
    for field in range(ordered.shape[0]):
        whole[field] = np.max(ordered[field, left : left + width]) < FAR_AWAY if width > 0 else True
    values = np.empty(len(used))
    codes = np.empty(len(used), dtype=np.int32)
    for row in range(height):
        for field in range(ordered.shape[0]):
            for position, other in enumerate(used):
                values[position] = ordered[field, lefts[other] + places[other, row]]
            if loss.kinds[field] != CELL_ERROR:
                add_range_line(
                    loss, field, ordered_weights[field], values, ordered[field, left : left + width], cost[row]
                )
                continue
            step = max(steps[field], SMALLEST_STEP)
            _ordered_costs(
                ordered[field, left : left + width], values, step, ordered_weights[field], whole[field], cost[row]
            )
        for field in range(nominal.shape[0]):
            for position, other in enumerate(used):
                codes[position] = nominal[field, lefts[other] + places[other, row]]
            if loss.kinds[ordered.shape[0] + field] != SET_ERROR:
                part = nominal[field, left : left + width]
                add_set_line(loss, ordered.shape[0] + field, nominal_weights[field], codes, part, cost[row])
                continue
            _nominal_costs(nominal[field, left : left + width], codes, nominal_weights[field], cost[row])
    column_of = np.empty(height, dtype=np.int64)
    solve_assignment(cost, column_of, np.empty(width))
    total = 0.0
    for row in range(height):
        places[member, row] = column_of[row]
        total += cost[row, column_of[row]]
    return total


@njit(cache=True, nogil=True)
def _align_chunk(  # noqa: PLR0917
    loss: LossArrays,
    ordered: Floats,
    steps: Floats,
    ordered_weights: Floats,
    nominal: Codes,
    nominal_weights: Floats,
    lefts: Ints,
    widths: Ints,
    rounds: int,
    places: Ints,
) -> float:
    """Align all members on one chunk; the first member is the smallest."""
    size, height = len(lefts), widths[0]
    for row in range(height):
        places[0, row] = row
    total = 0.0
    for member in range(1, size):
        used = np.arange(member)
        total = _match_member(
            loss, ordered, steps, ordered_weights, nominal, nominal_weights, lefts, widths, member, used, height, places
        )
    if size <= 2:
        return total
    stale = 0
    for turn in range(rounds * size):
        member = (turn + 1) % size
        used = np.empty(size - 1, dtype=np.int64)
        count = 0
        for other in range(size):
            if other != member:
                used[count] = other
                count += 1
        before = places[member, :height].copy()
        again = _match_member(
            loss, ordered, steps, ordered_weights, nominal, nominal_weights, lefts, widths, member, used, height, places
        )
        if again < total - ENOUGH:
            total = again
            stale = 0
        else:
            places[member, :height] = before
            stale += 1
        if stale >= size - 1:
            break
    return total


@njit(cache=True, nogil=True)
def _align_groups(  # noqa: PLR0917
    loss: LossArrays,
    ordered: Floats,
    steps: Floats,
    ordered_weights: Floats,
    nominal: Codes,
    nominal_weights: Floats,
    offsets: Ints,
    members: Ints,
    bounds: Ints,
    rounds: int,
    limit: int,
    aligned: Ints,
    aligned_at: Ints,
    costs: Floats,
) -> None:
    for group in range(len(bounds) - 1):
        units = members[bounds[group] : bounds[group + 1]]
        size = len(units)
        shortest = offsets[units[0] + 1] - offsets[units[0]]
        longest = offsets[units[size - 1] + 1] - offsets[units[size - 1]]
        chunks = chunk_count(shortest, longest, limit)
        costs[group] = 0.0
        for chunk in range(chunks):
            top, bottom = shortest * chunk // chunks, shortest * (chunk + 1) // chunks
            lefts, widths = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
            for position in range(size):
                unit = units[position]
                spare = offsets[unit + 1] - offsets[unit] - shortest
                left = top + spare * chunk // chunks
                lefts[position] = offsets[unit] + left
                widths[position] = bottom + spare * (chunk + 1) // chunks - left
            places = np.empty((size, bottom - top), dtype=np.int64)
            costs[group] += _align_chunk(
                loss, ordered, steps, ordered_weights, nominal, nominal_weights, lefts, widths, rounds, places
            )
            if len(aligned) > 0:
                for row in range(bottom - top):
                    for position in range(size):
                        target = aligned_at[group] + (top + row) * size + position
                        aligned[target] = lefts[position] + places[position, row]


@njit(cache=True, nogil=True)
def group_cost(  # noqa: PLR0917
    loss: LossArrays,
    ordered: Floats,
    steps: Floats,
    ordered_weights: Floats,
    nominal: Codes,
    nominal_weights: Floats,
    offsets: Ints,
    units: Ints,
    surplus: float,
    rounds: int,
    limit: int,
) -> float:
    """Return the whole cost of one group, merged cells and surplus records, for kernels that try groups one by one."""
    size = len(units)
    members = units.copy()
    for place in range(1, size):
        unit = members[place]
        count = offsets[unit + 1] - offsets[unit]
        at = place
        while at > 0:
            before = members[at - 1]
            longer = offsets[before + 1] - offsets[before] - count
            if longer < 0 or (longer == 0 and before < unit):
                break
            members[at] = before
            at -= 1
        members[at] = unit
    costs, bounds = np.empty(1), np.array([0, size])
    nowhere = np.empty(0, dtype=np.int64)
    _align_groups(
        loss,
        ordered,
        steps,
        ordered_weights,
        nominal,
        nominal_weights,
        offsets,
        members,
        bounds,
        rounds,
        limit,
        nowhere,
        nowhere,
        costs,
    )
    total = 0
    for unit in members:
        total += offsets[unit + 1] - offsets[unit]
    return costs[0] + surplus * (total - size * (offsets[members[0] + 1] - offsets[members[0]]))


def align_groups(
    table: RecordTable,
    members: Ints,
    bounds: Ints,
    *,
    limit: int,
    rounds: int = 3,
    threads: int = 1,
    keep: bool = False,
) -> tuple[Floats, Ints]:
    """Align groups of units given as runs of ``members``, each with its shortest unit first.

    Returns the cost of the matched records of each group and, if asked to keep them, the aligned record positions:
    group after group, row after row, member after member.
    """
    counts = table.counts()
    sizes = np.diff(bounds)
    rows = counts[members[bounds[:-1]]]
    at = np.concatenate(([0], np.cumsum(rows * sizes))).astype(np.int64)
    aligned = np.empty(at[-1] if keep else 0, dtype=np.int64)
    costs = np.zeros(len(sizes))
    effort = rows.astype(np.float64) * np.add.reduceat(counts[members], bounds[:-1]) if len(sizes) else np.zeros(0)
    ahead = np.cumsum(effort + 300.0)
    cuts = np.searchsorted(ahead, np.linspace(0, ahead[-1] if len(ahead) else 0, 64 * threads + 1)[1:-1])
    edges = np.unique(np.concatenate(([0], cuts, [len(sizes)])))

    def piece(start: int, stop: int) -> Callable[[], None]:
        return lambda: _align_groups(
            table.loss.arrays,
            table.ordered,
            table.steps,
            table.ordered_weights,
            table.nominal,
            table.nominal_weights,
            table.offsets,
            members,
            bounds[start : stop + 1],
            rounds,
            limit,
            aligned,
            at[start:stop],
            costs[start:stop],
        )

    work = [(effort[a:b].sum(), piece(int(a), int(b))) for a, b in pairwise(edges)]
    work.sort(key=lambda one: -one[0])
    spread_over(threads, [run for _, run in work])
    return costs, aligned
