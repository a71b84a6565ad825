"""From groups to a release: aligned records become one published row each, the same for every member.

The cells of a row are the tight hull or set of all members' values; a cell is suppressed for the whole group or not at
all, when a value is missing or when suppression loses less (never member by member: research part 1 re-identified 46 %
that way). Rows are sorted by pseudonym and content, and pseudonyms are random, so that order says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.anonymize.groups import Groups
from tokumei.cells import MISSING, Cells, RangeCells, SetCells
from tokumei.history import History, Release, Secret
from tokumei.kernels.cell_error import range_errors
from tokumei.kernels.group_alignment import align_groups
from tokumei.kernels.pseudonyms import draw_pseudonyms
from tokumei.kernels.record_table import RecordTable

__all__ = ["Merged", "Surplus", "merge_groups", "surplus_positions", "to_release"]

Ints = npt.NDArray[np.int64]


class Surplus(StrEnum):
    """What happens to the records by which a member exceeds the smallest of its group."""

    DELETE = "delete"
    DUMMY = "dummy"
    SPLIT = "split"
    SHARED = "shared"


@dataclass(frozen=True, eq=False, slots=True)
class Merged:
    """Published rows of all groups, member by member.

    Record i is published under unit ``unit[i]`` with the cells of line ``line[i]`` of the lines that begin at
    ``starts`` in ``position``; ``position`` holds record positions of the table, those of one line side by side.
    """

    position: Ints
    unit: Ints
    starts: Ints

    @property
    def line(self) -> Ints:
        """The line of every published record."""
        sizes = np.diff(np.append(self.starts, len(self.position)))
        return np.repeat(np.arange(len(self.starts)), sizes)


def merge_groups(table: RecordTable, groups: Groups, *, limit: int, threads: int = 1) -> Merged:
    """Align the records of every group."""
    ready = groups.shortest_first(table.counts())
    _, position = align_groups(table, ready.members, ready.bounds, limit=limit, rounds=8, threads=threads, keep=True)
    rows = table.counts()[ready.members[ready.bounds[:-1]]]
    line_sizes = np.repeat(ready.sizes(), rows)
    starts = np.concatenate(([0], np.cumsum(line_sizes)))[:-1].astype(np.int64)
    owner_unit = np.repeat(np.arange(len(table)), table.counts())
    return Merged(position, owner_unit[position], starts)


def surplus_positions(table: RecordTable, merged: Merged) -> Ints:
    """Return the record positions that no published row holds."""
    published = np.zeros(table.offsets[-1], dtype=np.bool_)
    published[merged.position] = True
    return np.flatnonzero(~published)


def line_cells(history: History, name: str, rows: Ints, starts: Ints) -> Cells:
    """Return one cell per line: the hull of its records' values, suppressed for all members or for none."""
    codes = history.codes[name][rows]
    if history.schema.field(name).nominal:
        return SetCells.of_lists(np.append(starts, len(codes)), codes, history.categories[name])
    if len(codes) == 0:
        return RangeCells.of_values(codes)
    sizes = np.diff(np.append(starts, len(codes)))
    lo, hi = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
    missing = lo == MISSING
    low, high = np.where(missing, 0, lo), np.where(missing, 0, hi)
    line = np.repeat(np.arange(len(starts)), sizes)
    values = np.where(missing[line], 0, codes)
    errors = range_errors(values, low[line], high[line], history.spread(name))
    return RangeCells.of_ranges(low, high, suppressed=missing | (np.add.reduceat(errors, starts) > sizes))


def to_release(
    history: History,
    table: RecordTable,
    merged: Merged,
    *,
    method: str,
    rng: np.random.Generator,
) -> tuple[Release, Secret]:
    """Name the units, cut the cells and put the rows in an order that says nothing."""
    rows = table.rows[merged.position]
    line = merged.line
    cells = {spec.name: line_cells(history, spec.name, rows, merged.starts) for spec in history.schema.fields}
    keys = [key for spec in history.schema.fields for key in cells[spec.name].sort_keys()]
    rank = np.empty(len(merged.starts), dtype=np.int64)
    rank[np.lexsort(keys[::-1]) if keys else np.arange(len(rank))] = np.arange(len(rank))
    units = np.unique(merged.unit)
    drawn = draw_pseudonyms(len(units), rng=rng, avoid=history.subjects)
    number = drawn.cast(pl.Int64).to_numpy()[np.searchsorted(units, merged.unit)]
    # Rows of one pseudonym that read the same are ordered by their original row: invisible in the release.
    order = np.lexsort((rows, rank[line], number))
    release = Release(
        history.schema,
        pl.Series("pseudonym", number[order]).cast(pl.String),
        {name: column.take(line[order]) for name, column in cells.items()},
        method,
    )
    subjects = history.subjects.cast(pl.String).gather(table.owners[units])
    owners = pl.DataFrame({"pseudonym": drawn, "subject": subjects}).sort("pseudonym")
    return release, Secret(owners, rows[order])
