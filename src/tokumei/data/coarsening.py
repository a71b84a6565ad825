"""A history as its public grids tell it, and the way back to what is published of it.

The original is coarsened before anything else is done with it, so that whatever comes after (groups, alignment, cells,
order) depends on the coarse data alone: original -> coarse -> release is a Markov chain, and nothing can be learned
inside a cell of a grid (docs/contents.md has the proof). A coarse history holds the middle of every cell, or the name
of every category's node; `Coarsened.opened` makes ranges and sets of them that hold the original values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.cells import MISSING, Cells, RangeCells, SetCells
from tokumei.data.coding import dictionary_codes
from tokumei.data.column_choices import NO_GRID, grid_level
from tokumei.data.columns import BUILT_HIERARCHIES, Column, Field
from tokumei.data.grids import grid_ends
from tokumei.data.hierarchies.files import read_hierarchy
from tokumei.data.hierarchies.of_fields import field_hierarchy
from tokumei.data.hierarchies.tree import SHOWN
from tokumei.data.history import History, Release
from tokumei.data.rare_values import merged_upwards, prefix_label
from tokumei.data.schema import Schema
from tokumei.errors import SchemaError


def coarse_columns(schema: Schema) -> dict[str, Column]:
    """Return the columns whose values are told by a grid or by how many people have them, by name."""
    return {
        column.name: column
        for column in schema.columns
        if not (column.drop or column.keep or column.weight) and (column.grid not in ("", NO_GRID) or column.rare)
    }


@dataclass(frozen=True, eq=False)
class Coarsened:
    """``history`` is the coarse one; ``labels`` names the node of every category of the original, by field."""

    history: History
    original: History
    labels: Mapping[str, pl.Series]

    def opened(self, release: Release) -> Release:
        """Return a release of the coarse history with cells that hold the original values."""
        columns = coarse_columns(self.original.schema)
        cells: dict[str, Cells] = dict(release.cells)
        for field in self.original.schema.fields:
            if field.column not in columns or field.name not in cells:
                continue
            found = cells[field.name]
            if isinstance(found, RangeCells):
                cells[field.name] = _widened(self.original, field, columns[field.column], found)
            else:
                cells[field.name] = expanded(found, self.labels[field.name], self.original.categories[field.name])
        return replace(release, cells=cells, labels=self.labels)


def coarsened(history: History) -> Coarsened:
    """Return the history as the grids and rare values of its schema tell it."""
    labels = category_labels(history)
    # Of the names only those that occur: the others are not part of the coarse data.
    names = {name: known[history.codes[name]].unique().sort() for name, known in labels.items()}
    return Coarsened(coarsened_part(history, labels, names), history, labels)


def coarsened_part(history: History, labels: Mapping[str, pl.Series], names: Mapping[str, pl.Series]) -> History:
    """Return some records of a data set as its grids tell them.

    ``labels`` has the name of every category, field by field; ``names`` the sorted dictionaries of these names.
    """
    columns = coarse_columns(history.schema)
    codes, categories = dict(history.codes), dict(history.categories)
    for field in history.schema.fields:
        if field.column not in columns:
            continue
        if field.nominal:
            categories[field.name] = names[field.name].alias(field.name)
            # The place of a name that does not occur is asked for by nobody.
            place = names[field.name].search_sorted(labels[field.name].cast(pl.String)).to_numpy().astype(np.int64)
            codes[field.name] = place[codes[field.name]]
        else:
            codes[field.name] = _middles(history, field, columns[field.column], codes[field.name])
    return replace(history, codes=codes, categories=categories)


def in_middles(history: History, release: Release) -> tuple[History, Release]:
    """Return both as somebody looks at them who knows the grids: ordered values and ends by the middle of their cell.

    The ends of a published range say which cells its members lie in, and nothing of where inside them.
    """
    columns = coarse_columns(release.schema)
    codes, cells = dict(history.codes), dict(release.cells)
    for field in history.schema.fields:
        shown = cells.get(field.name)
        if field.column not in columns or not isinstance(shown, RangeCells):
            continue
        column = columns[field.column]
        codes[field.name] = _middles(history, field, column, history.codes[field.name])
        low, high = (_middles(history, field, column, ends) for ends in (shown.lo, shown.hi))
        cells[field.name] = RangeCells.of_ranges(low, high, suppressed=shown.suppressed, missing=shown.missing)
    return replace(history, codes=codes), replace(release, cells=cells)


def _middles(history: History, field: Field, column: Column, values: Ints) -> Ints:
    missing = values == MISSING
    low, high = _ends(history, field, column, np.where(missing, 0, values))
    return np.where(missing, MISSING, low + (high - low) // 2)


def category_labels(history: History, schema: Schema | None = None) -> dict[str, pl.Series]:
    """Return how a release names every category of a history, field by field, where that is not the category itself.

    ``schema`` is that of a release, whose grids count (default: the schema of the history).
    """
    columns = coarse_columns(schema or history.schema)
    declared = {column.name: column.hierarchy for column in history.schema.columns}
    labels: dict[str, pl.Series] = {}
    for field in history.schema.fields:
        if field.nominal and field.column in columns:
            column = columns[field.column]
            source = column.hierarchy or declared.get(field.column, "")
            labels[field.name] = _labels(history, field, replace(column, hierarchy=source))
    return labels


def _labels(history: History, field: Field, column: Column) -> pl.Series:
    """Return the name of the node of every category."""
    values = history.categories[field.name].cast(pl.String).to_list()
    given = column.hierarchy not in ("", *BUILT_HIERARCHIES)
    chains = _chains(Path(column.hierarchy), values, field) if given else {value: [value] for value in values}
    level = grid_level(column.grid)
    if level:
        if not given:
            raise _without_file(column)
        names = [chains[value][min(level, len(chains[value]) - 1)] if value else "" for value in values]
    elif isinstance(column.grid, (int, float)):
        names = [prefix_label(value, int(column.grid)) for value in values]
    else:
        names = values
    if column.rare:
        names = _without_rare(history, field, names, column.rare, list(chains.values()) if given else None)
    return pl.Series(field.name, names, dtype=pl.String)


def _without_file(column: Column) -> SchemaError:
    message = (
        f"column '{column.name}': its grid is {column.grid} of a hierarchy; name the file beside it "
        '(hierarchy = "FILE") in the schema that you give with --schema'
    )
    return SchemaError(message)


def _without_rare(
    history: History, field: Field, names: list[str], fewest: int, chains: list[list[str]] | None
) -> list[str]:
    """Return the names with those of few people merged upwards; only names that occur are looked at."""
    text = pl.Series(names, dtype=pl.String)
    label = text[history.codes[field.name]]
    known = label.unique().sort()
    parents = None
    if chains is not None:
        above = {name: chain[place + 1 :] for chain in chains for place, name in enumerate(chain)}
        parents = {name: above.get(name, []) for name in known.to_list()}
    merged = merged_upwards(known.to_list(), dictionary_codes(label, known), history.subject, fewest, parents)
    new = dict(zip(known.to_list(), merged, strict=True))
    return [new.get(name, name) for name in names]


def _chains(path: Path, values: list[str], field: Field) -> dict[str, list[str]]:
    """Return every value and what stands above it in the hierarchy of a file, the whole left out."""
    present = [value for value in values if value]
    tree = read_hierarchy(path, pl.Series(present, dtype=pl.String))
    known = {value: place for place, value in enumerate(tree.values.to_list())}
    unlisted = [value for value in present if value not in known]
    if unlisted:
        more = f" and {len(unlisted) - 1} more values" if len(unlisted) > 1 else ""
        message = (
            f"{path}: the hierarchy does not list '{unlisted[0][:SHOWN]}'{more} of the column '{field.name}'; "
            "add a line for each"
        )
        raise SchemaError(message, file=str(path))
    chains = {"": [""]}
    for value in present:
        names = [str(level[known[value]]) for level in tree.names[:-1]]
        chains[value] = list(dict.fromkeys(names))
    return chains


def _ends(history: History, field: Field, column: Column, codes: Ints) -> tuple[Ints, Ints]:
    """Return the ends of the cells of codes of an ordered field."""
    level = grid_level(column.grid)
    if not level:
        return grid_ends(field, column.grid, codes)
    declared = {one.name: one.hierarchy for one in history.schema.columns}
    source = column.hierarchy or declared[column.name]
    if source in ("", *BUILT_HIERARCHIES):
        raise _without_file(column)
    tree = field_hierarchy(history, field, source)
    used = min(level, tree.levels - 1)
    order = np.argsort(tree.low[used], kind="stable")
    place = np.searchsorted(tree.low[used][order], codes, side="right") - 1
    inside = np.maximum(place, 0)
    low, high = tree.low[used][order][inside], tree.high[used][order][inside]
    within = (place >= 0) & (codes <= high)
    return np.where(within, low, codes), np.where(within, high, codes)


def _widened(history: History, field: Field, column: Column, cells: RangeCells) -> RangeCells:
    """Return ranges from the first value of the cell of their lower end to the last of that of their upper end."""
    low, _ = _ends(history, field, column, cells.lo)
    _, high = _ends(history, field, column, cells.hi)
    return RangeCells.of_ranges(low, high, suppressed=cells.suppressed, missing=cells.missing)


def expanded(cells: SetCells, labels: pl.Series, categories: pl.Series) -> SetCells:
    """Return sets of names as sets of all categories that have one of these names.

    A name that no category has (what a method may add to the dictionary) comes after them.
    """
    known = cells.categories.cast(pl.String).alias("name")
    own = categories.cast(pl.String).alias("name")
    # Categories beyond the labels (the empty one of a release that is read) are told by themselves.
    names = pl.concat([labels.alias("name"), own[len(labels) :]])
    extra = known.filter(~known.is_in(names.implode()))
    every = pl.concat([own, extra]).alias(categories.name)
    frame = pl.DataFrame({"name": pl.concat([names, extra]), "code": np.arange(len(every))})
    members = frame.group_by("name").agg("code")
    per_name = pl.DataFrame({"name": known}).join(members, on="name", how="left", maintain_order="left")["code"]
    sizes = per_name.list.len().fill_null(0).to_numpy().astype(np.int64)
    flat = per_name.explode().drop_nulls().to_numpy().astype(np.int64)
    first = np.concatenate(([0], np.cumsum(sizes)))[:-1]
    lengths = sizes[cells.codes]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    positions = np.arange(offsets[-1]) + np.repeat(first[cells.codes] - offsets[:-1], lengths)
    per_cell = np.concatenate(([0], np.cumsum(np.bincount(cells.owners(), weights=lengths, minlength=len(cells)))))
    return SetCells.of_lists(per_cell.astype(np.int64), flat[positions], every, suppressed=cells.suppressed)
