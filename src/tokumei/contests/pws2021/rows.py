"""Rows of the health table against each other: uniqueness, information loss, linkage distance (spec D.5.1, D.5.2, D.6).

Pairs of rows are compared column by column, never through a product of one-hot matrices: equal rows then have
distance exactly 0, and ties stay ties.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tokumei.array_types import Bools, Floats, Ints
from tokumei.contests.pws2021.table import NOMINAL, HealthTable, same_levels

Hashes = npt.NDArray[np.uint64]

# Information loss compares these 0/1 columns for equality, beside the nominal ones (spec D.5.2).
COMPARED = ("dep", "pir", "dia")
LINKED = ("age", "bmi", "dep", "pir", "dia")
BLOCK = 512
TENTHS = 10.0


def value_keys(columns: list[npt.NDArray[np.generic]]) -> Ints:
    """Return a number per row that is equal exactly where the values of all columns are."""
    if not columns:
        return np.zeros(0, dtype=np.int64)
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        _, codes = np.unique(column, return_inverse=True)
        # Renumbering after every column keeps the numbers small whatever the number of columns.
        _, keys = np.unique(keys * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)
    return keys.astype(np.int64)


def kept_rows(count: int, deleted: Ints) -> Ints:
    """Return the rows that were not deleted, in order."""
    kept = np.ones(count, dtype=bool)
    kept[deleted] = False
    return np.flatnonzero(kept)


def first_equal_rows(left: HealthTable, right: HealthTable) -> Ints:
    """Return, for every row of ``left``, the first row of ``right`` with the same values, -1 if there is none."""
    both = same_levels([left, right])
    columns = [np.concatenate([table.codes[:, at] for table in both]) for at in range(len(NOMINAL))]
    columns += [np.concatenate([table.numbers[:, at] for table in both]) for at in range(left.numbers.shape[1])]
    keys = value_keys(list(columns))
    first = np.full(int(keys.max(initial=0)) + 1, -1, dtype=np.int64)
    first[keys[left.height :][::-1]] = np.arange(right.height)[::-1]
    return first[keys[: left.height]]


def uniqueness_keys(table: HealthTable) -> Ints:
    """Return the tuples of uniqrt as numbers: nine columns, age and bmi rounded to tens, half to even."""
    numbers = [np.round(table.number(name), -1) for name in ("age", "bmi")]
    numbers += [table.number(name) for name in ("dep", "pir")]
    return value_keys([*(table.codes[:, column] for column in range(len(NOMINAL))), *numbers])


def singletons(keys: Ints) -> Bools:
    """Return which rows are alone with their key."""
    return np.bincount(keys)[keys] == 1 if len(keys) else np.zeros(0, dtype=bool)


def row_losses(before: HealthTable, after: HealthTable) -> Floats:
    """Return per row |age difference|, |bmi difference| and the number of changed nominal and 0/1 columns."""
    before, after = same_levels([before, after])
    changed = (before.codes != after.codes).sum(axis=1)
    changed = changed + sum((before.number(name) != after.number(name)).astype(np.int64) for name in COMPARED)
    age, bmi = (np.abs(before.number(name) - after.number(name)) for name in ("age", "bmi"))
    return np.stack([age, bmi, changed.astype(np.float64)], axis=1)


def pair_losses(left: HealthTable, right: HealthTable) -> Floats:
    """Return the information loss of every pair of rows: the largest of the three parts of `row_losses`."""
    left, right = same_levels([left, right])
    changed = np.zeros((left.height, right.height))
    for column in range(len(NOMINAL)):
        changed += left.codes[:, column, None] != right.codes[None, :, column]
    for name in COMPARED:
        changed += left.number(name)[:, None] != right.number(name)[None, :]
    for name in ("age", "bmi"):
        np.maximum(changed, np.abs(left.number(name)[:, None] - right.number(name)[None, :]), out=changed)
    return changed


def pair_distances(left: HealthTable, right: HealthTable) -> Floats:
    """Return the Euclidean distances of rlink: numbers unscaled, two 0/1 columns for every differing nominal value."""
    left, right = same_levels([left, right])
    squared = np.zeros((left.height, right.height))
    for column in range(len(NOMINAL)):
        squared += left.codes[:, column, None] != right.codes[None, :, column]
    squared *= 2.0
    for name in LINKED:
        squared += np.square(left.number(name)[:, None] - right.number(name)[None, :])
    return np.sqrt(squared)


def nearest_rows(left: HealthTable, right: HealthTable, count: int) -> tuple[Ints, Floats]:
    """Return the ``count`` nearest rows of ``right`` for every row of ``left``, nearest first, ties by row number."""
    count = min(count, right.height)
    rows = np.empty((left.height, count), dtype=np.int64)
    distances = np.empty((left.height, count))
    for start in range(0, left.height, BLOCK):
        block = np.arange(start, min(start + BLOCK, left.height))
        found = pair_distances(left.take(block), right)
        limit = np.partition(found, count - 1, axis=1)[:, count - 1]
        for row, values, most in zip(block.tolist(), found, limit.tolist(), strict=True):
            near = np.flatnonzero(values <= most)
            near = near[np.argsort(values[near], kind="stable")][:count]
            rows[row], distances[row] = near, values[near]
    return rows, distances


def row_hashes(table: HealthTable) -> Hashes:
    """Return a 64-bit number per row, equal for equal rows (numbers are compared in tenths)."""
    cells = np.concatenate([table.codes, np.rint(table.numbers * TENTHS).astype(np.int64)], axis=1).astype(np.uint64)
    factors: Hashes = np.random.default_rng(2021).integers(1, 2**63, (cells.shape[1],), dtype=np.uint64)
    mixed = np.zeros(table.height, dtype=np.uint64)
    for column, number in enumerate(factors.tolist()):
        # An odd factor loses no bits.
        factor = np.uint64(number | 1)
        mixed = (mixed ^ (mixed >> np.uint64(29))) * factor + cells[:, column] * factor
    return mixed
