"""What the files of a release state about its data as a whole: sizes, steps, and what the cells look like.

Every figure is counted over the records of a part and added over the parts, so that a release that nobody holds at once
states the same as one that somebody does. Everything comes from the release alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
import polars as pl

from tokumei.data.cells import Cells, RangeCells
from tokumei.data.columns import Column, Kind
from tokumei.data.history import Release
from tokumei.data.schema import Schema


@dataclass(frozen=True, eq=False, slots=True)
class ColumnFacts:
    """The cells of one field: how many are withheld or missing or have each width, and what divides all ends of ranges.

    ``widths`` has the columns ``width`` and ``cells``, a row for each width above 0, ascending.
    """

    suppressed: int
    widths: pl.DataFrame
    divisor: int
    missing: int

    @classmethod
    def of(cls, cells: Cells) -> ColumnFacts:
        """Count the cells of a column."""
        widths = np.sort(cells.width())
        first = np.flatnonzero(np.diff(widths, prepend=0))
        counted = pl.DataFrame({"width": widths[first], "cells": np.diff(first, append=len(widths))})
        divisor = 0
        if isinstance(cells, RangeCells):
            # Suppressed cells hold zeros, which every number divides.
            divisor = int(np.gcd.reduce(np.concatenate((cells.lo, cells.hi)), initial=0))
        return cls(int(cells.withheld.sum()), counted, divisor, int(cells.missing.sum()))

    def __add__(self, other: ColumnFacts) -> ColumnFacts:
        """Return the facts of both parts together."""
        widths = pl.concat([self.widths, other.widths]).group_by("width").agg(pl.col("cells").sum()).sort("width")
        divisor = math.gcd(self.divisor, other.divisor)
        return ColumnFacts(self.suppressed + other.suppressed, widths, divisor, self.missing + other.missing)

    @property
    def generalized(self) -> int:
        """The number of cells that are neither one value nor withheld."""
        return int(self.widths["cells"].sum())

    def typical(self) -> float:
        """Return the median width of the generalized cells, of which there must be one."""
        upto = np.cumsum(self.widths["cells"].to_numpy())
        middle = np.searchsorted(upto, [(upto[-1] - 1) // 2, upto[-1] // 2], side="right")
        return float(self.widths["width"].to_numpy()[middle].mean())


@dataclass(frozen=True, eq=False)
class ReleaseFacts:
    """Sizes and columns of a release, or of a part of it with pseudonyms that no other part has."""

    schema: Schema
    method: str
    records: int
    pseudonyms: int
    columns: Mapping[str, ColumnFacts]

    @classmethod
    def of(cls, release: Release) -> ReleaseFacts:
        """Count a release or a part of it."""
        columns = {spec.name: ColumnFacts.of(release.written[spec.name]) for spec in release.schema.fields}
        return cls(release.schema, release.method, len(release), release.pseudonyms.n_unique(), columns)

    def __add__(self, other: ReleaseFacts) -> ReleaseFacts:
        """Return the facts of both parts together."""
        return replace(
            self,
            records=self.records + other.records,
            pseudonyms=self.pseudonyms + other.pseudonyms,
            columns={name: facts + other.columns[name] for name, facts in self.columns.items()},
        )

    def published_schema(self) -> Schema:
        """Return the schema as a release states it: the step of a number is the coarsest that its ends allow.

        The step of the original would show that somebody's value has more decimals than all that is published. Columns
        that are not published are not named, nor are files of hierarchies.
        """
        shown = [column for column in self.schema.columns if not (column.drop or column.weight or column.household)]
        columns = [self._coarsened(replace(column, hierarchy="")) for column in shown]
        return replace(self.schema, columns=tuple(columns))

    def _coarsened(self, column: Column) -> Column:
        if column.kind not in (Kind.NUMBER, Kind.PLACE) or column.step >= 1.0 or column.rounded:
            return column
        common = math.gcd(*(self.columns[field.name].divisor for field in column.fields()))
        step, factor = Decimal(repr(column.step)), 1
        while common % (factor * 10) == 0 and step * factor * 10 <= 1:
            factor *= 10
        return replace(column, step=float(step * factor))
