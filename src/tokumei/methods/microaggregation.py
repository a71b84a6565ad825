"""Microaggregation: similar subjects form groups of at least k and publish the same averaged history."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tokumei.array_types import Floats, Ints
from tokumei.data import MISSING, History, Release, Secret
from tokumei.errors import InfeasibleError
from tokumei.methods.fresh_release import plain_cells, with_fresh_pseudonyms
from tokumei.methods.grouping.points import ROUNDS, refine
from tokumei.methods.mdav import mdav_groups
from tokumei.parts import Method, parameter
from tokumei.progress import stage


def subject_features(history: History, *, categories: int) -> Floats:
    """Return one column per subject: standardized size and means, and shares of the most frequent categories.

    For subjects of one record the squared distance of two columns is the one of generic MDAV: squared differences in
    standard deviations, and 1 for every category in which they differ (if no more categories exist than are used).
    """
    people = len(history.subjects)
    lines = [_standardized(np.log1p(history.counts()))]
    for spec in history.schema.fields:
        codes = history.codes[spec.name]
        if spec.nominal:
            counts = np.bincount(codes, minlength=len(history.categories[spec.name]))
            frequent = np.argsort(-counts, kind="stable")[:categories]
            for code in frequent:
                share = np.bincount(history.subject[codes == code], minlength=people) / np.maximum(history.counts(), 1)
                lines.append(share / sqrt(2.0))
            continue
        present = codes != MISSING
        subject, values = history.subject[present], codes[present]
        scaled = _standardized(values)
        total = np.bincount(subject, weights=scaled, minlength=people)
        lines.append(total / np.maximum(np.bincount(subject, minlength=people), 1))
    return np.array(lines)


def _standardized(values: npt.ArrayLike) -> Floats:
    """Return the values with mean 0 and standard deviation 1 (all 0 if they are equal)."""
    numbers = np.asarray(values, dtype=np.float64)
    if not len(numbers):
        return numbers
    spread = float(np.std(numbers))
    return (numbers - np.mean(numbers)) / (spread if spread > 0 else 1.0)


@dataclass(frozen=True, kw_only=True)
class Microaggregation(Method):
    """Groups of k to 2k - 1 similar subjects publish one and the same history: the average of theirs.

    A group publishes as many records as its smallest member has, each member's records taken evenly from its ordered
    history and the rest deleted; record i is the average of the members' i-th: the mean of ordered values, rounded to
    the column's step, and the most frequent category.

    Protects against linking by published values: at least k pseudonyms say exactly the same. Does not hide what the
    members of a group share (all of one city: the city is published), and a mean is no range: with k = 2 whoever knows
    one member's values computes the other's. Averages are values that nobody may have had.
    """

    name: ClassVar[str] = "microaggregation"
    summary: ClassVar[str] = "groups of at least k similar subjects publish their averaged history (MDAV, or below it)"
    source: ClassVar[str] = "Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous k-anonymity (2005), MDAV"
    not_in_0_1: ClassVar[frozenset[str]] = frozenset({"effort"})

    k: int = parameter(3, "smallest number of subjects in a group", low=2)
    effort: str = parameter(
        "mdav", "how long to search below MDAV for groups of less variance (mdav: not at all)", choices=tuple(ROUNDS)
    )
    categories: int = parameter(50, "most frequent values per category column that similarity looks at", low=1)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the averaged records under pseudonyms, in random order."""
        people = len(history.subjects)
        if 0 < people < self.k:
            message = f"'microaggregation' needs at least k = {self.k} subjects, the data has {people}; lower k"
            raise InfeasibleError(message)
        with stage("grouping subjects"):
            features = subject_features(history, categories=self.categories)
            group = mdav_groups(features, self.k)
            if self.effort != "mdav" and people >= 2 * self.k:
                found = refine(features, group, self.k, rounds=ROUNDS[self.effort])
                group = np.unique(found.labels, return_inverse=True)[1].astype(np.int64)
        position, slot = _aligned(history, group)
        rows = history.order[position]
        cells = {}
        for spec in history.schema.fields:
            codes = history.codes[spec.name][rows]
            average = _most_frequent(codes, slot) if spec.nominal else _means(codes, slot)
            cells[spec.name] = plain_cells(history, spec, average[slot])
        return with_fresh_pseudonyms(history, rows, cells, method=self.name, rng=rng)


def _aligned(history: History, group: Ints) -> tuple[Ints, Ints]:
    """Return the published positions in `History.order` and, for each, the number of its averaged record."""
    counts = history.counts()
    groups = int(group.max()) + 1 if len(group) else 0
    fewest = np.full(groups, np.iinfo(np.int64).max)
    np.minimum.at(fewest, group, counts)
    published = fewest[group]
    first = np.concatenate(([0], np.cumsum(published)))
    place = np.arange(first[-1]) - np.repeat(first[:-1], published)
    # The middle of the i-th of m equal parts of the history.
    within = (2 * place + 1) * np.repeat(counts, published) // (2 * np.repeat(published, published))
    base = np.concatenate(([0], np.cumsum(fewest)))[group]
    return np.repeat(history.offsets[:-1], published) + within, np.repeat(base, published) + place


def _means(codes: Ints, slot: Ints) -> Ints:
    """Return the mean of the present values of every slot, halves rounded up; missing where none is present."""
    present = codes != MISSING
    slots = int(slot.max()) + 1 if len(slot) else 0
    count = np.bincount(slot[present], minlength=slots)
    # Sums start from the smallest value, so that large codes lose no digits.
    lowest = int(codes[present].min()) if present.any() else 0
    total = np.bincount(slot[present], weights=(codes[present] - lowest).astype(np.float64), minlength=slots)
    mean = np.floor(total / np.maximum(count, 1) + 0.5).astype(np.int64) + lowest
    return np.where(count > 0, mean, MISSING)


def _most_frequent(codes: Ints, slot: Ints) -> Ints:
    """Return the most frequent code of every slot; of equally frequent ones the first of the dictionary."""
    width = int(codes.max()) + 1 if len(codes) else 1
    pair, count = np.unique(slot * width + codes, return_counts=True)
    place, code = np.divmod(pair, width)
    order = np.lexsort((code, -count, place))
    winners = order[np.unique(place[order], return_index=True)[1]]
    return code[winners]
