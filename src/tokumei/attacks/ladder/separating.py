"""Taking the members of a class apart again: which values of its rows are those of one member.

Every row holds one record of each member. A person's values recur (days with several purchases, goods bought again),
so that two values which stand in one row belong to different members, and a few known values anchor the rest. The
computation is an expectation maximization over how often each member has each value; member 0 is the target.
"""

from __future__ import annotations

import numba
import numpy as np

from tokumei.array_types import Floats, Ints

ROUNDS = 40
# What a value counts for every member before any is seen, and what a known value counts for the target.
PRIOR, ANCHOR = 0.05, 20.0
# Members begin almost alike; without a difference they would stay so.
UNLIKE = 0.02
MOST_MEMBERS = 30


def own_ends(low: Ints, high: Ints, members: int, own: Ints) -> tuple[Ints, Floats]:
    """Return the values at the ends of ranges, and how probable each is a value of the member who has ``own``."""
    values = np.unique(np.concatenate((low, high, own)))
    places = [np.searchsorted(values, part) for part in (low, high, own)]
    return values, _own_ends(places[0], places[1], _beginning(places, min(members, MOST_MEMBERS), len(values)), ROUNDS)


def own_elements(bounds: Ints, elements: Ints, members: int, own: Ints) -> tuple[Ints, Floats]:
    """Return the elements of sets, and how probable each is one of the member who has ``own``."""
    values = np.unique(np.concatenate((elements, own)))
    places = [np.searchsorted(values, part) for part in (elements, own)]
    start = _beginning(places, min(members, MOST_MEMBERS), len(values))
    return values, _own_elements(bounds - bounds[0], places[0], start, ROUNDS)


def _beginning(places: list[Ints], members: int, count: int) -> tuple[Floats, Floats]:
    """Return how often each member has each value to begin with, and what anchors the target's."""
    seen = np.bincount(np.concatenate(places[:-1]), minlength=count) / max(members, 1)
    # The same start for the same class, whoever asks.
    noise = np.random.default_rng(count).random((members, count)) - 0.5
    noise[0] = 0.0
    anchors = ANCHOR * np.bincount(places[-1], minlength=count).astype(np.float64)
    counts = seen * (1.0 + UNLIKE * noise)
    counts[0] += anchors
    return counts, anchors


@numba.njit(cache=True)
def _own_ends(low: Ints, high: Ints, start: tuple[Floats, Floats], rounds: int) -> Floats:  # noqa: C901, PLR0912
    counts, anchors = start
    members, values = counts.shape
    share, upto = np.zeros((members, values)), np.zeros((members, values + 1))
    first, last = np.zeros(len(low)), np.zeros(len(low))
    at_low, at_high, covered = np.zeros(members), np.zeros(members), np.zeros(members)
    for _ in range(rounds):
        for member in range(members):
            total = counts[member].sum() + PRIOR * values
            for value in range(values):
                share[member, value] = (counts[member, value] + PRIOR) / total
                upto[member, value + 1] = upto[member, value] + share[member, value]
        new, between = np.zeros((members, values)), np.zeros((members, values + 1))
        new[0] += anchors
        for row in range(len(low)):
            a, b = low[row], high[row]
            if a == b:
                new[:, a] += 1.0
                first[row], last[row] = 1.0, 0.0
                continue
            everybody = 1.0
            for member in range(members):
                covered[member] = upto[member, b + 1] - upto[member, a]
                everybody *= covered[member]
            # One member has the lower end, another the upper one, the others lie between.
            whole = 0.0
            at_low[:] = 0.0
            at_high[:] = 0.0
            for one in range(members):
                for other in range(members):
                    if one != other:
                        weight = share[one, a] / covered[one] * share[other, b] / covered[other] * everybody
                        at_low[one] += weight
                        at_high[other] += weight
                        whole += weight
            whole = max(whole, 1e-300)
            for member in range(members):
                lower, upper = at_low[member] / whole, at_high[member] / whole
                new[member, a] += lower
                new[member, b] += upper
                rest = (1.0 - lower - upper) / covered[member]
                between[member, a] += rest
                between[member, b + 1] -= rest
            first[row], last[row] = at_low[0] / whole, at_high[0] / whole
        for member in range(members):
            open_rows = 0.0
            for value in range(values):
                open_rows += between[member, value]
                new[member, value] += open_rows * share[member, value]
        counts = new
    missed = np.ones(values)
    for row in range(len(low)):
        missed[low[row]] *= 1.0 - first[row]
        missed[high[row]] *= 1.0 - last[row]
    return 1.0 - missed


@numba.njit(cache=True)
def _own_elements(bounds: Ints, elements: Ints, start: tuple[Floats, Floats], rounds: int) -> Floats:
    counts, anchors = start
    members, values = counts.shape
    mine = np.zeros(len(elements))
    for _ in range(rounds):
        new = np.zeros((members, values))
        new[0] += anchors
        total = counts.sum(axis=1) + PRIOR * values
        for row in range(len(bounds) - 1):
            begin, size = bounds[row], bounds[row + 1] - bounds[row]
            if size == 0:
                continue
            weight = np.empty((members, size))
            for member in range(members):
                for place in range(size):
                    weight[member, place] = (counts[member, elements[begin + place]] + PRIOR) / total[member]
            # Every member has one element, and every element is somebody's.
            for _ in range(4):
                for place in range(size):
                    weight[:, place] *= members / size / max(weight[:, place].sum(), 1e-300)
                for member in range(members):
                    weight[member] /= max(weight[member].sum(), 1e-300)
            for place in range(size):
                new[:, elements[begin + place]] += weight[:, place]
                mine[begin + place] = weight[0, place]
        counts = new
    missed = np.ones(values)
    for place in range(len(elements)):
        missed[elements[place]] *= 1.0 - mine[place]
    return 1.0 - missed
