"""Records without a group, and the group that is being grown from them: what it would cost with each of them.

A pool holds copies of its records field by field, so that what the group would cost with each of them is a few passes
over neighbouring numbers. Where all members of a cell lose the same (ncp, the contest's sets), what they lose with each
record is kept from member to member: like records rarely make a cell wider, and only then is its field read again. The
variance of a group is that of all its pairs (half their mean squared distance), so that one pass per member is enough.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Bools, Floats, Ints
from tokumei.methods.grouping.cell_costs import (
    CELL_ERROR,
    ENTROPY,
    FAR_AWAY,
    HIERARCHY,
    NCP,
    SET_ENTROPY,
    SET_ERROR,
    SET_NCP,
    VARIANCE,
    range_cost,
    set_cost,
    table_cost,
    value_mass,
)
from tokumei.methods.grouping.single_records import Records


class Pool(NamedTuple):
    """Records that have no group yet, and the group that is being grown.

    ``values``, ``mass`` and ``inside`` have one line per field: the value, its mass, and how much of the group has the
    same code. ``sums`` has one line per field for the group: lowest, highest, total, squares, mass, log masses, number
    of codes, heft that is present. ``kept`` marks the fields in which all members lose the same, and ``each`` says what
    one member loses in them if the record at its place joins; and fields of variance without missing values, of which
    ``apart`` has the squared distances from all members, and ``pairs`` those within the group (and if there are any).
    """

    names: Ints
    hefts: Floats
    values: Floats
    mass: Floats
    inside: Floats
    whole: Bools
    kept: Bools
    each: Floats
    apart: Floats
    pairs: Floats
    line: Floats
    sums: Floats


LOW, HIGH, TOTAL, SQUARES, MASS, OWN, CODES, PRESENT = range(8)
WITHIN, ANY = range(2)


@njit(cache=True, nogil=True)
def make_pool(fields: int, most: int) -> Pool:
    """Return room for a pool of at most so many records."""
    return Pool(
        np.empty(most, dtype=np.int64),
        np.empty(most),
        np.empty((fields, most)),
        np.empty((fields, most)),
        np.empty((fields, most)),
        np.ones(fields, dtype=np.bool_),
        np.ones(fields, dtype=np.bool_),
        np.empty(most),
        np.empty(most),
        np.zeros(2),
        np.empty(most),
        np.zeros((fields, 8)),
    )


@njit(cache=True, nogil=True)
def fill_pool(records: Records, pool: Pool, chosen: Ints, count: int) -> None:
    """Copy the first ``count`` of the chosen records into the pool."""
    for place in range(count):
        pool.names[place] = chosen[place]
        pool.hefts[place] = records.hefts[chosen[place]]
    pool.pairs[ANY] = 0.0
    for field in range(len(records.kinds)):
        kind, at = records.kinds[field], records.at[field]
        pool.whole[field] = True
        for place in range(count):
            value = records.values[chosen[place], field]
            pool.values[field, place] = value
            if value >= FAR_AWAY:
                pool.whole[field] = False
            elif kind in (ENTROPY, SET_ENTROPY):
                pool.mass[field, place] = value_mass(kind, records.table, at, value)
        pool.kept[field] = (kind in (NCP, VARIANCE) and pool.whole[field]) or kind in (SET_NCP, SET_ERROR)
        if kind == VARIANCE and pool.whole[field]:
            pool.pairs[ANY] = 1.0


@njit(cache=True, nogil=True)
def start_group(records: Records, pool: Pool, count: int, place: int) -> float:
    """Begin a group with the record at this place of the pool; return its heft."""
    pool.each[:count] = 0.0
    pool.apart[:count] = 0.0
    pool.pairs[WITHIN] = 0.0
    for field in range(len(records.kinds)):
        if pool.kept[field] and records.kinds[field] == VARIANCE:
            continue
        sums = pool.sums[field]
        sums[:] = 0.0
        value = pool.values[field, place]
        sums[LOW], sums[HIGH] = FAR_AWAY, -FAR_AWAY
        if pool.kept[field]:
            _start_kept(records, pool, field, count, value)
        elif records.kinds[field] > HIERARCHY:
            pool.inside[field, :count] = 0.0
    return add_member(records, pool, count, place, 0.0)


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "arcp", "contract"})
def _start_kept(records: Records, pool: Pool, field: int, count: int, value: float) -> None:
    """Add what each record loses with the first of a group in a field that is kept."""
    sums, values, each, weight = pool.sums[field], pool.values[field], pool.each, records.weights[field]
    if records.kinds[field] == NCP:
        sums[LOW] = sums[HIGH] = value
        for place in range(count):
            each[place] += weight * abs(values[place] - value)
        return
    inside = pool.inside[field]
    sums[CODES] = 1.0
    differ = weight * set_cost(records.kinds[field], records.steps[field], 2, 1.0, 0.0, 1.0, 0.0)
    for place in range(count):
        same = values[place] == value
        inside[place] = 1.0 if same else 0.0
        each[place] += 0.0 if same else differ


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "arcp", "contract"})
def _widen_range(pool: Pool, field: int, count: int, value: float, weight: float) -> None:
    """Widen the range of a field that is kept by a value outside of it."""
    sums, values, each = pool.sums[field], pool.values[field], pool.each
    low, high = sums[LOW], sums[HIGH]
    lower, higher = min(low, value), max(high, value)
    for place in range(count):
        here = values[place]
        each[place] += weight * ((max(here, higher) - min(here, lower)) - (max(here, high) - min(here, low)))
    sums[LOW], sums[HIGH] = lower, higher


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "arcp", "contract"})
def _widen_set(records: Records, pool: Pool, field: int, count: int, value: float) -> None:
    """Add a code to the set of a field that is kept."""
    kind, step, weight, sums = records.kinds[field], records.steps[field], records.weights[field], pool.sums[field]
    codes, values, inside, each = int(sums[CODES]), pool.values[field], pool.inside[field], pool.each
    now = weight * set_cost(kind, step, codes, 1.0, 0.0, 1.0, 0.0)
    wider = weight * set_cost(kind, step, codes + 1, 1.0, 0.0, 1.0, 0.0)
    widest = weight * set_cost(kind, step, codes + 2, 1.0, 0.0, 1.0, 0.0)
    for place in range(count):
        same = values[place] == value
        each[place] += 0.0 if same else (wider - now if inside[place] > 0.0 else widest - wider)
        inside[place] = 1.0 if same else inside[place]
    sums[CODES] += 1.0


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "arcp", "contract"})
def _set_apart(  # noqa: PLR0917
    values: Floats, kinds: Ints, kept: Bools, weights: Floats, apart: Floats, count: int, member: int, heft: float
) -> None:
    """Add the squared distances of all records from a member in the fields of variance, all of them in one call."""
    for field in range(len(kinds)):
        if kinds[field] != VARIANCE or not kept[field]:
            continue
        weight, value = heft * weights[field], values[field, member]
        for place in range(count):
            distance = values[field, place] - value
            apart[place] += weight * distance * distance


@njit(cache=True, nogil=True)
def add_member(records: Records, pool: Pool, count: int, place: int, heft: float) -> float:  # noqa: C901
    """Count the record at this place to the group of this heft; return the new heft."""
    extra = pool.hefts[place]
    if pool.pairs[ANY] > 0.0:
        pool.pairs[WITHIN] += extra * pool.apart[place]
        _set_apart(pool.values, records.kinds, pool.kept, records.weights, pool.apart, count, place, extra)
    for field in range(len(records.kinds)):
        kind = records.kinds[field]
        if kind == VARIANCE and pool.kept[field]:
            continue
        value, sums = pool.values[field, place], pool.sums[field]
        if pool.kept[field]:
            if kind == NCP:
                if value < sums[LOW] or value > sums[HIGH]:
                    _widen_range(pool, field, count, value, records.weights[field])
            elif pool.inside[field, place] == 0.0:
                _widen_set(records, pool, field, count, value)
            continue
        if kind in (ENTROPY, SET_ENTROPY) and value < FAR_AWAY:
            sums[OWN] += extra * np.log(pool.mass[field, place])
        if kind <= HIERARCHY:
            sums[HIGH] = max(sums[HIGH], value)
            if value < FAR_AWAY:
                sums[LOW] = min(sums[LOW], value)
                sums[PRESENT] += extra
                sums[TOTAL] += extra * value
                sums[SQUARES] += extra * value * value
            continue
        before = pool.inside[field, place]
        if before == 0.0:
            sums[CODES] += 1.0
            sums[MASS] += pool.mass[field, place] if kind == SET_ENTROPY else 0.0
        sums[SQUARES] += (2.0 * before + extra) * extra
        codes, inside = pool.values[field], pool.inside[field]
        for other in range(count):
            inside[other] += extra if codes[other] == value else 0.0
    return heft + extra


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "arcp", "contract"})
def _ordered_line(records: Records, pool: Pool, field: int, count: int, heft: float) -> None:
    kind, step, weight, sums = records.kinds[field], records.steps[field], records.weights[field], pool.sums[field]
    low, high, total, squares = sums[LOW], sums[HIGH], sums[TOTAL], sums[SQUARES]
    values, hefts, line = pool.values[field], pool.hefts, pool.line
    if not pool.whole[field] and high >= FAR_AWAY:
        for place in range(count):
            line[place] += weight * (sums[PRESENT] + (hefts[place] if values[place] < FAR_AWAY else 0.0))
    elif kind in (CELL_ERROR, NCP, VARIANCE):
        for place in range(count):
            value, extra = values[place], hefts[place]
            cost = sums[PRESENT]
            if value < FAR_AWAY:
                cost = range_cost(
                    kind,
                    step,
                    min(value, low),
                    max(value, high),
                    heft + extra,
                    total + extra * value,
                    squares + extra * value * value,
                )
            line[place] += weight * cost
    else:
        at, length = records.at[field], records.lengths[field]
        for place in range(count):
            value, extra = values[place], hefts[place]
            cost = sums[PRESENT]
            if value < FAR_AWAY:
                own = sums[OWN] + (extra * np.log(pool.mass[field, place]) if kind == ENTROPY else 0.0)
                lowest, highest = min(value, low), max(value, high)
                cost = table_cost(kind, step, records.table, at, length, lowest, highest, heft + extra, own)
            line[place] += weight * cost


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz", "arcp", "contract"})
def _set_line(records: Records, pool: Pool, field: int, count: int, heft: float) -> None:
    kind, step, weight, sums = records.kinds[field], records.steps[field], records.weights[field], pool.sums[field]
    inside, hefts, line = pool.inside[field], pool.hefts, pool.line
    codes = int(sums[CODES])
    for place in range(count):
        before, extra = inside[place], hefts[place]
        mass, own = sums[MASS], sums[OWN]
        if kind == SET_ENTROPY:
            alone = pool.mass[field, place]
            own += extra * np.log(alone)
            mass += alone if before == 0.0 else 0.0
        squares = sums[SQUARES] + (2.0 * before + extra) * extra
        line[place] += weight * set_cost(kind, step, codes + (before == 0.0), heft + extra, squares, mass, own)


@njit(cache=True, nogil=True)
def joint_costs(records: Records, pool: Pool, count: int, heft: float) -> None:
    """Write into the line of the pool what the group costs with each of its records."""
    line, each, hefts = pool.line, pool.each, pool.hefts
    for place in range(count):
        line[place] = (heft + hefts[place]) * each[place]
    if pool.pairs[ANY] > 0.0:
        apart, within = pool.apart, pool.pairs[WITHIN]
        for place in range(count):
            line[place] += (within + hefts[place] * apart[place]) / (heft + hefts[place])
    for field in range(len(records.kinds)):
        if pool.kept[field]:
            continue
        if records.kinds[field] <= HIERARCHY:
            _ordered_line(records, pool, field, count, heft)
        else:
            _set_line(records, pool, field, count, heft)


@njit(cache=True, nogil=True)
def drop(records: Records, pool: Pool, count: int, place: int) -> int:
    """Take the record at this place out of the pool; return how many are left."""
    last = count - 1
    pool.names[place], pool.hefts[place] = pool.names[last], pool.hefts[last]
    pool.each[place], pool.apart[place] = pool.each[last], pool.apart[last]
    for field in range(len(records.kinds)):
        kind = records.kinds[field]
        pool.values[field, place] = pool.values[field, last]
        if kind in (ENTROPY, SET_ENTROPY):
            pool.mass[field, place] = pool.mass[field, last]
        if kind > HIERARCHY:
            pool.inside[field, place] = pool.inside[field, last]
    return last
