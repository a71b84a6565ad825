"""The release as the audit reads it: sets in dictionary order for what they say, as written for what that tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from tokumei.data import Cells, History, Release, SetCells, read_cells
from tokumei.errors import InputError


def canonical_sets(release: Release) -> Release:
    """Return the release with the elements of every set in dictionary order."""
    cells: dict[str, Cells] = {}
    for name, column in release.cells.items():
        if isinstance(column, SetCells):
            cells[name] = SetCells.of_lists(
                column.offsets, column.codes, column.categories, suppressed=column.suppressed
            )
        else:
            cells[name] = column
    return replace(release, cells=cells, people=None)


def as_written(history: History, release: Release, published: Mapping[str, pl.Series] | None) -> Release:
    """Return the release with the elements of sets as they were written."""
    if published is None:
        return release
    cells = dict(release.cells)
    for spec in release.schema.fields:
        if spec.nominal and spec.name in published:
            categories = history.categories[spec.name]
            text = published[spec.name]
            if len(text) != len(release):
                message = f"column '{spec.name}' as written has {len(text)} cells, the release has {len(release)}"
                raise InputError(message, code="published-text")
            written = read_cells(text, spec, categories, literal=True)
            cells[spec.name] = SetCells(written.offsets, written.codes, cells[spec.name].suppressed, categories)
    return replace(release, cells=cells, people=None)
