"""What attackers of the ladder learn: the values that a person has beside those they knew.

An attacker believes in classes as well as they explain what is known. In the classes that are probable the members are
taken apart; in all others every value is worth what chance gives a member. Then as many values are named as the
person has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numba
import numpy as np
import scipy.sparse as sp

from tokumei.array_types import Floats, Ints
from tokumei.attacks.ladder.classes import PublishedClasses
from tokumei.attacks.ladder.knowing import Targets
from tokumei.attacks.ladder.separating import own_values
from tokumei.attacks.ladder.settings import FORGOTTEN, KILOMETRE_DEGREES, PROBABLE, SECONDS_PER_HOUR
from tokumei.data import MISSING, Field, History, Kind
from tokumei.engine import in_pieces


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
    seen_and_true: tuple[History, History],
    classes: PublishedClasses,
    targets: Targets,
    known_rows: Mapping[str, tuple[Ints, Ints]],
    beliefs: Floats,
    *,
    left_out: Ints | None = None,
) -> dict[tuple[str, str], Learned]:
    """Return what is learned of every field at every grain.

    ``seen_and_true`` is the history as the attacker compares it with the release, and as it is; ``known_rows`` gives
    for every field the target and the history row of each cell that the attacker knows;
    ``beliefs`` is his probability of every class (column) for every target (row), the last column that of none;
    ``left_out`` is the class of every target where it is left out of the release.
    """
    seen, history = seen_and_true
    results: dict[tuple[str, str], Learned] = {}
    specs, people = {spec.name: spec for spec in history.schema.fields}, len(targets)
    owner = np.repeat(np.arange(people), np.diff(targets.starts))
    for name in classes.fields:
        spec = specs[name]
        shown = classes.shown[name]
        target, rows = known_rows[name]
        fine = _fine(classes, name, (target, seen.codes[name][rows]), beliefs, left_out)
        for grain in grain_names(spec):
            coarse, place = np.unique(grained(shown.values, spec, grain), return_inverse=True)
            merge = sp.csr_array((np.ones(len(place)), (np.arange(len(place)), place)), shape=(len(place), len(coarse)))
            score = -np.expm1((fine @ merge).toarray())
            true = grained(history.codes[name][targets.rows], spec, grain)
            # Values that no class shows cannot be named, but they are there to be learned.
            every = np.concatenate((coarse, np.setdiff1d(true[true != MISSING], coarse)))
            has = _pairs(owner, true, every, people)
            knows = _pairs(target, grained(history.codes[name][rows], spec, grain), every, people)
            results[name, grain] = _compared(score, has, knows)
    return results


def believed(
    classes: PublishedClasses, name: str, beliefs: Floats, left_out: Ints | None = None
) -> tuple[Ints, Floats]:
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
    if name in classes.apart:
        return _believed_apart(classes.apart[name], beliefs, left_out)
    if len(row) == 0:
        return np.full(len(beliefs), MISSING), np.zeros(len(beliefs))
    values, place = np.unique(codes, return_inverse=True)
    number = np.repeat(np.arange(len(classes)), classes.sizes)
    common = np.bincount(place, weights=shares * classes.members[number[row]])
    weight = common[place] / np.bincount(row, weights=common[place])[row]
    inside = sp.coo_array((weight, (number[row], place)), shape=(len(classes), len(values))).tocsr()
    # Who is in no class has what is common in the release, the own class left out.
    counted = sp.coo_array((shares * classes.members[number[row]], (number[row], place)), shape=inside.shape).tocsr()
    everybody = np.tile(common, (len(beliefs), 1)) - (0.0 if left_out is None else counted[left_out].toarray())
    everybody = np.maximum(everybody, 0.0) / np.maximum(everybody.sum(axis=1, keepdims=True), 1e-300)
    each = sp.diags_array(1.0 / np.maximum(inside.sum(axis=1), 1e-300)) @ inside
    probability = beliefs[:, :-1] @ each + beliefs[:, -1:] * everybody
    best = probability.argmax(axis=1)
    return values[best], probability[np.arange(len(best)), best]


def _believed_apart(counted: sp.csr_array, beliefs: Floats, left_out: Ints | None) -> tuple[Ints, Floats]:
    """Return the same where the release says how often every class has each value."""
    common = np.asarray(counted.sum(axis=0)).ravel()
    everybody = np.tile(common, (len(beliefs), 1)) - (0.0 if left_out is None else counted[left_out].toarray())
    everybody = np.maximum(everybody, 0.0) / np.maximum(everybody.sum(axis=1, keepdims=True), 1e-300)
    each = sp.diags_array(1.0 / np.maximum(counted.sum(axis=1), 1e-300)) @ counted
    probability = beliefs[:, :-1] @ each + beliefs[:, -1:] * everybody
    best = probability.argmax(axis=1)
    return best.astype(np.int64), probability[np.arange(len(best)), best]


def _fine(
    classes: PublishedClasses, name: str, known: tuple[Ints, Ints], beliefs: Floats, left_out: Ints | None
) -> sp.csr_array:
    """Return the logarithm of how probable a target (row) lacks a value (column) that the classes show.

    The probable classes are taken apart; in the others a value is worth what chance gives a member.
    """
    shown = classes.shown[name]
    target, codes = known
    order = np.lexsort((codes, target))
    order = order[codes[order] != MISSING]
    bounds = np.searchsorted(target[order], np.arange(len(beliefs) + 1))
    inside = beliefs[:, :-1]
    who, number = np.nonzero(inside >= PROBABLE)
    sizes = np.diff(bounds)[who]
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    own = codes[order][np.arange(starts[-1]) + np.repeat(bounds[who] - starts[:-1], sizes)]
    begins, probability = own_values(
        shown, classes.starts, classes.members, number, (starts, own), ordered=name in classes.ordered
    )
    counts = np.diff(begins)
    entries = np.arange(begins[-1]) + np.repeat(shown.starts[number] - begins[:-1], counts)
    data = np.repeat(inside[who, number], counts) * probability
    places = np.repeat(who, counts), shown.inside[entries]
    apart = sp.coo_array((data, places), shape=(len(beliefs), len(shown.values))).tocsr()
    others = sp.csr_array(np.where((inside >= PROBABLE) | (inside < FORGOTTEN), 0.0, inside))
    nobody = np.where(beliefs[:, -1] < FORGOTTEN, 0.0, beliefs[:, -1])
    fine = (others @ shown.chances() + apart + shown.popular(classes.members, nobody, left_out)).tocsr()
    fine.data = np.log1p(-np.minimum(fine.data, 1 - 1e-12))
    return fine


def _pairs(target: Ints, values: Ints, every: Ints, targets: int) -> sp.csr_array:
    """Return which target has which of the values."""
    present = values != MISSING
    order = np.argsort(every, kind="stable")
    place = order[np.searchsorted(every, values[present], sorter=order)]
    pairs = sp.coo_array((np.ones(int(present.sum())), (target[present], place)), shape=(targets, len(every))).tocsr()
    pairs.data[:] = 1.0
    return pairs


def _compared(score: Floats, has: sp.csr_array, knows: sp.csr_array) -> Learned:
    counted = np.zeros((3, len(score)), dtype=np.int64)
    mine = (has.indptr.astype(np.int64), has.indices.astype(np.int64))
    known = (knows.indptr.astype(np.int64), knows.indices.astype(np.int64))
    in_pieces(len(score), lambda begin, end: _named(score, mine, known, (begin, end), counted))
    return Learned(*counted)


@numba.njit(cache=True, nogil=True)
def _named(
    score: Floats, has: tuple[Ints, Ints], knows: tuple[Ints, Ints], part: tuple[int, int], counted: Ints
) -> None:
    """Name for every target as many values as it has beside the known ones, the most probable first.

    ``counted`` receives how many were wanted, named and right.
    """
    shown = score.shape[1]
    for one in range(part[0], part[1]):
        belief = score[one].copy()
        mine = has[1][has[0][one] : has[0][one + 1]]
        is_mine = np.zeros(shown, dtype=np.bool_)
        for value in mine:
            if value < shown:
                is_mine[value] = True
        rest = len(mine)
        for value in knows[1][knows[0][one] : knows[0][one + 1]]:
            rest -= 1
            if value < shown:
                belief[value] = -1.0
        counted[0, one] = rest
        if rest == 0:
            continue
        for value in np.argsort(-belief, kind="mergesort")[:rest]:
            if belief[value] > 0.0:
                counted[1, one] += 1
                counted[2, one] += is_mine[value]
