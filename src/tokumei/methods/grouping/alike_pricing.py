"""Groups that undercut prices where all members lose alike (ncp, hierarchies): the search around every distinct record.

A group of m records costs m times the width of its hull. Its dearest member r pays p, so that m widths are below the
prices of m members only if the width is below p: few records are near enough. A group that holds T is at least as wide
as T with any other of its members; so, the others lined up by that width, a floor is the least over this line of m
widths minus the largest prices met so far. The floor is reached where those records are inside the hull of T; if not,
the one that widens it most is taken into T, and after that left out (branch and bound). Equal records are one line with
their number of copies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints
from tokumei.methods.grouping.record_pools import fill_pool, joint_costs, make_pool, start_group
from tokumei.methods.grouping.single_records import Records, members_cost

ENOUGH = 1e-9
# Groups that are handed back per record: the best, and those that were the best before.
KEPT = 6


class _Search(NamedTuple):
    """Depth by depth: who may join, how wide the hull is then, how many copies there are; and the hull so far.

    ``trial`` are the records that T holds, with ``width`` and ``paid`` of the first of them; ``chosen`` are places of
    those that the floor rests on, ``tops`` and ``places`` the largest prices on the way to it.
    """

    names: Ints
    widths: Floats
    prices: Floats
    copies: Ints
    lengths: Ints
    trial: Ints
    width: Floats
    paid: Floats
    chosen: Ints
    places: Ints
    tops: Floats
    room: Floats


@njit(cache=True, nogil=True)
def _new_search(count: int, most: int) -> _Search:
    return _Search(
        np.empty((most + 1, count), dtype=np.int64),
        np.empty((most + 1, count)),
        np.empty((most + 1, count)),
        np.empty((most + 1, count), dtype=np.int64),
        np.zeros(most + 1, dtype=np.int64),
        np.empty(most + 1, dtype=np.int64),
        np.zeros(most + 2),
        np.zeros(most + 2),
        np.empty(most, dtype=np.int64),
        np.empty(most, dtype=np.int64),
        np.empty(most),
        np.empty((3, most + 1)),
    )


@njit(cache=True, nogil=True)
def _insert(search: _Search, filled: int, most: int, price: float, place: int) -> int:
    """Put a price among the largest, if it is one of them; return how many there are."""
    tops, places = search.tops, search.places
    if filled == most and (most == 0 or tops[filled - 1] >= price):
        return filled
    at = min(filled, most - 1)
    while at > 0 and tops[at - 1] < price:
        tops[at], places[at] = tops[at - 1], places[at - 1]
        at -= 1
    tops[at], places[at] = price, place
    return min(filled + 1, most)


@njit(cache=True, nogil=True)
def _floor(search: _Search, depth: int, k: int, best: float) -> tuple[float, int]:
    """Return a floor of cost minus prices of all groups that hold T, and on how many others it rests.

    Who stands behind the last place at which a group could still be better than the best is left out from now on.
    """
    size = depth + 1
    need, most = max(k - size, 0), 2 * k - 1 - size
    paid, least, count, filled, useful = search.paid[size], np.inf, 0, 0, 0
    if need == 0:
        least = size * search.width[size] - paid
    for place in range(search.lengths[depth]):
        width, price = search.widths[depth, place], search.prices[depth, place]
        for _ in range(min(search.copies[depth, place], most)):
            filled = _insert(search, filled, most, price, place)
        if filled < need:
            continue
        value, taken = size * width - paid, 0
        while taken < filled and (taken < need or search.tops[taken] > width):
            value += width - search.tops[taken]
            taken += 1
        if value < best:
            useful = place + 1
        if value < least:
            least, count = value, taken
            search.chosen[:taken] = search.places[:taken]
    search.lengths[depth] = useful
    return least, count


@njit(cache=True, nogil=True)
def _keep(records: Records, search: _Search, depth: int, count: int, best: float, kept: Ints) -> float:  # noqa: PLR0917
    """Cost the group that a floor rests on, write it down if it is the best so far; return what the best saves."""
    size = depth + 1
    members, total = np.empty(size + count, dtype=np.int64), search.paid[size]
    members[:size] = search.trial[:size]
    for at in range(count):
        members[size + at] = search.names[depth, search.chosen[at]]
        total += search.prices[depth, search.chosen[at]]
    saved = members_cost(records, members, size + count, search.room) - total
    if saved >= best - ENOUGH:
        return best
    kept[1:] = kept[:-1].copy()
    kept[0] = -1
    kept[0, : size + count] = members
    return saved


@njit(cache=True, nogil=True)
def _take(records: Records, search: _Search, depth: int, place: int, limit: float) -> int:
    """Go on with one record more in T, and without it here; return how many others were looked at."""
    size, length = depth + 1, search.lengths[depth]
    search.trial[size] = search.names[depth, place]
    search.width[size + 1] = search.widths[depth, place]
    search.paid[size + 1] = search.paid[size] + search.prices[depth, place]
    widths, left = np.empty(length), np.empty(length, dtype=np.int64)
    count = 0
    for other in range(length):
        if other == place and search.copies[depth, place] == 1:
            continue
        search.trial[size + 1] = search.names[depth, other]
        width = members_cost(records, search.trial, size + 2, search.room) / (size + 2)
        if width < limit:
            widths[count], left[count] = width, other
            count += 1
    order = np.argsort(widths[:count], kind="mergesort")
    for at in range(count):
        other = left[order[at]]
        search.names[depth + 1, at], search.widths[depth + 1, at] = search.names[depth, other], widths[order[at]]
        search.prices[depth + 1, at] = search.prices[depth, other]
        search.copies[depth + 1, at] = search.copies[depth, other] - (1 if other == place else 0)
    search.lengths[depth + 1] = count
    for other in range(place, length - 1):
        search.names[depth, other], search.widths[depth, other] = (
            search.names[depth, other + 1],
            search.widths[depth, other + 1],
        )
        search.prices[depth, other] = search.prices[depth, other + 1]
        search.copies[depth, other] = search.copies[depth, other + 1]
    search.lengths[depth] = length - 1
    return length


@njit(cache=True, nogil=True)
def _around(records: Records, search: _Search, k: int, limit: float, budget: int, kept: Ints) -> tuple[float, float]:  # noqa: PLR0917
    """Return what the best group saves that was found, and a floor for those that were not looked at."""
    best, loose, depth, steps = -ENOUGH, 0.0, 0, 0
    while depth >= 0:
        least, count = _floor(search, depth, k, best)
        if least >= best - ENOUGH:
            depth -= 1
            continue
        best = _keep(records, search, depth, count, best, kept)
        widest, place = search.width[depth + 1] + ENOUGH, -1
        for at in range(count):
            if search.widths[depth, search.chosen[at]] > widest:
                place = search.chosen[at]
                widest = search.widths[depth, place]
        if place < 0:
            # The group is inside the hull of T: it costs what the floor says.
            depth -= 1
            continue
        if steps >= budget:
            loose = min(loose, least)
            depth -= 1
            continue
        steps += _take(records, search, depth, place, limit)
        depth += 1
    return best, loose


@njit(cache=True, nogil=True)
def price_alike(  # noqa: PLR0917
    records: Records, copies: Ints, prices: Floats, order: Ints, k: int, budget: int
) -> tuple[Floats, Ints, int]:
    """Search around one record after the other, in the order of their prices, for groups whose dearest member it is.

    Returns what the best group saves (0 or below; a floor of it where the steps of the budget were not enough), groups
    that undercut the prices, and how many searches came to their end.
    """
    count, most, proven, before = len(prices), 2 * k - 1, 0, 0
    savings, members = np.zeros(count), np.full((KEPT * count, most), -1, dtype=np.int64)
    pool = make_pool(len(records.kinds), count)
    fill_pool(records, pool, order, count)
    search = _new_search(count, most)
    for anchor in range(count):
        record = order[anchor]
        before += copies[record]
        if before < k:
            continue
        limit = prices[record]
        if limit <= 0.0:
            proven += 1
            continue
        heft = start_group(records, pool, anchor + 1, anchor)
        joint_costs(records, pool, anchor + 1, heft)
        near = np.flatnonzero(pool.line[: anchor + 1] < 2.0 * limit)
        near = near[np.argsort(pool.line[near], kind="mergesort")]
        length = 0
        for place in near:
            other = order[place]
            left = copies[other] - (1 if other == record else 0)
            if left > 0:
                search.names[0, length], search.widths[0, length] = other, 0.5 * pool.line[place]
                search.prices[0, length], search.copies[0, length] = prices[other], left
                length += 1
        search.trial[0], search.lengths[0] = record, length
        search.width[1], search.paid[1] = 0.0, prices[record]
        kept = members[KEPT * record : KEPT * record + KEPT]
        best, loose = _around(records, search, k, limit, budget, kept)
        proven += loose >= best
        savings[record] = min(best, loose)
    return savings, members, proven
