"""From groups to a release: aligned records become one published row each, the same for every member.

The cells of a row are the tight hull or set of all members' values; a cell is suppressed for the whole group or not at
all, when a value is missing or when suppression loses less (never member by member: research part 1 re-identified 46 %
that way). Rows are sorted by pseudonym and content, and pseudonyms are random, so that order says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import (
    MISSING,
    Cells,
    History,
    RangeCells,
    Release,
    Secret,
    SetCells,
    distinct,
    packed_keys,
    range_errors,
)
from tokumei.methods.grouping.alignment import align_groups
from tokumei.methods.grouping.groups import Groups
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.pseudonyms import draw_pseudonyms


class Surplus(StrEnum):
    """What happens to the records by which a member exceeds the smallest of its group."""

    DELETE = "delete"
    DUMMY = "dummy"
    SPLIT = "split"
    SHARED = "shared"
    POOLED = "pooled"


@dataclass(frozen=True, eq=False, slots=True)
class Merged:
    """What is published: lines of original rows that become one cell each, and entries that show a line.

    Line i merges the original rows ``rows[starts[i]:starts[i + 1]]``. Entry e shows the line ``line[e]`` under the name
    ``name[e]`` and was made from the original row ``source[e]`` (-1: a dummy). ``owner_name`` and ``owner`` say which
    subjects stand behind a name; ``group``, where it is needed, in which group each subject is (-1: in none).
    """

    rows: Ints
    starts: Ints
    line: Ints
    name: Ints
    source: Ints
    owner_name: Ints
    owner: Ints
    group: Ints | None = None

    @classmethod
    def join(cls, parts: list[Merged]) -> Merged:
        """Return several results as one, with names and lines of their own."""
        if len(parts) == 1:
            return parts[0]
        lines = np.cumsum([0, *(len(part.starts) for part in parts)])
        rows = np.cumsum([0, *(len(part.rows) for part in parts)])
        names = np.cumsum([0, *(int(part.owner_name.max(initial=-1)) + 1 for part in parts)])
        shift = range(len(parts))
        return cls(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.starts + rows[i] for i, part in zip(shift, parts, strict=True)]),
            np.concatenate([part.line + lines[i] for i, part in zip(shift, parts, strict=True)]),
            np.concatenate([part.name + names[i] for i, part in zip(shift, parts, strict=True)]),
            np.concatenate([part.source for part in parts]),
            np.concatenate([part.owner_name + names[i] for i, part in zip(shift, parts, strict=True)]),
            np.concatenate([part.owner for part in parts]),
        )


def merge_groups(
    table: RecordTable,
    groups: Groups,
    *,
    limit: int,
    rounds: int = 3,
    surplus: Surplus = Surplus.DELETE,
    threads: int = 1,
    position: Ints | None = None,
) -> tuple[Merged, Ints]:
    """Align the records of every group; return what is published and the record positions that are not.

    ``position`` is an alignment made elsewhere (default: that of least loss): for every line of a group the positions
    of the records that it merges, members in the order of their record counts.
    """
    counts = table.counts()
    ready = groups.shortest_first(counts)
    if position is None:
        _, position = align_groups(
            table, ready.members, ready.bounds, limit=limit, rounds=rounds, threads=threads, keep=True
        )
    sizes = np.repeat(ready.sizes(), counts[ready.members[ready.bounds[:-1]]])
    starts = np.concatenate(([0], np.cumsum(sizes)))[:-1].astype(np.int64)
    unit_of = np.repeat(np.arange(len(table)), counts)
    published = np.zeros(len(table.rows), dtype=np.bool_)
    published[position] = True
    spare = np.flatnonzero(~published)
    rows = table.rows[position]
    line = np.repeat(np.arange(len(starts)), sizes)
    members = np.sort(ready.members)
    merged = Merged(rows, starts, line, unit_of[position], rows, members, table.owners[members])
    if surplus is Surplus.DUMMY and len(spare):
        return _with_dummies(merged, ready, spare, unit_of, table), spare[:0]
    if surplus is Surplus.SHARED and len(spare):
        return _with_shared_names(merged, ready, spare, unit_of, table), spare[:0]
    return merged, spare


def _group_of(groups: Groups, count: int) -> Ints:
    group = np.full(count, -1, dtype=np.int64)
    group[groups.members] = np.repeat(np.arange(len(groups)), groups.sizes())
    return group


def _with_dummies(merged: Merged, groups: Groups, spare: Ints, unit_of: Ints, table: RecordTable) -> Merged:
    """Show every surplus record under all names of its group: for the others it is a dummy (spec C.4, table T6)."""
    group = _group_of(groups, len(table))[unit_of[spare]]
    sizes = groups.sizes()[group]
    first = np.repeat(groups.bounds[group], sizes)
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    name = groups.members[first + within]
    source = np.where(name == np.repeat(unit_of[spare], sizes), np.repeat(table.rows[spare], sizes), -1)
    line = np.repeat(np.arange(len(spare)), sizes) + len(merged.starts)
    return _extended(merged, table.rows[spare], line, name, source)


def _with_shared_names(merged: Merged, groups: Groups, spare: Ints, unit_of: Ints, table: RecordTable) -> Merged:
    """Show every surplus record under a name that stands for the whole group (spec C.4, table T7)."""
    group = _group_of(groups, len(table))
    of_spare = group[unit_of[spare]]
    line = np.arange(len(spare)) + len(merged.starts)
    wider = _extended(merged, table.rows[spare], line, len(table) + of_spare, table.rows[spare])
    used = groups.members[np.isin(group[groups.members], of_spare)]
    return replace(
        wider,
        owner_name=np.concatenate((merged.owner_name, len(table) + group[used])),
        owner=np.concatenate((merged.owner, table.owners[used])),
    )


def _extended(merged: Merged, rows: Ints, line: Ints, name: Ints, source: Ints) -> Merged:
    """Add lines of a single record each, and the entries that show them."""
    return replace(
        merged,
        rows=np.concatenate((merged.rows, rows)),
        starts=np.concatenate((merged.starts, np.arange(len(rows)) + len(merged.rows))),
        line=np.concatenate((merged.line, line)),
        name=np.concatenate((merged.name, name)),
        source=np.concatenate((merged.source, source)),
    )


def line_cells(history: History, name: str, rows: Ints, starts: Ints, *, spread: float, capped: bool = True) -> Cells:
    """Return one cell per line: the hull of its records' values, suppressed for all members or for none.

    ``spread`` is that of the field, by which the error of a range is measured; a range whose error exceeds that of a
    suppressed cell is suppressed if it is ``capped``.
    """
    codes = history.codes[name][rows]
    if name in history.categories:
        return SetCells.of_lists(np.append(starts, len(codes)), codes, history.categories[name])
    if len(codes) == 0:
        return RangeCells.of_values(codes)
    sizes = np.diff(np.append(starts, len(codes)))
    lo, hi = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
    # Some values are missing, or all of them.
    missing, absent = lo == MISSING, hi == MISSING
    low, high = np.where(missing, 0, lo), np.where(missing, 0, hi)
    if not capped:
        return RangeCells.of_ranges(low, high, suppressed=missing, missing=absent)
    line = np.repeat(np.arange(len(starts)), sizes)
    values = np.where(missing[line], 0, codes)
    errors = range_errors(values, low[line], high[line], spread)
    hidden = missing | (np.add.reduceat(errors, starts) > sizes)
    return RangeCells.of_ranges(low, high, suppressed=hidden, missing=absent)


def _ranks(cells: Mapping[str, Cells], count: int) -> Ints:
    """Return the place of every line in the order of its cells."""
    rank = np.arange(count, dtype=np.int64)
    keys = [key for column in cells.values() for key in column.sort_keys()]
    if keys:
        rank[np.lexsort(packed_keys(keys)[::-1])] = np.arange(count)
    return rank


def to_release(
    history: History, merged: Merged, *, method: str, rng: np.random.Generator, capped: bool = True
) -> tuple[Release, Secret]:
    """Draw the pseudonyms, cut the cells (`line_cells`) and put the rows in an order that says nothing."""
    cells = {
        name: line_cells(history, name, merged.rows, merged.starts, spread=spread, capped=capped)
        for name, spread in history.spreads().items()
    }
    rank = _ranks(cells, len(merged.starts))
    names = distinct(merged.owner_name)
    drawn = draw_pseudonyms(len(names), rng=rng, avoid=history.subjects)
    number = drawn.cast(pl.Int64).to_numpy()[np.searchsorted(names, merged.name)]
    # Rows of one pseudonym that read the same are ordered by their original row: invisible in the release.
    order = np.lexsort(packed_keys([number, rank[merged.line], merged.source])[::-1])
    line = merged.line[order]
    # Columns are given up one by one: all lines and all rows together would be the peak of the memory.
    release = Release(
        history.schema,
        pl.Series("pseudonym", number[order]).cast(pl.String),
        {name: cells.pop(name).take(line) for name in list(cells)},
        method,
    )
    behind = drawn.gather(np.searchsorted(names, merged.owner_name))
    subjects = history.subjects.cast(pl.String).gather(merged.owner)
    owners = pl.DataFrame({"pseudonym": behind, "subject": subjects}).sort("pseudonym", "subject")
    return release, Secret(owners, merged.source[order])
