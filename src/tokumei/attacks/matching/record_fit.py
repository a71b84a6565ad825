"""Which original records a published record can stand for, and whether a whole history fits a subject.

A published record fits an original one if every cell contains the original value (spec C.1). A pseudonym fits a subject
if its records can be given distinct fitting records of the subject; the subject's other records are read as deleted.
`FitIndex` lays both sides out as plain arrays: every published cell is an interval of codes, with a list of codes where
a set has gaps; a suppressed cell is the interval of everything. Per field the subjects' records are sorted, so that the
fits of one record are found through its most selective cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from tokumei.array_types import Bools, Ints
from tokumei.data import MISSING, History, RangeCells, Release, SetCells

HIGHEST = int(np.iinfo(np.int64).max)


class FitIndex(NamedTuple):
    """Both sides as arrays. Originals stand in the history's order (by subject), published records as released.

    ``codes[r, f]`` original codes, ``owner[r]`` their subject; ``by_subject[f]`` positions sorted by subject and code,
    ``subject_codes[f]`` those codes; ``by_code[f]`` positions sorted by code alone, ``code_codes[f]`` those codes;
    ``lo, hi[p, f]`` published intervals; ``set_start, set_end[p, f]`` the slice of ``set_codes`` of a set with gaps;
    ``admitted[p]`` how many originals the most selective cell admits, ``field[p]`` which that is (-1: all suppressed).
    """

    codes: Ints
    owner: Ints
    offsets: Ints
    by_subject: Ints
    subject_codes: Ints
    by_code: Ints
    code_codes: Ints
    lo: Ints
    hi: Ints
    set_start: Ints
    set_end: Ints
    set_codes: Ints
    admitted: Ints
    field: Ints


def fit_index(history: History, release: Release) -> FitIndex:
    """Lay out the history and the release for the kernels of this file."""
    names = [spec.name for spec in history.schema.fields]
    # A schema without columns gets one in which all records are equal: the kernels read at least one.
    records, published, width = len(history), len(release), max(len(names), 1)
    owner = history.subject[history.order]
    codes = np.zeros((records, width), dtype=np.int64)
    by_subject = np.tile(np.arange(records), (width, 1))
    by_code = by_subject.copy()
    shape = (published, width)
    lo, hi = np.full(shape, MISSING, dtype=np.int64), np.full(shape, HIGHEST, dtype=np.int64)
    set_start, set_end = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    counts = np.full(shape, HIGHEST, dtype=np.int64)
    lists: list[Ints] = [np.empty(0, dtype=np.int64)]
    listed = 0
    for position, name in enumerate(names):
        codes[:, position] = history.codes[name][history.order]
        by_subject[position] = np.lexsort((codes[:, position], owner))
        by_code[position] = np.argsort(codes[:, position], kind="stable")
        cells = release.cells[name]
        rows = np.flatnonzero(~cells.suppressed)
        every = codes[by_code[position], position]
        if isinstance(cells, RangeCells):
            lo[rows, position], hi[rows, position] = cells.lo[rows], cells.hi[rows]
            counts[rows, position] = _frequency(every, cells.lo[rows], cells.hi[rows])
            # A cell that says "missing" fits who has no value there, and nobody else.
            absent = np.flatnonzero(cells.missing)
            hi[absent, position] = MISSING
            counts[absent, position] = _frequency(every, hi[absent, position], hi[absent, position])
        elif len(rows):
            lo[rows, position], hi[rows, position], counts[rows, position], gaps = _set_bounds(cells, rows, every)
            set_start[rows[gaps], position] = cells.offsets[rows[gaps]] + listed
            set_end[rows[gaps], position] = cells.offsets[rows[gaps] + 1] + listed
            lists.append(cells.codes)
            listed += len(cells.codes)
    count, field = _most_selective(counts, records)
    columns = np.arange(width)[:, None]
    subject_codes, code_codes = codes.T[columns, by_subject], codes.T[columns, by_code]
    return FitIndex(
        codes, owner, history.offsets, by_subject, subject_codes, by_code, code_codes, lo, hi, set_start, set_end,
        np.concatenate(lists), count, field,
    )  # fmt: skip


def _frequency(every: Ints, low: Ints, high: Ints) -> Ints:
    """Return how many of the sorted codes lie in each interval."""
    return np.searchsorted(every, high, "right") - np.searchsorted(every, low, "left")


def _set_bounds(cells: SetCells, rows: Ints, every: Ints) -> tuple[Ints, Ints, Ints, Bools]:
    """Return span, number of admitted originals and "has gaps" of these sets; elements may stand in any order."""
    starts = cells.offsets[rows]
    low, high = np.minimum.reduceat(cells.codes, starts), np.maximum.reduceat(cells.codes, starts)
    admitted = np.add.reduceat(_frequency(every, cells.codes, cells.codes), starts)
    return low, high, admitted, high - low + 1 != cells.sizes()[rows]


def _most_selective(counts: Ints, records: int) -> tuple[Ints, Ints]:
    """Return for every published record the smallest count and its field; -1 where all cells are suppressed."""
    if counts.size == 0:
        return np.full(len(counts), records, dtype=np.int64), np.full(len(counts), -1, dtype=np.int64)
    field = np.argmin(counts, axis=1).astype(np.int64)
    count = counts[np.arange(len(counts)), field]
    free = count == HIGHEST
    return np.where(free, records, count), np.where(free, -1, field)


@njit(cache=True, nogil=True)
def _admits(index: FitIndex, record: int, original: int) -> bool:
    """Whether every cell of the published record contains the original's value."""
    for field in range(index.codes.shape[1]):
        value = index.codes[original, field]
        if value < index.lo[record, field] or value > index.hi[record, field]:
            return False
        first, last = index.set_start[record, field], index.set_end[record, field]
        if last > first:
            found = False
            for position in range(first, last):
                if index.set_codes[position] == value:
                    found = True
                    break
            if not found:
                return False
    return True


@njit(cache=True, nogil=True)
def _first_at_least(values: Ints, low: int, high: int, wanted: int) -> int:
    """Return the first position of values[low:high] that is at least the wanted value."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def _segments(index: FitIndex, record: int) -> tuple[int, int]:
    """Return the most selective field of the record and how many intervals of codes it admits there."""
    key = index.field[record]
    if key < 0:
        return 0, 1
    listed = index.set_end[record, key] - index.set_start[record, key]
    return key, max(listed, 1)


@njit(cache=True, nogil=True)
def _segment(index: FitIndex, record: int, key: int, number: int) -> tuple[int, int]:
    """Return one of these intervals."""
    if index.set_end[record, key] > index.set_start[record, key]:
        value = index.set_codes[index.set_start[record, key] + number]
        return value, value
    return index.lo[record, key], index.hi[record, key]


@njit(cache=True, nogil=True)
def append_fits(index: FitIndex, record: int, subject: int, out: Ints, used: int) -> tuple[Ints, int]:
    """Append the subject's records that fit the published record; return the (grown) list and its length."""
    start, stop = index.offsets[subject], index.offsets[subject + 1]
    key, segments = _segments(index, record)
    for number in range(segments):
        low, high = _segment(index, record, key, number)
        position = _first_at_least(index.subject_codes[key], start, stop, low)
        while position < stop and index.subject_codes[key, position] <= high:
            original = index.by_subject[key, position]
            position += 1
            if _admits(index, record, original):
                if used == len(out):
                    out = np.concatenate((out, np.empty_like(out)))
                out[used] = original - start
                used += 1
    return out, used


@njit(cache=True, nogil=True)
def probe_pairs(index: FitIndex, probes: Ints, sizes: Ints, most: int) -> tuple[Ints, Ints, bool]:
    """Return (history, subject) pairs whose probe record fits a record of a subject with enough records.

    ``most`` bounds the number of pairs; the third value tells whether there were more.
    """
    seen = np.full(len(index.offsets) - 1, -1, dtype=np.int64)
    left = np.empty(1024, dtype=np.int64)
    right = np.empty(1024, dtype=np.int64)
    used = 0
    for history in range(len(probes)):
        record = probes[history]
        key, segments = _segments(index, record)
        for number in range(segments):
            low, high = _segment(index, record, key, number)
            position = _first_at_least(index.code_codes[key], 0, len(index.owner), low)
            while position < len(index.owner) and index.code_codes[key, position] <= high:
                original = index.by_code[key, position]
                position += 1
                subject = index.owner[original]
                if seen[subject] == history:
                    continue
                if index.offsets[subject + 1] - index.offsets[subject] < sizes[history]:
                    continue
                if not _admits(index, record, original):
                    continue
                seen[subject] = history
                if used == most:
                    return left[:used], right[:used], True
                if used == len(left):
                    left = np.concatenate((left, np.empty_like(left)))
                    right = np.concatenate((right, np.empty_like(right)))
                left[used] = history
                right[used] = subject
                used += 1
    return left[:used], right[:used], False


@njit(cache=True, nogil=True)
def _augment(start: int, first: Ints, fits: Ints, partner: Ints, visited: Ints, stack: Ints, choice: Ints) -> bool:  # noqa: PLR0917
    """Give one more published record an original of its own along an alternating path (depth first, no recursion)."""
    depth = 0
    stack[0] = start
    choice[0] = first[start]
    while depth >= 0:
        record = stack[depth]
        if choice[depth] == first[record + 1]:
            depth -= 1
            continue
        original = fits[choice[depth]]
        choice[depth] += 1
        if visited[original] == start:
            continue
        visited[original] = start
        if partner[original] < 0:
            for level in range(depth, -1, -1):
                partner[fits[choice[level] - 1]] = stack[level]
            return True
        depth += 1
        stack[depth] = partner[original]
        choice[depth] = first[stack[depth]]
    return False


@njit(cache=True, nogil=True)
def _saturate(records: int, originals: int, first: Ints, fits: Ints) -> int:
    """Return the position of a published record that stays without an original of its own, -1 if none does."""
    partner = np.full(originals, -1, dtype=np.int64)
    waiting = np.empty(records, dtype=np.int64)
    left = 0
    for record in range(records):
        waiting[left] = record
        left += 1
        for position in range(first[record], first[record + 1]):
            if partner[fits[position]] < 0:
                partner[fits[position]] = record
                left -= 1
                break
    visited = np.full(originals, -1, dtype=np.int64)
    stack = np.empty(records + 1, dtype=np.int64)
    choice = np.empty(records + 1, dtype=np.int64)
    for number in range(left):
        if not _augment(waiting[number], first, fits, partner, visited, stack, choice):
            return waiting[number]
    return -1


@njit(cache=True, nogil=True)
def match_histories(index: FitIndex, rows: Ints, starts: Ints, left: Ints, right: Ints) -> Ints:
    """Return for every pair (history ``left``, subject ``right``) the published record that contradicts it.

    History h has the published records ``rows[starts[h]:starts[h + 1]]``, rarest first. -1: it fits; -2: the subject
    has too few records.
    """
    result = np.full(len(left), -1, dtype=np.int64)
    fits = np.empty(4096, dtype=np.int64)
    for pair in range(len(left)):
        begin, end, subject = starts[left[pair]], starts[left[pair] + 1], right[pair]
        originals = index.offsets[subject + 1] - index.offsets[subject]
        if end - begin > originals:
            result[pair] = -2
            continue
        first = np.zeros(end - begin + 1, dtype=np.int64)
        used, records = 0, 0
        for position in range(begin, end):
            record = rows[position]
            if index.field[record] < 0:
                # Wholly suppressed records come last and only need to be counted.
                break
            fits, used = append_fits(index, record, subject, fits, used)
            if used == first[records]:
                result[pair] = record
                break
            records += 1
            first[records] = used
        if result[pair] == -1:
            stuck = _saturate(records, originals, first, fits)
            if stuck >= 0:
                result[pair] = rows[begin + stuck]
    return result


@njit(cache=True, nogil=True)
def collect_fits(index: FitIndex, rows: Ints, subject: int, most: int) -> tuple[Ints, Ints]:
    """Return offsets and positions (within the subject) of the originals each published record fits.

    It stops above ``most`` fits: then fewer positions are returned than the last offset says.
    """
    fits = np.empty(4096, dtype=np.int64)
    first = np.zeros(len(rows) + 1, dtype=np.int64)
    used = 0
    for position in range(len(rows)):
        fits, used = append_fits(index, rows[position], subject, fits, used)
        first[position + 1] = used
        if used > most:
            first[position + 1 :] = used
            return first, fits[:0]
    return first, fits[:used]
