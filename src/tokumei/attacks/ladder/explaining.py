"""How well every class of a release explains what somebody knows of a person.

A known record is explained by a published row whose cells hold it. In a tight range both ends are values of members,
so an end is worth more than a value between; an element of a set is worth one over its size. Records of the person
may have been deleted from the release: a share of every likelihood is that of the whole population.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numba
import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.ladder.classes import PublishedClasses
from tokumei.attacks.ladder.settings import LOST, MOST_KNOWN, NOTHING_SEEN
from tokumei.engine import in_pieces


@dataclass(frozen=True, eq=False, slots=True)
class Known:
    """What attackers know: a record a row, a field a column (ordered fields first), by range for ordered fields.

    ``target[r]`` numbers the person of record r; ``sure`` marks the known cells. A nominal field has its code in both
    ``low`` and ``high``; a blurred value is a range.
    """

    target: Ints
    low: Ints
    high: Ints
    sure: Bools

    def __len__(self) -> int:
        """Return the number of known records."""
        return len(self.target)

    def first(self, count: int) -> Known:
        """Return the first so many records of every target (they stand target by target)."""
        within = np.arange(len(self)) - np.searchsorted(self.target, self.target)
        kept = within < count
        return Known(self.target[kept], self.low[kept], self.high[kept], self.sure[kept])


def explained(classes: PublishedClasses, known: Known) -> Floats:
    """Return the likelihood of every known record (row) among the published rows of every class (column)."""
    layout = (classes.starts, classes.members)
    likelihood = np.zeros((len(known), len(classes.members)))
    published = classes.admitted, (classes.bounds, classes.elements)
    wanted = (known.low, known.high, known.sure)
    in_pieces(
        len(known), lambda begin, end: _explained(layout, *published, classes.weight, wanted, (begin, end), likelihood)
    )
    return likelihood


def background(classes: PublishedClasses, known: Known) -> Floats:
    """Return the likelihood of every known record for somebody of whom nothing is known: column by column, all rows."""
    share = classes.sizes * classes.members
    likelihood = np.ones(len(known))
    for column, name in enumerate(classes.fields):
        if name in classes.nominal:
            common = _common_element(classes, name)[np.maximum(known.low[:, column], 0)]
        else:
            # The same value is known of many people: it is looked up once.
            pairs = np.stack((known.low[:, column], known.high[:, column]))
            values, place = np.unique(pairs, axis=1, return_inverse=True)
            low, high = np.zeros((2, values.shape[1], known.low.shape[1]), dtype=np.int64)
            low[:, column], high[:, column] = values
            alone = np.zeros(low.shape, dtype=np.bool_)
            alone[:, column] = True
            single = explained(classes, Known(np.zeros(len(low), dtype=np.int64), low, high, alone))
            common = (single @ (share / share.sum()))[place]
        likelihood *= np.where(known.sure[:, column], np.maximum(common, NOTHING_SEEN), 1.0)
    return likelihood


def _common_element(classes: PublishedClasses, name: str) -> Floats:
    """Return how probable every code is in a record of the release; a hidden cell may have any."""
    field = classes.nominal.index(name)
    bounds = classes.bounds[field]
    sizes = np.diff(bounds)
    rows = classes.members[classes.numbers] / (classes.sizes * classes.members).sum()
    part = classes.elements[bounds[0] : bounds[-1]]
    most = max(int(part.max(initial=0)) + 1, classes.codes[field])
    common = np.bincount(part, weights=np.repeat(rows / np.maximum(sizes, 1), sizes), minlength=most)
    return common + float(rows[sizes == 0].sum()) * classes.weight[len(classes.ordered) + field]


def log_ratios(classes: PublishedClasses, views: Sequence[Known], targets: int) -> Floats:
    """Return by how much every class (column) explains what is known of every target (row) better than chance does.

    ``views`` are the same records as the attacker looks at them, exactly and roughly: an exact value inside a wide
    range is unlikely in every class, a rough one is not, and the mean of both explains best. A share of the records may
    have been deleted from the release: those are as likely as anybody's.
    """
    used = [view.first(MOST_KNOWN) for view in views]
    better = sum(explained(classes, view) / background(classes, view)[:, None] for view in used) / len(used)
    ratios = np.zeros((targets, len(classes)))
    np.add.at(ratios, used[0].target, np.log((1 - LOST) * better + LOST))
    return ratios


def posterior_classes(classes: PublishedClasses, ratios: Floats, *, present: bool = False) -> Floats:
    """Return the probability of every class (column) for every target (row), and last that it is in none of them.

    Each member is equally likely before; so is it that the target is in the release at all, or not, unless the attacker
    knows that it is ``present``.
    """
    score = np.concatenate((ratios + np.log(classes.members), np.zeros((len(ratios), 1))), axis=1)
    score[:, -1] = -np.inf if present else np.log(classes.members.sum())
    score -= score.max(axis=1, keepdims=True)
    weight = np.exp(score)
    return weight / weight.sum(axis=1, keepdims=True)


@numba.njit(cache=True, nogil=True)
def _explained(  # noqa: PLR0917
    layout: tuple[Ints, Ints],
    ranges: tuple[Ints, Ints, Bools],
    sets: tuple[Ints, Ints],
    weight: Floats,
    known: tuple[Ints, Ints, Bools],
    part: tuple[int, int],
    likelihood: Floats,
) -> None:
    starts, members = layout
    for record in range(part[0], part[1]):
        for number in range(len(members)):
            begin, end = starts[number], starts[number + 1]
            total = 0.0
            for row in range(begin, end):
                worth = _in_ranges(ranges, weight, known, record, row, 1.0 / max(members[number], 2))
                if worth > 0.0:
                    total += worth * _in_sets(sets, weight, known, record, row, len(ranges[0]))
            likelihood[record, number] = total / (end - begin)


@numba.njit(cache=True, inline="always")
def _in_ranges(  # noqa: PLR0917
    ranges: tuple[Ints, Ints, Bools],
    weight: Floats,
    known: tuple[Ints, Ints, Bools],
    record: int,
    row: int,
    end_share: float,
) -> float:
    """Return the probability of the known ordered values in a row; both ends of a range are values of members."""
    low, high, hidden = ranges
    known_low, known_high, sure = known
    worth = 1.0
    for field in range(len(low)):
        if not sure[record, field]:
            continue
        if hidden[field, row]:
            worth *= weight[field]
            continue
        first, last = low[field, row], high[field, row]
        left, right = max(first, known_low[record, field]), min(last, known_high[record, field])
        if left > right:
            return 0.0
        if first == last:
            continue
        value = 0.0
        if left == first:
            value += end_share
            left += 1
        if right == last:
            value += end_share
            right -= 1
        if right >= left:
            value += (1.0 - 2.0 * end_share) * (right - left + 1) / max(last - first - 1, 1)
        worth *= max(value, 1e-9)
    return worth


@numba.njit(cache=True, inline="always")
def _in_sets(  # noqa: PLR0917
    sets: tuple[Ints, Ints], weight: Floats, known: tuple[Ints, Ints, Bools], record: int, row: int, ordered: int
) -> float:
    """Return the probability of the known categories in a row: one over the size of the set that holds them."""
    bounds, elements = sets
    known_low, _, sure = known
    worth = 1.0
    for field in range(len(bounds)):
        column = ordered + field
        if not sure[record, column]:
            continue
        begin, end = bounds[field, row], bounds[field, row + 1]
        if begin == end:
            worth *= weight[column]
            continue
        inside = False
        for place in range(begin, end):
            inside = inside or elements[place] == known_low[record, column]
        if not inside:
            return 0.0
        worth /= end - begin
    return worth
