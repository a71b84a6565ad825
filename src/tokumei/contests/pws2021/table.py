"""The health table of PWS Cup 2021 as arrays: twelve columns, one row per person (spec D.1).

Numbers are floats, nominal columns codes into sorted levels. An empty nominal cell is the level ``""``. Measures that
compare two tables first give them the same levels (`same_levels`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.errors import ContentError, Finding

__all__ = ["COLUMNS", "DOMAINS", "EMPTY", "HOME", "NOMINAL", "NUMBERS", "HealthTable", "same_levels"]

# Where the texts of this year stand.
HOME = "tokumei.contests.pws2021"
COLUMNS = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "gh", "mets", "qm", "dia")
NUMBERS = ("age", "bmi", "dep", "pir", "gh", "mets", "dia")
NOMINAL = ("gen", "race", "edu", "mar", "qm")
DOMAINS: Mapping[str, tuple[str, ...]] = {
    "gen": ("Female", "Male"),
    "race": ("Black", "Hispanic", "Mexican", "Other", "White"),
    "edu": ("11th", "9th", "College", "Graduate", "HighSchool"),
    "mar": ("Divorced", "Married", "Never", "Parther", "Separated", "Widowed"),
    "qm": ("Q1", "Q2", "Q3", "Q4"),
}

# What the official programs read as an empty cell.
EMPTY = frozenset(
    ("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA")
) | {"NULL", "NaN", "None", "n/a", "nan", "null"}


@dataclass(frozen=True, eq=False, slots=True)
class HealthTable:
    """Rows of the health table: ``numbers`` in the order of NUMBERS, ``codes`` and ``levels`` in that of NOMINAL."""

    numbers: Floats
    codes: Ints
    levels: tuple[tuple[str, ...], ...]

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, *, file: str = "table") -> HealthTable:
        """Return the table of a text frame; cells that are no numbers raise ContentError with line and column."""
        parsed = frame.select(pl.col(name).str.strip_chars().cast(pl.Float64, strict=False) for name in NUMBERS)
        _refuse_unreadable(frame, parsed, file)
        empty = sorted(EMPTY)
        frame = frame.with_columns(
            pl.when(pl.col(name).is_in(empty)).then(pl.lit("")).otherwise(pl.col(name)).alias(name) for name in NOMINAL
        )
        found = [sorted(set(DOMAINS[name]) | set(frame[name].unique().to_list())) for name in NOMINAL]
        codes = [
            frame[name].replace_strict(levels, np.arange(len(levels)), return_dtype=pl.Int64).to_numpy()
            for name, levels in zip(NOMINAL, found, strict=True)
        ]
        numbers = np.ascontiguousarray(parsed.to_numpy(), dtype=np.float64).reshape(frame.height, len(NUMBERS))
        return cls(numbers, np.stack(codes, axis=1), tuple(tuple(levels) for levels in found))

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self.codes)

    def number(self, name: str) -> Floats:
        """Return one numeric column."""
        return self.numbers[:, NUMBERS.index(name)]

    def nominal(self, name: str) -> tuple[Ints, tuple[str, ...]]:
        """Return the codes and levels of a nominal column."""
        position = NOMINAL.index(name)
        return self.codes[:, position], self.levels[position]

    def take(self, rows: Ints) -> HealthTable:
        """Return these rows in this order."""
        return HealthTable(self.numbers[rows], self.codes[rows], self.levels)

    def with_levels(self, levels: tuple[tuple[str, ...], ...]) -> HealthTable:
        """Return the table coded by these levels, which hold all of its own."""
        if levels == self.levels:
            return self
        places = [
            np.array([new.index(level) for level in old], dtype=np.int64)
            for old, new in zip(self.levels, levels, strict=True)
        ]
        codes = np.stack([place[self.codes[:, column]] for column, place in enumerate(places)], axis=1)
        return HealthTable(self.numbers, codes, levels)

    def missing_levels(self, reference: HealthTable) -> list[tuple[str, str]]:
        """Return (column, value) of every nominal value that the reference has and this table has not."""
        lost = []
        for position, name in enumerate(NOMINAL):
            own = {self.levels[position][code] for code in np.unique(self.codes[:, position])}
            theirs = [reference.levels[position][code] for code in np.unique(reference.codes[:, position])]
            lost += [(name, value) for value in theirs if value and value not in own]
        return lost

    def lines(self) -> list[str]:
        """Return the rows as contest text; whole numbers are written without decimals."""
        columns = []
        for name in COLUMNS:
            if name in NOMINAL:
                codes, levels = self.nominal(name)
                columns.append([levels[code] for code in codes.tolist()])
            else:
                columns.append([_written(value) for value in self.number(name).tolist()])
        return [",".join(cells) for cells in zip(*columns, strict=True)]


def same_levels(tables: Sequence[HealthTable]) -> list[HealthTable]:
    """Return the tables with common levels, so that equal codes mean equal values."""
    union = tuple(
        tuple(sorted({level for table in tables for level in table.levels[column]})) for column in range(len(NOMINAL))
    )
    return [table.with_levels(union) for table in tables]


def _written(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _refuse_unreadable(frame: pl.DataFrame, parsed: pl.DataFrame, file: str) -> None:
    """Raise ContentError for cells that are empty or no finite numbers; a measure of them would mean nothing."""
    findings = []
    for name in NUMBERS:
        bad = ~parsed[name].is_finite().fill_null(value=False)
        for row in bad.arg_true().to_list():
            value = frame[name][row]
            what = f"'{value}' is no number" if value else "the cell is empty"
            findings.append(
                Finding("no-number", f"{what}; write a number", row + 1, COLUMNS.index(name) + 1, name, value)
            )
    if findings:
        raise ContentError(file, sorted(findings, key=lambda found: (found.line or 0, found.column or 0)))
