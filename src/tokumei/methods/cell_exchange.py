"""Exchanging the cells of a column until two-way tables with other columns are close enough to what they should be."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from tokumei.array_types import Bools, Floats, Ints


def permute_within(rows: Ints, groups: Ints, rng: np.random.Generator) -> Ints:
    """Return rows that changed places within their groups."""
    made = rows.copy()
    for group in np.unique(groups):
        own = np.flatnonzero(groups == group)
        made[own] = made[rng.permutation(own)]
    return made


def exchange_pairs(rows: Ints, count: int, rng: np.random.Generator) -> Ints:
    """Return rows after so many exchanges of two random cells of a random column."""
    made = rows.copy()
    columns = rng.integers(rows.shape[1], size=count)
    for column, (one, other) in zip(columns, rng.integers(len(rows), size=(count, 2)), strict=True):
        made[[one, other], column] = made[[other, one], column]
    return made


def exchange_to_budget(
    truth: Ints, known: Sequence[Ints], together: Bools, *, allowed: float, tries: int, rng: np.random.Generator
) -> Ints:
    """Return columns with nobody's cells, exchanged until every two-way table has changed by at most what is allowed.

    Column by column cells are permuted, then exchanged. Tables count with the ``known`` columns, which stay as they
    are, and with those columns before that are seen ``together``. At most so many exchanges are tried per cell.
    """
    made, values = np.empty_like(truth), int(truth.max()) + 1
    for column in range(truth.shape[1]):
        pairs = [(codes, codes) for codes in known]
        pairs += [(truth[:, other], made[:, other]) for other in np.flatnonzero(together[column, :column]).tolist()]
        cells = rng.permutation(truth[:, column])
        tried = rng.integers(len(cells), size=(tries * len(cells), 2))
        if pairs:
            starts = np.cumsum([0, *(int(before.max()) + 1 for before, _after in pairs)])
            groups = np.stack([after + start for (_before, after), start in zip(pairs, starts, strict=False)])
            target = np.zeros((int(starts[-1]), values), dtype=np.int64)
            for (before, _after), start in zip(pairs, starts, strict=False):
                np.add.at(target, (before + start, truth[:, column]), 1)
            exchange_cells(cells, groups, target, tried, allowed)
        made[:, column] = cells
    return made


@njit(cache=True)
def exchange_cells(cells: Ints, groups: Ints, target: Ints, tried: Ints, allowed: float) -> None:
    """Exchange cells while a two-way table differs from the original by more than is allowed.

    ``groups`` has one row per table: the row of ``target`` into which every cell counts.
    """
    lacking = target.copy()
    tables = groups.shape[0]
    change = np.zeros(tables)
    owner = np.zeros(len(target), dtype=np.int64)
    for table in range(tables):
        for row in range(len(cells)):
            lacking[groups[table, row], cells[row]] -= 1
            owner[groups[table, row]] = table
    for group in range(len(target)):
        change[owner[group]] += np.abs(lacking[group]).sum()
    step = np.zeros(tables)
    for place in range(len(tried)):
        if place % 1000 == 0 and change.max() <= allowed:
            break
        one, other = tried[place, 0], tried[place, 1]
        first, second = cells[one], cells[other]
        if first == second or _gain(lacking, groups, change, step, tried[place], first, second, allowed) <= 0.0:
            continue
        for table in range(tables):
            here, there = groups[table, one], groups[table, other]
            lacking[here, first] += 1
            lacking[here, second] -= 1
            lacking[there, second] += 1
            lacking[there, first] -= 1
            change[table] += step[table]
        cells[one], cells[other] = second, first


@njit(cache=True)
def _gain(  # noqa: PLR0917 compiled code takes no names
    lacking: Ints, groups: Ints, change: Floats, step: Floats, rows: Ints, first: int, second: int, allowed: float
) -> float:
    """Return by how much less the tables exceed what is allowed if two cells are exchanged; fill the change of each."""
    gain = 0.0
    for table in range(groups.shape[0]):
        here, there = groups[table, rows[0]], groups[table, rows[1]]
        step[table] = 0.0
        if here != there:
            step[table] = (
                abs(lacking[here, first] + 1)
                - abs(lacking[here, first])
                + abs(lacking[here, second] - 1)
                - abs(lacking[here, second])
                + abs(lacking[there, second] + 1)
                - abs(lacking[there, second])
                + abs(lacking[there, first] - 1)
                - abs(lacking[there, first])
            )
            gain += max(change[table] - allowed, 0.0) - max(change[table] + step[table] - allowed, 0.0)
    return gain
