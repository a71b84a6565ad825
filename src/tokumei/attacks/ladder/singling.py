"""Predicates read off the release that hold for exactly one person (predicate singling out, Cohen and Nissim 2020).

An end of a range is the value of some member. "Has a record in this published row, and its value is that very end" is
then true of that member and hardly of anybody else: a person is isolated without a name, and without the original.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.ladder.classes import PublishedClasses
from tokumei.data import History


@dataclass(frozen=True, eq=False, slots=True)
class Singled:
    """Per predicate: how many people of the data it holds for, and how many of those outside its class."""

    people: Ints
    outside: Ints

    def isolated(self) -> Floats:
        """Return 1 where a predicate isolates exactly one person."""
        return (self.people == 1).astype(np.float64)

    def elsewhere(self) -> Floats:
        """Return 1 where it isolates exactly one person outside its class, as it would among fresh people."""
        return (self.outside == 1).astype(np.float64)


def single_out(
    history: History, classes: PublishedClasses, class_of: Ints, *, predicates: int, rng: np.random.Generator
) -> Singled:
    """Make one predicate from each of some classes and count for whom it holds; ``class_of`` is everybody's class."""
    chosen = rng.permutation(len(classes))[:predicates]
    codes = np.stack([history.codes[name] for name in classes.fields], axis=1)
    rows, place, value = _rarest(classes, chosen)
    layout = classes.admitted, (classes.bounds, classes.elements)
    people, outside = np.zeros(len(chosen), dtype=np.int64), np.zeros(len(chosen), dtype=np.int64)
    for number, (row, field, wanted) in enumerate(zip(rows, place, value, strict=True)):
        subjects = np.unique(history.subject[_holds(*layout, codes, row, field, wanted)])
        people[number] = len(subjects)
        outside[number] = int((class_of[subjects] != chosen[number]).sum())
    return Singled(people, outside)


def _rarest(classes: PublishedClasses, chosen: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the row, the column and the value of each class whose predicate holds for the fewest by chance."""
    ordered = len(classes.ordered)
    widths = [
        np.where(hidden, 1.0 / classes.weight[field], classes.high[field] - classes.low[field] + 1.0)
        for field, hidden in enumerate(classes.hidden)
    ]
    widths += [
        np.where(sizes == 0, 1.0 / classes.weight[ordered + field], sizes)
        for field, sizes in enumerate(np.diff(classes.bounds, axis=1).astype(np.float64))
    ]
    # Wide cells hold many people: a row is as common as the product of the shares that its cells take of their columns.
    shares = [np.log(width * classes.weight[field]) for field, width in enumerate(widths)]
    common = np.sum(shares, axis=0)
    scores, values = [], []
    for field in range(ordered):
        seen, counts = np.unique(np.concatenate((classes.low[field], classes.high[field])), return_counts=True)
        for end in (classes.low[field], classes.high[field]):
            rarity = np.log(counts[np.searchsorted(seen, end)] / counts.sum())
            scores.append(np.where(classes.hidden[field], np.inf, common - shares[field] + rarity))
            values.append(end)
    for field in range(len(classes.nominal)):
        bounds = classes.bounds[field]
        part = classes.elements[bounds[0] : bounds[-1]]
        counts = np.bincount(part, minlength=1)
        row = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        order = np.lexsort((counts[part], row))
        first = np.unique(row, return_index=True)[1]
        rarest, rarity = np.zeros(len(bounds) - 1, dtype=np.int64), np.full(len(bounds) - 1, np.inf)
        rarest[row[order][first]] = part[order][first]
        rarity[row[order][first]] = np.log(counts[part[order][first]] / len(part))
        scores.append(common - shares[ordered + field] + rarity)
        values.append(rarest)
    columns = np.concatenate((np.repeat(np.arange(ordered), 2), ordered + np.arange(len(classes.nominal))))
    best = np.argmin(scores, axis=0)
    lowest = np.min(scores, axis=0)
    rows = np.array([classes.starts[one] + np.argmin(lowest[classes.rows(one)]) for one in chosen], dtype=np.int64)
    return rows, columns[best[rows]], np.array(values)[best[rows], rows]


@numba.njit(cache=True)
def _holds(  # noqa: PLR0917
    ranges: tuple[Ints, Ints, Bools], sets: tuple[Ints, Ints], codes: Ints, row: int, column: int, wanted: int
) -> Bools:
    """Return which records lie in a published row and have the wanted value in one column."""
    low, high, hidden = ranges
    bounds, elements = sets
    holds = np.ones(len(codes), dtype=np.bool_)
    for record in range(len(codes)):
        if column >= 0 and codes[record, column] != wanted:
            holds[record] = False
            continue
        for field in range(len(low)):
            value = codes[record, field]
            if not hidden[field, row] and (value < low[field, row] or value > high[field, row]):
                holds[record] = False
        for field in range(len(bounds)):
            begin, end = bounds[field, row], bounds[field, row + 1]
            inside = begin == end
            for place in range(begin, end):
                inside = inside or elements[place] == codes[record, len(low) + field]
            if not inside:
                holds[record] = False
    return holds
