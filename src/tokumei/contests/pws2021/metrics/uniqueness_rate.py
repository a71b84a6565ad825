"""uniqrt: how many rows are alone with their rounded attributes (spec D.5.1, F-D1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.contests.pws2021.rows import singletons, uniqueness_keys
from tokumei.contests.pws2021.table import HealthTable, health_table
from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.parts import Metric

CONTEST_ROWS = 4190


@dataclass(frozen=True, slots=True)
class UniquenessRate:
    """The number of unique rows, as a share of the rows of the table and of the population (the rows of B)."""

    unique: int
    of_rows: float
    of_population: float

    def as_dict(self) -> dict[str, float]:
        """Return the figures for JSON."""
        return {"unique": self.unique, "of_rows": self.of_rows, "of_population": self.of_population}


def uniqueness_rate(table: HealthTable, *, population: int = CONTEST_ROWS) -> UniquenessRate:
    """Count the rows that no other row equals in nine columns, age and bmi rounded to tens (half to even).

    A row with an empty nominal cell belongs to no group and counts as not unique, as in the official program.
    """
    complete = np.ones(table.height, dtype=bool)
    for column, levels in enumerate(table.levels):
        if "" in levels:
            complete &= table.codes[:, column] != levels.index("")
    unique = int((singletons(uniqueness_keys(table)) & complete).sum())
    return UniquenessRate(unique, unique / max(table.height, 1), unique / max(population, 1))


@dataclass(frozen=True, kw_only=True)
class UniqueRows(Metric):
    """The rows of the original that were kept and are alone with their rounded attributes, as a share of all."""

    name: ClassVar[str] = "uniqrt"
    summary: ClassVar[str] = "kept rows that are alone with their rounded attributes, as a share of the original"
    source: ClassVar[str] = "PWS Cup 2021"
    needs: ClassVar[tuple[str, ...]] = ("rows",)

    def measure(self, history: History, release: Release, secret: Secret) -> Score:  # noqa: ARG002
        """Count them among the rows that the Secret says were kept."""
        found = uniqueness_rate(health_table(history).take(secret.rows), population=len(history))
        parts = {"unique": float(found.unique), "of_rows": found.of_rows}
        return Score(name=self.name, value=found.of_population, goal=Goal.LOWER, highest=1.0, parts=parts)
