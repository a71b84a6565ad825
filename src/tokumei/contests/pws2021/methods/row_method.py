"""What the methods of 2021 share: they change a health table, and its rows are published in their order."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.pws2021.table import COLUMNS, HealthTable, health_table
from tokumei.data import History, Release, Secret
from tokumei.errors import ParameterError
from tokumei.methods import draw_pseudonyms
from tokumei.parts import Method


@dataclass(frozen=True, eq=False, slots=True)
class ChangedRows:
    """What a method did to B: the rows that it kept (ascending), what stands in their places, and a report."""

    kept: Ints
    table: HealthTable
    report: Mapping[str, Any] = field(default_factory=dict)


class RowMethod(Method):
    """Turns B into D; X are the rows that are not in the row map of the Secret."""

    needs: ClassVar[tuple[str, ...]] = ("rows",)
    valid_under: ClassVar[frozenset[str]] = frozenset({"pws2021"})

    @abstractmethod
    def change(self, table: HealthTable, *, rng: np.random.Generator) -> ChangedRows:
        """Return the rows that are kept and what becomes of them."""

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the changed rows in the order of the original, each under a pseudonym of its own."""
        changed = self.change(health_table(history), rng=rng)
        names = draw_pseudonyms(len(changed.kept), rng=rng, avoid=history.subjects)
        subjects = history.subjects[history.subject[changed.kept]]
        owners = pl.DataFrame({"pseudonym": names, "subject": subjects}).sort("pseudonym")
        release = Release(history.schema, names, changed.table.cells(history), self.name)
        return release, Secret(owners, changed.kept, report=changed.report)


def column_names(owner: str, text: str) -> list[str]:
    """Return the columns of a setting: numbers from 0 or names, separated by commas or underscores."""
    names = []
    for word in text.replace(",", "_").split("_"):
        known = word.strip()
        if known.isdigit() and int(known) < len(COLUMNS):
            known = COLUMNS[int(known)]
        if known not in COLUMNS:
            message = (
                f"'{owner}': there is no column '{word}'; name columns by number (0 to 11) or {', '.join(COLUMNS)}"
            )
            raise ParameterError(message)
        names.append(known)
    return names


def column_numbers(owner: str, text: str, count: int) -> list[float]:
    """Return as many numbers as there are columns, separated by commas or underscores."""
    try:
        numbers = [float(word) for word in text.replace(",", "_").split("_")]
    except ValueError:
        numbers = []
    if len(numbers) != count:
        raise ParameterError(f"'{owner}': give one number per column, {count} in all, such as 75_50; got '{text}'")
    return numbers
