"""Sample programs of 2021 that change values: randomized response and Laplace noise (spec D.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.contests.pws2021.methods.row_method import ChangedRows, RowMethod, column_names, column_numbers
from tokumei.contests.pws2021.table import NOMINAL, NUMBERS, HealthTable
from tokumei.errors import ParameterError
from tokumei.parts import parameter


@dataclass(frozen=True, kw_only=True)
class RandomizedValues(RowMethod):
    """Keep every cell of the columns with probability p, else draw from the distinct values of its column."""

    name: ClassVar[str] = "rr"
    summary: ClassVar[str] = "randomized response on the cells of columns"
    source: ClassVar[str] = "PWS Cup 2021 sample program"

    p: float = parameter(0.9, "probability that a cell is kept", low=0.0, high=1.0)
    columns: str = parameter("0_2_3_4_6_7_10", "columns, by number or name")

    def change(self, table: HealthTable, *, rng: np.random.Generator) -> ChangedRows:
        """Draw the changed cells; the own value may be drawn again."""
        numbers, codes = table.numbers.copy(), table.codes.copy()
        changed = 0
        for name in column_names(self.name, self.columns):
            matrix, place = (codes, NOMINAL.index(name)) if name in NOMINAL else (numbers, NUMBERS.index(name))
            column = matrix[:, place]
            values = np.unique(column)
            drawn = np.where(rng.random(len(column)) < self.p, column, rng.choice(values, len(column)))
            changed += int((drawn != column).sum())
            matrix[:, place] = drawn
        return ChangedRows(
            np.arange(table.height), HealthTable(numbers, codes, table.levels), {"changed_cells": changed}
        )


@dataclass(frozen=True, kw_only=True)
class LaplaceValues(RowMethod):
    """Add Laplace noise of scale 1/epsilon to numeric columns and cut the result toward zero to a whole number."""

    name: ClassVar[str] = "dp"
    summary: ClassVar[str] = "Laplace noise on numeric columns"
    source: ClassVar[str] = "PWS Cup 2021 sample program"

    columns: str = parameter("1_5", "numeric columns, by number or name")
    epsilons: str = parameter("1.0_2.0", "epsilon per column")

    def change(self, table: HealthTable, *, rng: np.random.Generator) -> ChangedRows:
        """Add the noise (sensitivity 1); the decimal of bmi is lost."""
        names = column_names(self.name, self.columns)
        epsilons = column_numbers(self.name, self.epsilons, len(names))
        if any(name in NOMINAL for name in names) or min(epsilons) <= 0:
            message = f"'{self.name}' adds noise to numeric columns with epsilons above 0; correct columns or epsilons"
            raise ParameterError(message)
        numbers = table.numbers.copy()
        for name, epsilon in zip(names, epsilons, strict=True):
            noise = rng.laplace(0.0, 1.0 / epsilon, table.height)
            numbers[:, NUMBERS.index(name)] = np.trunc(table.number(name) + noise) + 0.0
        return ChangedRows(np.arange(table.height), HealthTable(numbers, table.codes, table.levels))
