"""How often the few records that somebody knows of a subject fit nobody else.

Knowing m records means knowing m distinct records (all of them if a subject has fewer), drawn at random from the
subject's own; they single the subject out if no other subject has all of them. The share of subjects singled out is
the unicity of de Montjoye et al., Unique in the Crowd (Scientific Reports 3, 1376, 2013), with whole records as points.

>>> import numpy as np
>>> holdings = Holdings.of(np.array([0, 0, 1, 1]), np.array([7, 8, 7, 9]), subjects=2)
>>> unique_share(holdings, 1).value, unique_share(holdings, 2).value
(0.5, 1.0)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from numba import njit

from tokumei.array_types import Bools, Floats, Ints
from tokumei.data import History, Interval

# So many sets of records are counted one by one; beyond, so many are drawn.
MOST_EXACT_SETS = 100_000
DRAWS = 20_000
# So many comparisons may be made for the drawn sets; data whose records everybody has gets fewer draws.
MOST_COMPARISONS = 50_000_000
_PACKED = 2**62
_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Share:
    """A share of the subjects: exact, or estimated from so many draws with its interval."""

    value: float
    interval: Interval | None = None
    draws: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Holdings:
    """Who has which distinct record: the owners of every record and the records of every subject, both ascending."""

    owners: Ints
    owner_bounds: Ints
    records: Ints
    record_bounds: Ints

    @classmethod
    def of(cls, subject: Ints, record: Ints, *, subjects: int) -> Holdings:
        """Lay out which of the records (any numbers) each of the subjects (0, 1, ...) has."""
        frame = pl.DataFrame({"record": record, "subject": subject}).unique().sort("record", "subject")
        dense = frame["record"].rle_id().to_numpy().astype(np.int64)
        owners = frame["subject"].to_numpy().astype(np.int64)
        owner_bounds = np.concatenate(([0], np.cumsum(np.bincount(dense)))).astype(np.int64)
        record_bounds = np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=subjects)))).astype(np.int64)
        return cls(owners, owner_bounds, dense[np.argsort(owners, kind="stable")], record_bounds)

    def distinct(self) -> Ints:
        """Return the number of distinct records of every subject."""
        return np.diff(self.record_bounds)

    def spread(self) -> Ints:
        """Return the number of owners of every record."""
        return np.diff(self.owner_bounds)


def dense_keys(history: History, names: Sequence[str]) -> Ints:
    """Return one number per distinct combination of these fields (0 for all without fields), in file order.

    The numbers rise with the values, so that they do not depend on the order of the records.
    """
    key, room = np.zeros(len(history), dtype=np.int64), 1
    for name in names:
        codes, size = _ranked(history.codes[name])
        if room * size >= _PACKED:
            key, room = _ranked(key)
        key, room = key * size + codes, room * size
    return _ranked(key)[0]


def _ranked(values: Ints) -> tuple[Ints, int]:
    """Return the values as 0, 1, ... in their order, and how many there are."""
    if len(values) == 0:
        return values, 1
    ranks = pl.Series(values).rank("dense").cast(pl.Int64).to_numpy() - 1
    return ranks, int(ranks.max()) + 1


def unique_share(holdings: Holdings, known: int, *, seed: int = 0, among: Ints | None = None) -> Share:
    """Return the share of subjects whom ``known`` of their own records, drawn at random, single out.

    ``among`` are the subjects who stand for all, if some do: the share is then an estimate. Of others only the records
    matter that one of these has too.

    One record, and few sets of records, are counted exactly; else sets are drawn, equally many of every subject or one
    each of some of them.
    """
    subjects = len(holdings.record_bounds) - 1
    if subjects == 0:
        return Share(0.0)
    if among is not None:
        return _drawn_share(holdings, known, seed, among)
    if known == 1:
        alone = holdings.spread()[holdings.records] == 1
        owner = np.repeat(np.arange(subjects), holdings.distinct())
        own = np.bincount(owner, weights=alone, minlength=subjects)
        return Share(float(np.mean(own / np.maximum(holdings.distinct(), 1))))
    sets = _all_sets(holdings, known)
    if sets is not None:
        hits = _unique(holdings, *sets)
        counts = np.bincount(sets[0], minlength=subjects)
        return Share(float(np.mean(np.bincount(sets[0], weights=hits, minlength=subjects) / np.maximum(counts, 1))))
    return _drawn_share(holdings, known, seed, np.arange(subjects))


def _drawn_share(holdings: Holdings, known: int, seed: int, among: Ints) -> Share:
    """Return the share of sets of records, drawn from those of some subjects, that single their subject out."""
    drawn, chosen = _drawn_sets(holdings, known, seed, among)
    hits = _unique(holdings, drawn, chosen)
    return Share(float(hits.mean()), wilson_interval(int(hits.sum()), len(hits)), len(hits))


def wilson_interval(hits: int, draws: int) -> Interval:
    """Return the 95 % interval of a share (Wilson 1927), which also holds near 0 and 1."""
    share = hits / draws
    centre = share + _Z95**2 / (2 * draws)
    half = _Z95 * math.sqrt(share * (1 - share) / draws + _Z95**2 / (4 * draws**2))
    scale = 1 + _Z95**2 / draws
    low = (centre - half) / scale if hits else 0.0
    high = (centre + half) / scale if hits < draws else 1.0
    return Interval(low, high)


def _all_sets(holdings: Holdings, known: int) -> tuple[Ints, Ints] | None:
    """Return every set of so many records with its subject, or None if they are too many."""
    distinct = holdings.distinct()
    sizes, subjects_of_size = np.unique(distinct, return_counts=True)
    total = sum(
        math.comb(int(size), known) * int(times) if size > known else int(times)
        for size, times in zip(sizes, subjects_of_size, strict=True)
    )
    if total > MOST_EXACT_SETS:
        return None
    owners: list[Ints] = []
    sets: list[Ints] = []
    for size in sizes[sizes > 0]:
        who = np.flatnonzero(distinct == size)
        picks = np.array(list(combinations(range(int(size)), min(known, int(size)))), dtype=np.int64)
        picks = np.pad(picks, ((0, 0), (0, known - picks.shape[1])), constant_values=-1)
        owners.append(np.repeat(who, len(picks)))
        sets.append(_records_at(holdings, np.repeat(who, len(picks)), np.tile(picks, (len(who), 1))))
    if not owners:
        return np.empty(0, dtype=np.int64), np.empty((0, known), dtype=np.int64)
    return np.concatenate(owners), np.concatenate(sets)


def _drawn_sets(holdings: Holdings, known: int, seed: int, among: Ints) -> tuple[Ints, Ints]:
    """Draw sets of records without replacement; return their subjects and records (-1: no more of them)."""
    rng = np.random.default_rng([seed, known])
    distinct = holdings.distinct()
    subjects = among[distinct[among] > 0]
    cost = np.minimum.reduceat(holdings.spread()[holdings.records], holdings.record_bounds[:-1][subjects])
    draws = int(min(DRAWS, max(1000, MOST_COMPARISONS / max(float(cost.mean()) * known, 1.0))))
    if draws < len(subjects):
        who = np.sort(rng.choice(subjects, draws, replace=False))
    else:
        # Who stands for others is drawn once: more draws of the same people would make no narrower interval.
        who = np.repeat(subjects, draws // len(subjects) if len(among) == len(distinct) else 1)
    picks = _distinct_picks(rng.random((len(who), known)), distinct[who])
    return who, _records_at(holdings, who, picks)


@njit(cache=True, nogil=True)
def _distinct_picks(drawn: Floats, sizes: Ints) -> Ints:
    """Return positions below each size without repetition (Floyd's algorithm, CACM 30(9), 1987); -1 where none is."""
    picks = np.full(drawn.shape, -1, dtype=np.int64)
    for row in range(drawn.shape[0]):
        size, wanted = sizes[row], min(drawn.shape[1], sizes[row])
        for place in range(wanted):
            top = size - wanted + place
            pick = int(drawn[row, place] * (top + 1))
            for before in range(place):
                if picks[row, before] == pick:
                    pick = top
                    break
            picks[row, place] = pick
    return picks


def _records_at(holdings: Holdings, who: Ints, picks: Ints) -> Ints:
    """Return the records of these subjects at these positions, -1 where there is none."""
    places = holdings.record_bounds[who][:, None] + np.maximum(picks, 0)
    return np.where(picks >= 0, holdings.records[places], -1)


def _unique(holdings: Holdings, who: Ints, sets: Ints) -> Bools:
    return _unique_sets(holdings.owners, holdings.owner_bounds, who, sets)


@njit(cache=True, nogil=True)
def _unique_sets(owners: Ints, bounds: Ints, who: Ints, sets: Ints) -> Bools:
    """Return which sets no subject but their own has: the owners of the rarest record are tried one by one."""
    alone = np.ones(len(who), dtype=np.bool_)
    for row in range(len(who)):
        rarest = sets[row, 0]
        for record in sets[row]:
            if record >= 0 and bounds[record + 1] - bounds[record] < bounds[rarest + 1] - bounds[rarest]:
                rarest = record
        for place in range(bounds[rarest], bounds[rarest + 1]):
            other = owners[place]
            if other == who[row]:
                continue
            has_all = True
            for record in sets[row]:
                if record < 0 or record == rarest:
                    continue
                held = owners[bounds[record] : bounds[record + 1]]
                found = np.searchsorted(held, other)
                if found == len(held) or held[found] != other:
                    has_all = False
                    break
            if has_all:
                alone[row] = False
                break
    return alone
