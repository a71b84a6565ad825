"""The health table of PWS Cup 2021 as arrays: twelve columns, one row per person (spec D.1).

A view of a History (or of a release of single values) whose every row is a person of its own, as methods, attacks and
metrics compute on it. Numbers are floats, nominal columns codes into sorted levels. An empty nominal cell is the level
``""``. Measures that compare two tables first give them the same levels (`same_levels`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.data import (
    MISSING,
    ROW_SUBJECT,
    Cells,
    Column,
    History,
    Kind,
    RangeCells,
    Release,
    Schema,
    SetCells,
    value_text,
)
from tokumei.errors import ContentError, Finding, InfeasibleError, SchemaError

# Where the texts of this year stand.
HOME = "tokumei.contests.pws2021"
COLUMNS = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "gh", "mets", "qm", "dia")
_STEPS = {"age": 1.0, "bmi": 0.1, "gh": 1.0, "mets": 1.0}
# The 0/1 flags are categories too.
SCHEMA = Schema(
    ROW_SUBJECT,
    tuple(
        Column(name=name, kind=Kind.NUMBER, step=_STEPS[name]) if name in _STEPS else Column(name=name)
        for name in COLUMNS
    ),
)
NUMBERS = ("age", "bmi", "dep", "pir", "gh", "mets", "dia")
NOMINAL = ("gen", "race", "edu", "mar", "qm")
DOMAINS: Mapping[str, tuple[str, ...]] = {
    "gen": ("Female", "Male"),
    "race": ("Black", "Hispanic", "Mexican", "Other", "White"),
    "edu": ("11th", "9th", "College", "Graduate", "HighSchool"),
    "mar": ("Divorced", "Married", "Never", "Parther", "Separated", "Widowed"),
    "qm": ("Q1", "Q2", "Q3", "Q4"),
}

# Steps of numbers, the coarsest that fits is used; what is written more finely than the last one is rounded to it.
STEPS = (1.0, 0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6)
SLACK = 1e-9
LARGEST = 2.0**53

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

    def cells(self, history: History) -> dict[str, Cells]:
        """Return the columns as cells after the schema of the history that they were changed from."""
        cells: dict[str, Cells] = {}
        for spec in history.schema.fields:
            if not spec.nominal:
                cells[spec.name] = RangeCells.of_values(_steps(self.number(spec.name), spec.step))
                continue
            known = history.categories[spec.name].to_list()
            if spec.name in NOMINAL:
                codes, levels = self.nominal(spec.name)
                wanted: list[Any] = list(levels)
                place: dict[Any, int] = {value: at for at, value in enumerate(known)}
            else:
                numbers, codes = np.unique(self.number(spec.name), return_inverse=True)
                wanted = numbers.tolist()
                place = {float(value): at for at, value in enumerate(known)}
            used = set(np.unique(codes).tolist())
            new = [value for at, value in enumerate(wanted) if at in used and value not in place]
            place |= {value: len(known) + at for at, value in enumerate(new)}
            codes = np.array([place.get(value, 0) for value in wanted], dtype=np.int64)[codes]
            dictionary = pl.Series(spec.name, [*known, *(_written(value) for value in new)], dtype=pl.String)
            cells[spec.name] = SetCells.of_values(codes, dictionary)
        return cells

    def history(self) -> History:
        """Return the rows as a History; numbers that the schema of the contest is too coarse for get a finer step."""
        columns, codes, categories = [], {}, {}
        for column in SCHEMA.columns:
            name = column.name
            if name in NOMINAL:
                codes[name], levels = self.nominal(name)
                categories[name] = pl.Series(name, levels, dtype=pl.String)
            elif column.kind is Kind.CATEGORY:
                values, codes[name] = np.unique(self.number(name), return_inverse=True)
                categories[name] = pl.Series(name, [_written(value) for value in values.tolist()], dtype=pl.String)
            else:
                fitting = (step for step in STEPS if step <= column.step and _fits(self.number(name), step))
                column = replace(column, step=next(fitting, STEPS[-1]))  # noqa: PLW2901
                codes[name] = _steps(self.number(name), column.step)
            columns.append(column)
        width = len(str(max(self.height, 1)))
        subjects = pl.Series(ROW_SUBJECT, np.arange(1, self.height + 1)).cast(pl.String).str.zfill(width)
        schema = Schema(ROW_SUBJECT, tuple(columns))
        return History(schema, subjects, np.arange(self.height), codes, categories)

    def release(self) -> Release:
        """Return the rows as a release whose pseudonyms are the numbers of the rows, from 0."""
        history = self.history()
        cells = {name: history.cells(name) for name in history.codes}
        return Release(history.schema, pl.Series(np.arange(self.height)).cast(pl.String), cells)

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


@lru_cache(maxsize=8)
def health_table(data: History | Release) -> HealthTable:
    """Return the view of a history, or of a release of single values; every column must have a value in every row."""
    history = data.as_history() if isinstance(data, Release) else data
    texts = {name: _texts(history, name) for name in NOMINAL}
    levels = [sorted({*DOMAINS[name], *text.unique().to_list()}) for name, text in texts.items()]
    codes = [
        text.replace_strict(known, np.arange(len(known)), return_dtype=pl.Int64).to_numpy()
        for text, known in zip(texts.values(), levels, strict=True)
    ]
    numbers = np.stack([_floats(history, name) for name in NUMBERS], axis=1)
    return HealthTable(numbers, np.stack(codes, axis=1), tuple(tuple(known) for known in levels))


def _texts(history: History, name: str) -> pl.Series:
    """Return a nominal column."""
    spec = history.schema.field(name)
    if not spec.nominal:
        raise SchemaError(f"the column '{name}' must be a category; correct its kind in the schema")
    return history.categories[name][history.codes[name]]


def _floats(history: History, name: str) -> Floats:
    """Return a column of numbers as floats, as the shortest decimal text of each would be read."""
    spec = history.schema.field(name)
    codes = history.codes[name]
    if spec.nominal:
        found = history.categories[name].cast(pl.Float64, strict=False)[codes]
    else:
        found = value_text(np.where(codes == MISSING, 0, codes), spec).cast(pl.Float64, strict=False)
    if (codes == MISSING).any() or found.null_count():
        raise InfeasibleError(f"the column '{name}' must have a number in every row", code="no-number")
    return found.to_numpy()


def same_levels(tables: Sequence[HealthTable]) -> list[HealthTable]:
    """Return the tables with common levels, so that equal codes mean equal values."""
    union = tuple(
        tuple(sorted({level for table in tables for level in table.levels[column]})) for column in range(len(NOMINAL))
    )
    return [table.with_levels(union) for table in tables]


def _steps(numbers: Floats, step: float) -> Ints:
    """Return numbers in whole steps."""
    steps = np.rint(numbers / step)
    if (np.abs(steps) >= LARGEST).any():
        message = f"a number is too large to compute with: {np.abs(numbers).max():g}; correct it"
        raise InfeasibleError(message, code="too-large")
    return steps.astype(np.int64)


def _fits(numbers: Floats, step: float) -> bool:
    """Whether all numbers are whole multiples of a step."""
    steps = numbers / step
    return bool((np.abs(steps - np.rint(steps)) <= SLACK * (1 + np.abs(steps))).all())


def _written(value: float | str) -> str:
    if isinstance(value, str):
        return value
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
