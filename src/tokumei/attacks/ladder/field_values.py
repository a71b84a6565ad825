"""The values that one field shows, class by class: laid out once for all attackers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.ladder.settings import MOST_POPULAR


@dataclass(frozen=True, eq=False, slots=True)
class FieldValues:
    """Class c shows the values ``values[inside[starts[c]:starts[c + 1]]]``, ascending.

    ``chance`` is how probable each is for a member of whom nothing more is known. ``bounds`` gives the marks of every
    published row: for an ordered field its two ends (or none), for a nominal one its elements; ``marks`` are numbers
    within the values of the class.
    """

    values: Ints
    starts: Ints
    inside: Ints
    chance: Floats
    bounds: Ints
    marks: Ints

    def chances(self) -> sp.csr_array:
        """Return the chances as a table of classes by values."""
        return sp.csr_array((self.chance, self.inside, self.starts), shape=(len(self.starts) - 1, len(self.values)))

    def popular(self, members: Ints, belief: Floats, own: Ints | None) -> sp.csr_array:
        """Return how probable every value is for people of whom no class is known, times the ``belief`` that it is so.

        ``own`` are the classes of these people where they are left out; rare values are not thought of.
        """
        chances = self.chances()
        common = members @ chances
        kept = np.sort(np.argsort(-common, kind="stable")[:MOST_POPULAR])
        total = np.full(len(belief), float(members.sum()))
        everybody = sp.csr_array((common[kept], (np.zeros(len(kept), np.int64), kept)), shape=(1, len(self.values)))
        if own is None:
            return sp.csr_array((belief / total)[:, None]) @ everybody
        weight = belief / np.maximum(total - members[own], 1.0)
        others = sp.csr_array(weight[:, None]) @ everybody - sp.diags_array(weight * members[own]) @ chances[own]
        others.data = np.maximum(others.data, 0.0)
        return others


def ends_of_ranges(low: Ints, high: Ints, hidden: Bools, number: Ints, members: Ints) -> FieldValues:
    """Lay out an ordered field; ``number`` is the class of every row."""
    shown = ~hidden
    ends = np.stack((low, high), axis=1)[shown].ravel()
    bounds = np.concatenate(([0], np.cumsum(2 * shown))).astype(np.int64)
    alike = np.repeat((low == high)[shown], 2)
    # A range of one value has two marks at it, which count as one.
    return _laid_out(ends, np.repeat(number[shown], 2), bounds, members, sure=alike, share=np.where(alike, 0.5, 1.0))


def elements_of_sets(bounds: Ints, elements: Ints, number: Ints, members: Ints) -> FieldValues:
    """Lay out a nominal field; ``bounds`` say which of all elements a row has."""
    sizes = np.diff(bounds)
    part = elements[bounds[0] : bounds[-1]]
    sure = np.repeat(sizes == 1, sizes)
    return _laid_out(part, np.repeat(number, sizes), bounds - bounds[0], members, sure=sure, share=np.ones(len(part)))


def _laid_out(codes: Ints, number: Ints, bounds: Ints, members: Ints, *, sure: Bools, share: Floats) -> FieldValues:
    values, place = np.unique(codes, return_inverse=True)
    keys, entry = np.unique(number * max(len(values), 1) + place, return_inverse=True)
    whose, inside = np.divmod(keys, max(len(values), 1))
    starts = np.concatenate(([0], np.cumsum(np.bincount(whose, minlength=len(members))))).astype(np.int64)
    # A value that stands in n rows is missed by a member with (1 - 1/k) ** n; one that stands alone in a row by nobody.
    miss = np.where(sure, -30.0, np.log1p(-1.0 / np.maximum(members[number], 2))) * share
    chance = -np.expm1(np.bincount(entry, weights=miss, minlength=len(keys)))
    marks = entry - starts[:-1][number]
    return FieldValues(values, starts, inside.astype(np.int64), chance, bounds, marks.astype(np.int64))
