"""What attackers of the ladder learn: the values that a person has beside those they knew.

An attacker believes in classes as well as they explain what is known. In the classes that are probable the members are
taken apart; in all others every value is worth what chance gives a member. Then as many values are named as the
person has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from tokumei.array_types import Floats, Ints
from tokumei.attacks.ladder.classes import PublishedClasses
from tokumei.attacks.ladder.knowing import Targets
from tokumei.attacks.ladder.separating import own_elements, own_ends
from tokumei.attacks.ladder.settings import KILOMETRE_DEGREES, PROBABLE, SECONDS_PER_HOUR
from tokumei.data import MISSING, Field, History, Kind


@dataclass(frozen=True, eq=False, slots=True)
class Learned:
    """Per target: how many values were to be learned, named, and right (NaN where there was nothing to learn)."""

    wanted: Ints
    named: Ints
    right: Ints

    def precision(self) -> Floats:
        """Return the share of named values that are right, target by target."""
        return np.where(self.named > 0, self.right / np.maximum(self.named, 1), np.where(self.wanted > 0, 0.0, np.nan))

    def recall(self) -> Floats:
        """Return the share of a target's values that were named, target by target."""
        return np.where(self.wanted > 0, self.right / np.maximum(self.wanted, 1), np.nan)


def grain_names(spec: Field) -> tuple[str, ...]:
    """Return how finely values of a field are compared, the finest first."""
    if spec.kind is Kind.DATE:
        return ("day", "month")
    if spec.kind is Kind.DATETIME:
        return ("hour", "day")
    return ("kilometre",) if spec.column != spec.name else ("value",)


def grained(codes: Ints, spec: Field, grain: str) -> Ints:
    """Return codes as coarse as a grain; missing ones stay missing."""
    present = np.where(codes == MISSING, 0, codes)
    if grain == "month":
        coarse = present.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    elif spec.kind is Kind.DATETIME:
        coarse = present // (SECONDS_PER_HOUR * (24 if grain == "day" else 1))
    elif grain == "kilometre":
        coarse = present // max(round(KILOMETRE_DEGREES / spec.step), 1)
    else:
        coarse = present
    return np.where(codes == MISSING, MISSING, coarse)


def learned(
    history: History,
    classes: PublishedClasses,
    targets: Targets,
    known_rows: Mapping[str, tuple[Ints, Ints]],
    beliefs: Floats,
    *,
    only: Sequence[str] = (),
) -> dict[tuple[str, str], Learned]:
    """Return what is learned of every field (or of some) at every grain.

    ``known_rows`` gives for every field the target and the history row of each cell that the attacker knows;
    ``beliefs`` is his probability of every class (column) for every target (row).
    """
    results: dict[tuple[str, str], Learned] = {}
    owner = np.repeat(np.arange(len(targets)), np.diff(targets.starts))
    for name in only or classes.fields:
        spec = history.schema.field(name)
        chances = _chances(classes, name)
        apart = _apart(history, classes, name, known_rows[name], beliefs, chances[1])
        for grain in grain_names(spec):
            coarse, place = np.unique(grained(chances[1], spec, grain), return_inverse=True)
            merge = sp.csr_array((np.ones(len(place)), (np.arange(len(place)), place)), shape=(len(place), len(coarse)))
            score = _any_of(beliefs, chances[0], apart, merge)
            true = grained(history.codes[name][targets.rows], spec, grain)
            # Values that no class shows cannot be named, but they are there to be learned.
            every = np.concatenate((coarse, np.setdiff1d(true[true != MISSING], coarse)))
            has = _pairs(owner, true, every, len(targets))
            target, rows = known_rows[name]
            knows = _pairs(target, grained(history.codes[name][rows], spec, grain), every, len(targets))
            results[name, grain] = _named(score, has, knows)
    return results


def believed(classes: PublishedClasses, name: str, beliefs: Floats) -> tuple[Ints, Floats]:
    """Return for every target the value of a field that its records most probably have, and how probable that is.

    In a set a value is as probable as it is common in the whole release; in a range the ends are members' values.
    """
    if name in classes.ordered:
        field = classes.ordered.index(name)
        shown = np.flatnonzero(~classes.hidden[field])
        row = np.concatenate((shown, shown))
        shares = np.full(len(row), 0.5)
        codes = np.concatenate((classes.low[field][shown], classes.high[field][shown]))
    else:
        bounds = classes.bounds[classes.nominal.index(name)]
        row = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        codes = classes.elements[bounds[0] : bounds[-1]]
        shares = 1.0 / np.diff(bounds)[row]
    if len(row) == 0:
        return np.full(len(beliefs), MISSING), np.zeros(len(beliefs))
    values, place = np.unique(codes, return_inverse=True)
    number = np.repeat(np.arange(len(classes)), classes.sizes)
    common = np.bincount(place, weights=shares * classes.members[number[row]])
    weight = common[place] / np.bincount(row, weights=common[place])[row]
    inside = sp.coo_array((weight, (number[row], place)), shape=(len(classes), len(values))).tocsr()
    probability = beliefs @ inside
    total = np.maximum(beliefs @ classes.sizes.astype(np.float64), 1e-300)
    best = probability.argmax(axis=1)
    return values[best], probability[np.arange(len(best)), best] / total


def _chances(classes: PublishedClasses, name: str) -> tuple[sp.csr_array, Ints]:
    """Return how probable every value is for a member of every class, if nothing more is known, and the values."""
    if name in classes.ordered:
        field = classes.ordered.index(name)
        row = np.repeat(np.arange(len(classes)), classes.sizes)
        shown = ~classes.hidden[field]
        ends = np.concatenate((classes.low[field][shown], classes.high[field][shown]))
        number = np.concatenate((row[shown], row[shown]))
        alike = classes.low[field][shown] == classes.high[field][shown]
        share = np.concatenate((np.where(alike, 0.5, 1.0), np.where(alike, 0.5, 1.0)))
        sure = np.concatenate((alike, alike))
    else:
        field = classes.nominal.index(name)
        sizes = np.diff(classes.bounds[field])
        row = np.repeat(np.arange(len(classes)), classes.sizes)
        number = np.repeat(row, sizes)
        ends = classes.elements[classes.bounds[field, 0] : classes.bounds[field, -1]]
        share = np.ones(len(ends))
        sure = np.repeat(sizes == 1, sizes)
    values, place = np.unique(ends, return_inverse=True)
    members = classes.members[number]
    # A value that stands in n rows is missed by a member with (1 - 1/k) ** n; one that stands alone in a row by nobody.
    miss = np.where(sure, -30.0, np.log1p(-1.0 / np.maximum(members, 2))) * share
    logs = sp.coo_array((miss, (number, place)), shape=(len(classes), len(values))).tocsr()
    logs.sum_duplicates()
    logs.data = -np.expm1(logs.data)
    return logs, values


def _apart(  # noqa: PLR0917
    history: History, classes: PublishedClasses, name: str, known: tuple[Ints, Ints], beliefs: Floats, values: Ints
) -> sp.csr_array:
    """Return what taking probable classes apart adds to the chances, per target and value."""
    target, rows = known
    order = np.argsort(target, kind="stable")
    bounds = np.searchsorted(target[order], np.arange(len(beliefs) + 1))
    codes = history.codes[name][rows][order]
    wheres, columns, data = [], [], []
    for one, number in zip(*np.nonzero(beliefs >= PROBABLE), strict=True):
        own = codes[bounds[one] : bounds[one + 1]]
        seen, probability = _members(classes, name, int(number), own[own != MISSING])
        inside = np.isin(seen, values)
        place = np.searchsorted(values, seen[inside])
        wheres.append(np.full(len(place), one))
        columns.append(place)
        data.append(beliefs[one, number] * probability[inside])
    if not wheres:
        return sp.csr_array((len(beliefs), len(values)))
    entries = np.concatenate(data), (np.concatenate(wheres), np.concatenate(columns))
    return sp.coo_array(entries, shape=(len(beliefs), len(values))).tocsr()


def _members(classes: PublishedClasses, name: str, number: int, own: Ints) -> tuple[Ints, Floats]:
    """Return the values in the rows of a class, and how probable each is the target's."""
    rows = classes.rows(number)
    members = int(classes.members[number])
    if name in classes.ordered:
        field = classes.ordered.index(name)
        shown = ~classes.hidden[field, rows]
        return own_ends(classes.low[field, rows][shown], classes.high[field, rows][shown], members, np.unique(own))
    bounds = classes.bounds[classes.nominal.index(name), rows.start : rows.stop + 1]
    return own_elements(bounds, classes.elements[bounds[0] : bounds[-1]], members, np.unique(own))


def _any_of(beliefs: Floats, chances: sp.csr_array, apart: sp.csr_array, merge: sp.csr_array) -> Floats:
    """Return how probable every coarse value is: of the probable classes taken apart, of the others by chance."""
    others = np.where(beliefs >= PROBABLE, 0.0, beliefs)
    fine = sp.csr_array(others) @ chances + apart
    logs = fine.copy()
    logs.data = np.log1p(-np.minimum(fine.data, 1 - 1e-12))
    return -np.expm1((logs @ merge).toarray())


def _pairs(target: Ints, values: Ints, every: Ints, targets: int) -> sp.csr_array:
    """Return which target has which of the values."""
    present = values != MISSING
    order = np.argsort(every, kind="stable")
    place = order[np.searchsorted(every, values[present], sorter=order)]
    pairs = sp.coo_array((np.ones(int(present.sum())), (target[present], place)), shape=(targets, len(every))).tocsr()
    pairs.data[:] = 1.0
    return pairs


def _named(score: Floats, has: sp.csr_array, knows: sp.csr_array) -> Learned:
    """Name for every target as many values as it has beside the known ones, the most probable first."""
    targets, shown = score.shape
    wanted, named, right = (np.zeros(targets, dtype=np.int64) for _ in range(3))
    for one in range(targets):
        mine = has.indices[has.indptr[one] : has.indptr[one + 1]]
        known = knows.indices[knows.indptr[one] : knows.indptr[one + 1]]
        rest = np.setdiff1d(mine, known)
        wanted[one] = len(rest)
        if len(rest) == 0:
            continue
        belief = score[one].copy()
        belief[known[known < shown]] = -1.0
        best = np.argsort(-belief, kind="stable")[: len(rest)]
        best = best[belief[best] > 0]
        named[one] = len(best)
        right[one] = len(np.intersect1d(best, rest))
    return Learned(wanted, named, right)
