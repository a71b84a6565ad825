"""Sample programs of 2021 that delete rows: top, bottom, kanony; join and exclude (spec D.6, F-D4)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.contests.pws2021.methods.row_method import ChangedRows, RowMethod, column_names, column_numbers
from tokumei.contests.pws2021.rows import kept_rows, value_keys
from tokumei.contests.pws2021.table import NOMINAL, HealthTable
from tokumei.errors import ParameterError
from tokumei.parts import parameter


def join_rows(lists: Sequence[Ints]) -> Ints:
    """Return the sorted union of lists of row numbers."""
    return np.unique(np.concatenate([*lists, np.empty(0, dtype=np.int64)]))


class _RowChoice(RowMethod):
    """A method that only deletes rows."""

    @abstractmethod
    def rows(self, table: HealthTable) -> Ints:
        """Return the rows to delete."""

    def change(self, table: HealthTable, *, rng: np.random.Generator) -> ChangedRows:  # noqa: ARG002 - no chance here
        """Delete the chosen rows."""
        deleted = self.rows(table)
        kept = kept_rows(table.height, deleted)
        return ChangedRows(kept, table.take(kept), {"deleted": len(deleted)})


def _numbers(owner: str, table: HealthTable, columns: str, thresholds: str) -> list[tuple[Floats, float]]:
    names = column_names(owner, columns)
    if nominal := [name for name in names if name in NOMINAL]:
        message = f"'{owner}': the column '{nominal[0]}' has no order; name numeric columns such as age and bmi"
        raise ParameterError(message)
    limits = column_numbers(owner, thresholds, len(names))
    return [(table.number(name), limit) for name, limit in zip(names, limits, strict=True)]


@dataclass(frozen=True, kw_only=True)
class TopRows(_RowChoice):
    """Delete the rows with a value above the threshold of any listed column."""

    name: ClassVar[str] = "top"
    summary: ClassVar[str] = "delete rows with a value above a threshold"
    source: ClassVar[str] = "PWS Cup 2021 sample program"

    columns: str = parameter("1_5", "numeric columns, by number or name")
    thresholds: str = parameter("75_50", "the largest value kept, per column")

    def rows(self, table: HealthTable) -> Ints:
        """Return the rows above a threshold."""
        pairs = _numbers(self.name, table, self.columns, self.thresholds)
        return np.flatnonzero(np.any([values > limit for values, limit in pairs], axis=0))


@dataclass(frozen=True, kw_only=True)
class BottomRows(_RowChoice):
    """Delete the rows with a value below the threshold of any listed column."""

    name: ClassVar[str] = "bottom"
    summary: ClassVar[str] = "delete rows with a value below a threshold"
    source: ClassVar[str] = "PWS Cup 2021 sample program"

    columns: str = parameter("1_5", "numeric columns, by number or name")
    thresholds: str = parameter("22_20", "the smallest value kept, per column")

    def rows(self, table: HealthTable) -> Ints:
        """Return the rows below a threshold."""
        pairs = _numbers(self.name, table, self.columns, self.thresholds)
        return np.flatnonzero(np.any([values < limit for values, limit in pairs], axis=0))


@dataclass(frozen=True, kw_only=True)
class RareRows(_RowChoice):
    """Delete the rows whose combination of values fewer than k rows share."""

    name: ClassVar[str] = "kanony"
    summary: ClassVar[str] = "delete rows in groups of fewer than k"
    source: ClassVar[str] = "PWS Cup 2021 sample program"

    k: int = parameter(7, "the smallest group kept", low=1)
    columns: str = parameter("2_3_4", "columns that form the groups, by number or name")

    def rows(self, table: HealthTable) -> Ints:
        """Return the rows of small groups."""
        names = column_names(self.name, self.columns)
        columns = [table.nominal(name)[0] if name in NOMINAL else table.number(name) for name in names]
        keys = value_keys(list(columns))
        return np.flatnonzero(np.bincount(keys, minlength=1)[keys] < self.k)
