"""Groups of single records that undercut the prices of their members, found around every record by branch and bound.

Prices that no group undercuts are a proof: in every partition each group costs at least the prices of its members, so
the sum of all prices is a floor (the dual of set partitioning). Prices that are too high are put right at the dearest
member of every group that undercuts them: it pays less by the most that any of these groups saves.

A group S of m records that holds T (t of them) and others s costs at least, where one more member makes none cheaper,

- the mean over s of what T and s cost;
- if the cost is that of all pairs over m (variance): the pairs of T and those between T and each s, over m.

Both are sums over s, so that the best of the others are found one by one (if all members lose alike, as by ncp, more is
known: `alike_pricing`). Groups of k to 2 k - 1 records are enough: a
larger one falls into two that cost no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.alike_pricing import KEPT, price_alike
from tokumei.methods.grouping.cell_costs import (
    CELL_ERROR,
    ENTROPY,
    FAR_AWAY,
    HIERARCHY,
    NCP,
    SET_ERROR,
    SET_NCP,
    SET_VARIANCE,
    VARIANCE,
)
from tokumei.methods.grouping.record_pools import fill_pool, joint_costs, make_pool, start_group
from tokumei.methods.grouping.single_records import Records, costs_of, members_cost

ENOUGH = 1e-9
_GENERAL, _ALIKE, _PAIRS = range(3)


class Priced(NamedTuple):
    """What groups save against prices, and those that save most.

    ``savings[r]`` (0 or below) is a floor of cost minus prices over all groups whose dearest member is r; ``members``
    holds groups that undercut the prices, one per line (-1 in free places). ``proven`` counts the records whose search
    came to its end, so that the floor is reached.
    """

    savings: Floats
    members: Ints
    proven: int


def _form(records: Records) -> int:
    """Return which of the floors holds."""
    if (records.hefts != 1.0).any() or (records.values >= FAR_AWAY).any():
        return _GENERAL
    if np.isin(records.kinds, (NCP, HIERARCHY, SET_NCP, SET_ERROR)).all():
        return _ALIKE
    return _PAIRS if np.isin(records.kinds, (VARIANCE, SET_VARIANCE)).all() else _GENERAL


def can_be_bounded(records: Records) -> bool:
    """Whether no group gets cheaper by one more member.

    It can by the cell error, whose ranges may cost a member less when they grow, and where a missing value suppresses a
    cell that costs more than suppression.
    """
    missing = (records.values >= FAR_AWAY).any(axis=0) & np.isin(records.kinds, (ENTROPY, VARIANCE))
    return not bool((records.kinds == CELL_ERROR).any() or missing.any())


def all_alike(records: Records) -> bool:
    """Whether all members of a group lose the same, whichever records they are."""
    return _form(records) == _ALIKE


def nearest_prices(records: Records, near: Ints, k: int, copies: Ints | None = None) -> Floats:
    """Return prices that no group undercuts: what a record costs at least beside its k - 1 nearest of all records.

    Of a group of g >= k that costs c, the members pay c / g each if they lose alike, else c / (2 k - 1) at least in
    groups that matter; where c is the cost of all pairs over g, a member takes half of its pairs. ``copies`` says how
    often each record occurs (default: once) where all members lose alike.
    """
    count, form = len(near), _form(records)
    if copies is not None:
        reach = near.shape[1]
        pairs = np.stack((np.repeat(np.arange(count), reach), near.ravel()), axis=1)
        costs = costs_of(records, pairs).reshape(count, reach)
        order = np.argsort(costs, axis=1, kind="stable")
        held = copies[:, None] + np.cumsum(np.take_along_axis(copies[near], order, axis=1), axis=1)
        last = np.minimum((held < k).sum(axis=1), reach - 1)
        widths = np.take_along_axis(np.take_along_axis(costs, order, axis=1), last[:, None], axis=1)[:, 0] / 2.0
        return np.where(copies >= k, 0.0, widths)
    pairs = np.stack((np.repeat(np.arange(count), k - 1), near[:, : k - 1].ravel()), axis=1)
    costs = np.sort(costs_of(records, pairs).reshape(count, k - 1), axis=1)
    if form == _PAIRS:
        return costs.sum(axis=1) / k
    return costs[:, -1] / (2.0 if form == _ALIKE else 2 * k - 1)


def price_groups(records: Records, prices: Floats, k: int, *, budget: int, copies: Ints | None = None) -> Priced:
    """Search around every record for groups that undercut the prices, in at most so many steps each.

    ``copies`` says how often each record occurs (default: once); only losses of which all members lose alike ask.
    """
    order = np.lexsort((np.arange(len(prices)), prices)).astype(np.int64)
    form = _form(records)
    if form == _ALIKE:
        often = np.ones(len(prices), dtype=np.int64) if copies is None else copies
        savings, members, proven = price_alike(records, often, prices, order, k, budget)
    else:
        savings, members, proven = _price(records, prices, order, k, form, budget)
    return Priced(savings, members[members[:, 0] >= 0], proven)


class _Choice(NamedTuple):
    """Records that may join a group: their names, what it costs with each, their prices; and room for their keys."""

    names: Ints
    costs: Floats
    prices: Floats
    keys: Floats


@njit(cache=True, nogil=True)
def _base(form: int, cost: float, size: int, paid: float, wanted: int) -> float:
    """Return what a floor for groups of ``wanted`` begins with: these members alone."""
    return size * cost / wanted - paid if form == _PAIRS else -paid


@njit(cache=True, nogil=True)
def _write_keys(form: int, choice: _Choice, first: int, last: int, cost: float, size: int, wanted: int) -> None:  # noqa: PLR0917
    """Write what each record adds to a floor for groups of ``wanted``."""
    costs, prices, keys = choice.costs, choice.prices, choice.keys
    if form == _PAIRS:
        for place in range(first, last):
            keys[place] = ((size + 1) * costs[place] - size * cost) / wanted - prices[place]
        return
    share = 1.0 / (wanted - size)
    for place in range(first, last):
        keys[place] = share * costs[place] - prices[place]


@njit(cache=True, nogil=True)
def _smallest_sum(keys: Floats, first: int, last: int, wanted: int, room: Floats) -> float:
    """Return the sum of the smallest keys; infinite if there are not that many."""
    if wanted > last - first:
        return np.inf
    filled = 0
    for place in range(first, last):
        key = keys[place]
        if filled == wanted and (wanted == 0 or key >= room[wanted - 1]):
            continue
        at = min(filled, wanted - 1)
        while at > 0 and room[at - 1] > key:
            room[at] = room[at - 1]
            at -= 1
        room[at] = key
        filled = min(filled + 1, wanted)
    total = 0.0
    for at in range(wanted):
        total += room[at]
    return total


@njit(cache=True, nogil=True)
def _open_floor(  # noqa: PLR0917
    form: int, choice: _Choice, first: int, last: int, cost: float, size: int, paid: float, k: int, room: Floats
) -> float:
    """Return a floor of cost minus prices of all groups of these members and some of those that may join."""
    least = np.inf
    for wanted in range(max(k, size + 1), 2 * k):
        _write_keys(form, choice, first, last, cost, size, wanted)
        more = _smallest_sum(choice.keys, first, last, wanted - size, room)
        least = min(least, _base(form, cost, size, paid, wanted) + more)
    return least


@njit(cache=True, nogil=True)
def _narrow(  # noqa: PLR0917
    form: int, choice: _Choice, count: int, cost: float, size: int, paid: float, k: int, best: float, room: Floats
) -> int:
    """Drop who cannot be in a group that saves more than the best so far; return how many are left."""
    useful = np.empty(count, dtype=np.bool_)
    while count > 0:
        useful[:count] = False
        for wanted in range(max(k, size + 1), 2 * k):
            _write_keys(form, choice, 0, count, cost, size, wanted)
            others = _smallest_sum(choice.keys, 0, count, wanted - size - 1, room)
            limit = best - _base(form, cost, size, paid, wanted) - others
            for place in range(count):
                useful[place] |= choice.keys[place] < limit
        left = 0
        for place in range(count):
            if useful[place]:
                choice.names[left], choice.costs[left] = choice.names[place], choice.costs[place]
                choice.prices[left] = choice.prices[place]
                left += 1
        if left == count:
            break
        count = left if size + left >= k else 0
    return count


@njit(cache=True, nogil=True)
def _sort(form: int, choice: _Choice, count: int, k: int) -> None:
    """Put those first who promise most beside a single record: a good group early rules out many others."""
    _write_keys(form, choice, 0, count, 0.0, 1, k)
    order = np.argsort(choice.keys[:count], kind="mergesort")
    choice.names[:count] = choice.names[:count][order]
    choice.costs[:count] = choice.costs[:count][order]
    choice.prices[:count] = choice.prices[:count][order]


class _Stack(NamedTuple):
    """The search around one record, depth by depth: who may come next, and how far it is.

    ``trial`` is the group so far; ``paid`` and ``cost`` are the prices and the cost of its first members.
    """

    names: Ints
    costs: Floats
    prices: Floats
    keys: Floats
    lengths: Ints
    places: Ints
    trial: Ints
    paid: Floats
    cost: Floats


@njit(cache=True, nogil=True)
def _stack(count: int, most: int) -> _Stack:
    return _Stack(
        np.empty((most, count), dtype=np.int64),
        np.empty((most, count)),
        np.empty((most, count)),
        np.empty(count),
        np.zeros(most, dtype=np.int64),
        np.zeros(most, dtype=np.int64),
        np.empty(most + 1, dtype=np.int64),
        np.zeros(most + 1),
        np.zeros(most + 1),
    )


@njit(cache=True, nogil=True)
def _next_choice(records: Records, stack: _Stack, depth: int, form: int, k: int, best: float, room: Floats) -> int:  # noqa: PLR0917
    """Write who may join the group besides its first ``depth + 2`` members; return what it took to see."""
    size, first = depth + 2, stack.places[depth]
    count = stack.lengths[depth] - first
    choice = _Choice(stack.names[depth + 1], stack.costs[depth + 1], stack.prices[depth + 1], stack.keys)
    for place in range(count):
        stack.trial[size] = stack.names[depth, first + place]
        choice.names[place], choice.prices[place] = stack.trial[size], stack.prices[depth, first + place]
        choice.costs[place] = members_cost(records, stack.trial, size + 1, room)
    stack.places[depth + 1] = 0
    stack.lengths[depth + 1] = _narrow(form, choice, count, stack.cost[size], size, stack.paid[size], k, best, room[0])
    return count


@njit(cache=True, nogil=True)
def _search(  # noqa: PLR0917
    records: Records, stack: _Stack, k: int, form: int, budget: int, kept: Ints, room: Floats
) -> tuple[float, float]:
    """Return what the best group saves that was found, and a floor for those that were not looked at."""
    best, loose, depth, steps, found = -ENOUGH, 0.0, 0, 0, 0
    while depth >= 0:
        place, last, size = stack.places[depth], stack.lengths[depth], depth + 1
        if place >= last:
            depth -= 1
            continue
        if steps >= budget:
            choice = _Choice(stack.names[depth], stack.costs[depth], stack.prices[depth], stack.keys)
            cost, paid = stack.cost[size], stack.paid[size]
            loose = min(loose, _open_floor(form, choice, place, last, cost, size, paid, k, room[0]))
            depth -= 1
            continue
        stack.places[depth] += 1
        stack.trial[size] = stack.names[depth, place]
        size += 1
        stack.paid[size] = stack.paid[size - 1] + stack.prices[depth, place]
        stack.cost[size] = stack.costs[depth, place]
        saved = stack.cost[size] - stack.paid[size]
        if size >= k and saved < best - ENOUGH:
            best = saved
            kept[found % KEPT, :] = -1
            kept[found % KEPT, :size] = stack.trial[:size]
            found += 1
        if size < 2 * k - 1:
            steps += _next_choice(records, stack, depth, form, k, best, room)
            depth += 1
    return best, loose


@njit(cache=True, nogil=True)
def _price(  # noqa: PLR0917
    records: Records, prices: Floats, order: Ints, k: int, form: int, budget: int
) -> tuple[Floats, Ints, int]:
    """Search around one record after the other; the cheaper ones stand before it in the pool."""
    count, most, proven = len(prices), 2 * k - 1, 0
    savings, members = np.zeros(count), np.full((KEPT * count, most), -1, dtype=np.int64)
    pool = make_pool(len(records.kinds), count)
    fill_pool(records, pool, order, count)
    stack, room = _stack(count, most), np.empty((3, most + 1))
    for anchor in range(k - 1, count):
        record = order[anchor]
        heft = start_group(records, pool, anchor + 1, anchor)
        joint_costs(records, pool, anchor + 1, heft)
        for place in range(anchor):
            stack.names[0, place], stack.costs[0, place] = order[place], pool.line[place]
            stack.prices[0, place] = prices[order[place]]
        stack.trial[0], stack.paid[1], stack.cost[1], stack.places[0] = record, prices[record], 0.0, 0
        choice = _Choice(stack.names[0], stack.costs[0], stack.prices[0], stack.keys)
        stack.lengths[0] = _narrow(form, choice, anchor, 0.0, 1, prices[record], k, -ENOUGH, room[0])
        _sort(form, choice, stack.lengths[0], k)
        kept = members[KEPT * record : KEPT * record + KEPT]
        best, loose = _search(records, stack, k, form, budget, kept, room)
        proven += loose >= best
        savings[record] = min(best, loose)
    return savings, members, proven
