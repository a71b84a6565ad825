"""Taking the members of a class apart again: which values of its rows are those of one member.

Every row holds one record of each member. A person's values recur (days with several purchases, goods bought again),
so that two values which stand in one row belong to different members, and a few known values anchor the rest. The
computation is an expectation maximization over how often each member has each value; member 0 is the target.
"""

from __future__ import annotations

import numba
import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.attacks.ladder.field_values import FieldValues
from tokumei.attacks.ladder.settings import ANCHOR, MOST_MEMBERS, PRIOR, ROUNDS, UNLIKE
from tokumei.engine import in_pieces


def own_values(
    shown: FieldValues, row_starts: Ints, members: Ints, number: Ints, anchors: tuple[Ints, Ints], *, ordered: bool
) -> tuple[Ints, Floats]:
    """Return which of the values of some classes are those of one member whom a few are known of.

    Search i takes the class ``number[i]`` apart for the member who has the values
    ``anchors[1][anchors[0][i]:anchors[0][i + 1]]`` (codes). The result is a probability for each value of the class;
    those of search i begin at the i-th of the positions returned first.
    """
    sizes = np.diff(shown.starts)[number]
    begins = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    layout = (row_starts, np.minimum(members, MOST_MEMBERS), shown.starts, shown.values[shown.inside])
    # The same start for the same class, whoever asks: members begin almost alike, or they would stay so.
    most = int(np.diff(shown.starts).max(initial=0))
    unlike = UNLIKE * (np.random.default_rng(0).random((MOST_MEMBERS, most + 1)) - 0.5)
    probability = np.zeros(begins[-1])
    rows = (shown.bounds, shown.marks)
    in_pieces(
        len(number),
        lambda begin, end: _take_apart(
            layout, rows, number, anchors, begins, unlike, (begin, end), ordered, probability
        ),
    )
    return begins, probability


@numba.njit(cache=True, nogil=True)
def _beginning(  # noqa: PLR0917
    marks: Ints, values: int, members: int, own: Ints, unlike: Floats, plain: float
) -> tuple[Floats, Floats]:
    """Return how often each member has each value to begin with, and what anchors the target's."""
    counts = np.zeros((members, values))
    for mark in marks:
        counts[:, mark] += plain / members
    anchors = np.zeros(values)
    for mark in own:
        anchors[mark] = ANCHOR
    # Two members need no difference but what is known of one of them.
    for member in range(1, members if members > 2 or len(own) == 0 else 0):
        for value in range(values):
            counts[member, value] *= 1.0 + unlike[member, value]
    counts[0] += anchors
    return counts, anchors


@numba.njit(cache=True, nogil=True)
def _with_own(codes: Ints, own: Ints) -> tuple[Ints, Ints, int]:
    """Return where the codes of a class and the known ones stand among both together, and how many those are."""
    every = np.unique(np.concatenate((codes, own)))
    return np.searchsorted(every, codes), np.searchsorted(every, own), len(every)


@numba.njit(cache=True, nogil=True)
def _target_ends(low: Ints, high: Ints, counts: Floats, anchors: Floats) -> Floats:  # noqa: C901
    members, values = counts.shape
    share, upto = np.zeros((members, values)), np.zeros((members, values + 1))
    first, last = np.zeros(len(low)), np.zeros(len(low))
    at_low, at_high, covered = np.zeros(members), np.zeros(members), np.zeros(members)
    new, between = np.zeros((members, values)), np.zeros((members, values + 1))
    for _ in range(ROUNDS):
        for member in range(members):
            total = counts[member].sum() + PRIOR * values
            for value in range(values):
                share[member, value] = (counts[member, value] + PRIOR) / total
                upto[member, value + 1] = upto[member, value] + share[member, value]
        new[:] = 0.0
        between[:] = 0.0
        new[0] += anchors
        for row in range(len(low)):
            a, b = low[row], high[row]
            if a == b:
                new[:, a] += 1.0
                first[row], last[row] = 1.0, 0.0
                continue
            # One member has the lower end, another the upper one, the others lie between.
            lows, highs = 0.0, 0.0
            for member in range(members):
                covered[member] = upto[member, b + 1] - upto[member, a]
                at_low[member] = share[member, a] / covered[member]
                at_high[member] = share[member, b] / covered[member]
                lows += at_low[member]
                highs += at_high[member]
            whole = 0.0
            for member in range(members):
                whole += at_low[member] * (highs - at_high[member])
            whole = max(whole, 1e-300)
            for member in range(members):
                lower = at_low[member] * (highs - at_high[member]) / whole
                upper = at_high[member] * (lows - at_low[member]) / whole
                new[member, a] += lower
                new[member, b] += upper
                rest = (1.0 - lower - upper) / covered[member]
                between[member, a] += rest
                between[member, b + 1] -= rest
                if member == 0:
                    first[row], last[row] = lower, upper
        for member in range(members):
            open_rows = 0.0
            for value in range(values):
                open_rows += between[member, value]
                new[member, value] += open_rows * share[member, value]
        counts[:] = new
    missed = np.ones(values)
    for row in range(len(low)):
        missed[low[row]] *= 1.0 - first[row]
        missed[high[row]] *= 1.0 - last[row]
    return 1.0 - missed


@numba.njit(cache=True, nogil=True)
def _target_elements(bounds: Ints, elements: Ints, counts: Floats, anchors: Floats) -> Floats:  # noqa: C901, PLR0912
    members, values = counts.shape
    mine = np.zeros(len(elements))
    weight = np.zeros((members, np.diff(bounds).max() if len(bounds) > 1 else 0))
    new, total = np.zeros((members, values)), np.zeros(members)
    for _ in range(ROUNDS):
        for member in range(members):
            total[member] = counts[member].sum() + PRIOR * values
        new[:] = 0.0
        new[0] += anchors
        for row in range(len(bounds) - 1):
            begin, size = bounds[row], bounds[row + 1] - bounds[row]
            if size == 0:
                continue
            for member in range(members):
                for place in range(size):
                    weight[member, place] = (counts[member, elements[begin + place]] + PRIOR) / total[member]
            # Every member has one element, and every element is somebody's.
            for _ in range(4):
                for place in range(size):
                    column = 0.0
                    for member in range(members):
                        column += weight[member, place]
                    for member in range(members):
                        weight[member, place] *= members / size / max(column, 1e-300)
                for member in range(members):
                    row_sum = 0.0
                    for place in range(size):
                        row_sum += weight[member, place]
                    for place in range(size):
                        weight[member, place] /= max(row_sum, 1e-300)
            for place in range(size):
                for member in range(members):
                    new[member, elements[begin + place]] += weight[member, place]
                mine[begin + place] = weight[0, place]
        counts[:] = new
    missed = np.ones(values)
    for place in range(len(elements)):
        missed[elements[place]] *= 1.0 - mine[place]
    return 1.0 - missed


@numba.njit(cache=True, nogil=True)
def _take_apart(  # noqa: PLR0917
    layout: tuple[Ints, Ints, Ints, Ints],
    rows: tuple[Ints, Ints],
    number: Ints,
    anchors: tuple[Ints, Ints],
    begins: Ints,
    unlike: Floats,
    part: tuple[int, int],
    ordered: bool,  # noqa: FBT001
    probability: Floats,
) -> None:
    row_starts, members, starts, codes = layout
    for search in range(part[0], part[1]):
        one = number[search]
        own = anchors[1][anchors[0][search] : anchors[0][search + 1]]
        place, own_place, count = _with_own(codes[starts[one] : starts[one + 1]], own)
        bounds = rows[0][row_starts[one] : row_starts[one + 1] + 1]
        marks = place[rows[1][bounds[0] : bounds[-1]]]
        counts, anchored = _beginning(marks, count, members[one], own_place, unlike, 1.0)
        if ordered:
            mine = _target_ends(marks[0::2], marks[1::2], counts, anchored)
        else:
            mine = _target_elements(bounds - bounds[0], marks, counts, anchored)
        for value in range(len(place)):
            probability[begins[search] + value] = mine[place[value]]
