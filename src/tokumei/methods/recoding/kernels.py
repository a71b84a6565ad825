"""Groups of records that lose little at their lowest common ancestors: grown one by one, then improved by exchanges.

Groups grow by the record that raises their loss least (k-member, Byun et al. 2007), what is left joins the group it
costs least, and records move and change places between groups as long as that loses less.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints

# What an exchange must gain at least; sums of floats differ by less.
LEAST_GAIN = 1e-9


class Leaves(NamedTuple):
    """``leaf[record, column]``; ``nodes`` and ``losses`` by column, level and leaf, as in `LeafTable`."""

    leaf: Ints
    nodes: Ints
    losses: Floats


class _Groups(NamedTuple):
    """The members of every group (``fill`` of them), its loss, and the group of every record."""

    members: Ints
    fill: Ints
    loss: Floats
    group: Ints


@njit(cache=True, nogil=True)
def _raise(leaves: Leaves, anchor: int, record: int, level: Ints) -> None:
    """Raise the levels of a group until they hold a record too."""
    leaf, nodes, _ = leaves
    for column in range(leaf.shape[1]):
        now, value, first = level[column], leaf[record, column], leaf[anchor, column]
        while nodes[column, now, value] != nodes[column, now, first]:
            now += 1
        level[column] = now


@njit(cache=True, nogil=True)
def _rise(leaves: Leaves, anchor: int, record: int, level: Ints, size: int) -> float:
    """Return by how much the loss of a group of a size rises when a record joins it."""
    leaf, nodes, losses = leaves
    rise = 0.0
    for column in range(leaf.shape[1]):
        now, value, first = level[column], leaf[record, column], leaf[anchor, column]
        before = losses[column, now, first]
        while nodes[column, now, value] != nodes[column, now, first]:
            now += 1
        rise += losses[column, now, first] * (size + 1) - before * size
    return rise


@njit(cache=True, nogil=True)
def _next(leaves: Leaves, group: Ints, anchor: int, level: Ints, sign: float) -> int:
    """Return the record without group that raises a group's loss least (sign 1) or most (-1); the first of equals."""
    best, cost = -1, 0.0
    for record in range(len(group)):
        if group[record] < 0:
            found = sign * _rise(leaves, anchor, record, level, 1)
            if best < 0 or found < cost:
                best, cost = record, found
    return best


@njit(cache=True, nogil=True)
def grow(leaves: Leaves, k: int) -> Ints:
    """Return the group of every record; a block of fewer than 2k records is one group."""
    records, columns = leaves.leaf.shape
    most = max(records // k, 1)
    group = np.full(records, -1)
    level = np.zeros((most, columns), dtype=np.int64)
    anchor, sizes = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    for one in range(most):
        # Every group begins far from the one before it, so that outliers are not left for the end.
        seed = _next(leaves, group, anchor[one - 1], level[one - 1], -1.0) if one else 0
        anchor[one], group[seed] = seed, one
        for _ in range(k - 1):
            added = _next(leaves, group, seed, level[one], 1.0)
            if added >= 0:
                _raise(leaves, seed, added, level[one])
                group[added] = one
        sizes[one] = k
    for record in range(records):
        if group[record] < 0:
            best, cost = 0, np.inf
            for one in range(most):
                found = _rise(leaves, anchor[one], record, level[one], sizes[one])
                if found < cost:
                    best, cost = one, found
            _raise(leaves, anchor[best], record, level[best])
            group[record] = best
            sizes[best] += 1
    return group


@njit(cache=True, nogil=True)
def _loss(leaves: Leaves, members: Ints, out: int, into: int) -> float:
    """Return the whole loss of a group without the record ``out`` and with the record ``into`` (-1: none)."""
    leaf, nodes, losses = leaves
    count = len(members) - (out >= 0) + (into >= 0)
    total = 0.0
    for column in range(leaf.shape[1]):
        first, level = -1, 0
        for place in range(len(members) + 1):
            record = into if place == len(members) else members[place]
            if record < 0 or record == out:
                continue
            value = leaf[record, column]
            if first < 0:
                first = value
            while nodes[column, level, value] != nodes[column, level, first]:
                level += 1
        if first >= 0:
            total += losses[column, level, first]
    return total * count


@njit(cache=True, nogil=True)
def _best_change(leaves: Leaves, groups: _Groups, record: int, k: int) -> tuple[int, int]:
    """Return the group that a record should move to and the record it changes places with; -1 where there is none."""
    members, fill, loss, group = groups
    own = group[record]
    mine = members[own, : fill[own]]
    without = _loss(leaves, mine, record, -1)
    # Another in the place of the record loses at least what the group loses without both.
    floor = without * len(mine) / max(len(mine) - 1, 1)
    gain, target, partner = LEAST_GAIN, -1, -1
    for other in range(len(fill)):
        if other == own:
            continue
        theirs = members[other, : fill[other]]
        both = loss[own] + loss[other]
        if fill[own] > k and fill[other] < members.shape[1]:
            found = both - without - _loss(leaves, theirs, -1, record)
            if found > gain:
                gain, target, partner = found, other, -1
        for candidate in theirs:
            found = both - floor - _loss(leaves, theirs, candidate, record)
            if found > gain:
                found += floor - _loss(leaves, mine, record, candidate)
                if found > gain:
                    gain, target, partner = found, other, candidate
    return target, partner


@njit(cache=True, nogil=True)
def _change(leaves: Leaves, groups: _Groups, record: int, target: int, partner: int) -> None:
    members, fill, loss, group = groups
    own = group[record]
    at = np.flatnonzero(members[own, : fill[own]] == record)[0]
    if partner < 0:
        fill[own] -= 1
        members[own, at] = members[own, fill[own]]
        members[target, fill[target]] = record
        fill[target] += 1
    else:
        there = np.flatnonzero(members[target, : fill[target]] == partner)[0]
        members[own, at], members[target, there] = partner, record
        group[partner] = own
    group[record] = target
    for one in (own, target):
        loss[one] = _loss(leaves, members[one, : fill[one]], -1, -1)


@njit(cache=True, nogil=True)
def improve(leaves: Leaves, group: Ints, k: int, passes: int) -> None:
    """Let records move and change places while that loses less; ``group`` is overwritten."""
    count = group.max() + 1
    sizes = np.bincount(group)
    members = np.full((count, sizes.max() + k), -1)
    fill = np.zeros(count, dtype=np.int64)
    for record in range(len(group)):
        members[group[record], fill[group[record]]] = record
        fill[group[record]] += 1
    loss = np.zeros(count)
    for one in range(count):
        loss[one] = _loss(leaves, members[one, : fill[one]], -1, -1)
    groups = _Groups(members, fill, loss, group)
    for _ in range(passes):
        changed = False
        for record in range(len(group)):
            if loss[group[record]] > 0.0:
                target, partner = _best_change(leaves, groups, record, k)
                if target >= 0:
                    _change(leaves, groups, record, target, partner)
                    changed = True
        if not changed:
            break
