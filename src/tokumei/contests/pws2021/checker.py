"""The checkers of PWS Cup 2021: D with X, and E (spec D.4), with the official verdicts and every finding.

Errors decide the verdict. Warnings name what the official programs overlook or decide against the rules (spec F-D3,
F-D5); ``strict`` follows the spec instead. Blank lines are skipped, as the official programs do. The sentences stand
in ``words/en.toml`` and ``ja.toml``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.contests.pws2021.table import COLUMNS, DOMAINS, EMPTY, HOME, HealthTable
from tokumei.errors import Finding
from tokumei.words import Message

RANGES = {"age": (13.0, 85.0), "bmi": (13.0, 75.0), "dep": (0.0, 1.0), "pir": (0.0, 1.0), "dia": (0.0, 1.0)}
INTEGER = r"^\s*[+-]?[0-9]{1,18}\s*$"
TEST_ROWS, GUESSES = 100, 3
SHOWN = 40


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdict on checked files: errors make them invalid, warnings do not."""

    errors: tuple[tuple[str, Finding], ...]
    warnings: tuple[tuple[str, Finding], ...] = ()

    @property
    def valid(self) -> bool:
        """Whether the files keep every rule."""
        return not self.errors

    def as_dict(self, limit: int | None = None) -> dict[str, object]:
        """Return ``valid`` and ``findings``: file, line, column, name, code, message, severity; errors first."""
        findings = [
            {
                "file": file,
                "line": found.line,
                "column": found.column,
                "name": found.name,
                "code": found.code,
                "message": str(found.message),
                "severity": severity,
            }
            for severity, group in (("error", self.errors), ("warning", self.warnings))
            for file, found in group
        ]
        return {"valid": self.valid, "findings": findings[:limit]}


@dataclass(frozen=True, eq=False, slots=True)
class TextRows:
    """The lines of a file that are not blank, with their numbers from 1."""

    text: pl.Series
    numbers: list[int]

    @classmethod
    def of(cls, lines: pl.Series) -> TextRows:
        """Leave the blank lines out."""
        kept = lines.str.strip_chars() != ""
        numbers = (kept.arg_true() + 1).to_list()
        return cls(lines.filter(kept), numbers)

    def widths(self) -> list[int]:
        """Return the number of cells of every line."""
        return (self.text.str.count_matches(",", literal=True) + 1).to_list()

    def column(self, position: int) -> pl.Series:
        """Return the cells of all lines in one column; a cell that a line lacks is null."""
        return self.text.str.split(",").list.get(position, null_on_oob=True)


def _message(key: str, facts: Mapping[str, object]) -> Message:
    return Message(f"finding.{key.replace(' ', '-')}", facts, HOME)


class _Notes:
    """Collects findings of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.errors: list[tuple[str, Finding]] = []
        self.warnings: list[tuple[str, Finding]] = []

    def add(
        self, key: str, *, error: bool = True, line: int | None = None, column: int | None = None, **facts: object
    ) -> None:
        """Add a finding; the code is the first word of the key of its sentence, which names the rest."""
        finding = Finding(key.partition(" ")[0], _message(key, facts), line, column)
        (self.errors if error else self.warnings).append((self.file, finding))

    def add_cells(
        self, rows: TextRows, wrong: pl.Series, place: tuple[int, str], key: str, *, error: bool = True, **facts: object
    ) -> None:
        """Add a finding for every wrong cell of the column (position, name)."""
        column, name = place
        found = self.errors if error else self.warnings
        wrong_rows = wrong.fill_null(value=False).arg_true().to_list()
        values = rows.column(column) if wrong_rows else rows.text
        for row in wrong_rows:
            value = values[row] or ""
            shown = value if len(value) <= SHOWN else value[: SHOWN - 3] + "..."
            message = _message(key, {"value": shown, **facts})
            finding = Finding(key.partition(" ")[0], message, rows.numbers[row], column + 1, name, value)
            found.append((self.file, finding))


def check_release_files(original: HealthTable, d: TextRows, x: TextRows, *, strict: bool = False) -> Checked:
    """Check D and X against B by the official rules; ``strict`` by the resolutions of the spec."""
    in_d, in_x = _Notes("D"), _Notes("X")
    _check_width(d, len(COLUMNS), in_d)
    for position, name in enumerate(COLUMNS):
        if name in RANGES:
            _check_number(original, d, position, name, in_d, strict=strict)
        elif name in DOMAINS:
            _check_nominal(d, position, name, in_d)
    _check_half(original.height, len(d.numbers), in_d, strict=strict)
    _check_excluded(original.height, len(d.numbers), x, in_x, strict=strict)
    order = [*_sorted(in_d.errors), *_sorted(in_x.errors)]
    return Checked(tuple(order), (*_sorted(in_d.warnings), *_sorted(in_x.warnings)))


def _sorted(found: list[tuple[str, Finding]]) -> list[tuple[str, Finding]]:
    return sorted(found, key=lambda one: (one[1].line or 0, one[1].column or 0))


def _check_width(rows: TextRows, width: int, notes: _Notes) -> None:
    """Report lines of a wrong number of cells, once if all are alike."""
    widths = rows.widths()
    wrong = [number for number, found in enumerate(widths) if found != width]
    cells = Message("word.cells" if width > 1 else "word.cell", {"width": width}, HOME)
    if len(set(widths)) == 1 and wrong:
        found, column = widths[0], min(widths[0], width) + 1
        notes.add("column-count everywhere", line=rows.numbers[0], column=column, found=found, cells=cells)
        return
    for row in wrong:
        notes.add("column-count", line=rows.numbers[row], found=widths[row], cells=cells)


def _check_number(
    original: HealthTable, rows: TextRows, column: int, name: str, notes: _Notes, *, strict: bool
) -> None:
    text = rows.column(column)
    empty = text.str.strip_chars().is_in(sorted(EMPTY))
    value = text.str.strip_chars().cast(pl.Float64, strict=False)
    unreadable = ~empty & (value.is_null() | value.is_nan())
    notes.add_cells(rows, unreadable, (column, name), "no-number")
    notes.add_cells(rows, empty, (column, name), "empty-number", error=strict)
    low, high = RANGES[name]
    usable = ~empty & ~unreadable
    outside = usable & ~value.is_between(low, high)
    notes.add_cells(rows, outside, (column, name), "out-of-range", low=low, high=high)
    if name in ("age", "bmi"):
        least, most = float(original.number(name).min()), float(original.number(name).max())
        beyond = usable & ~outside & ~value.is_between(least, most)
        notes.add_cells(rows, beyond, (column, name), "out-of-range-of-b", error=False, low=least, high=most)
    else:
        fraction = usable & ~outside & ~value.is_in([0.0, 1.0])
        notes.add_cells(rows, fraction, (column, name), "no-0-or-1", error=False)


def _check_nominal(rows: TextRows, column: int, name: str, notes: _Notes) -> None:
    text = rows.column(column)
    unknown = ~text.is_in(list(DOMAINS[name]))
    if name == "edu":
        unstated = text.is_in(sorted(EMPTY | {"Missing"}))
        notes.add_cells(rows, unstated, (column, name), "missing-education", error=False)
        unknown &= ~unstated
    notes.add_cells(rows, unknown, (column, name), "unknown-value", known=", ".join(DOMAINS[name]))


def _check_half(total: int, kept: int, notes: _Notes, *, strict: bool) -> None:
    """Check that D keeps half of the rows: the rule accepts exactly half, the checker wants more (spec F-D3)."""
    if 2 * kept < total:
        notes.add("too-few-rows", kept=kept, total=total)
    elif 2 * kept == total:
        if not strict:
            notes.add("too-few-rows half", total=total)
        notes.add("exactly-half", error=False)


def _check_excluded(total: int, kept: int, x: TextRows, notes: _Notes, *, strict: bool) -> None:
    if not x.numbers:
        notes.add("empty-file")
        return
    _check_width(x, 1, notes)
    text = x.column(0)
    whole = text.str.contains(INTEGER)
    notes.add_cells(x, ~whole, (0, "row"), "no-integer x")
    number = text.str.strip_chars().str.strip_prefix("+").cast(pl.Int64, strict=False)
    repeated = number.is_not_null() & ~number.is_first_distinct()
    notes.add_cells(x, repeated, (0, "row"), "duplicate-row")
    outside = whole & ~number.is_between(0, total - 1)
    notes.add_cells(x, outside, (0, "row"), "row-out-of-range x", error=strict, last=total - 1)
    if len(x.numbers) + kept != total:
        notes.add("row-count x", listed=len(x.numbers), kept=kept, total=total)


def check_answers(total: int, e: TextRows) -> Checked:
    """Check E: 100 lines of three whole numbers from -1 to the last row of B (spec D.4, F-D9)."""
    notes = _Notes("E")
    if len(e.numbers) != TEST_ROWS:
        notes.add("row-count e", listed=len(e.numbers), total=TEST_ROWS)
    if not e.numbers:
        return Checked(tuple(notes.errors))
    _check_width(e, GUESSES, notes)
    numbers = []
    for column, name in enumerate(("first", "second", "third")):
        text = e.column(column)
        whole = text.str.contains(INTEGER)
        notes.add_cells(e, ~whole, (column, name), "no-integer e")
        number = text.str.strip_chars().str.strip_prefix("+").cast(pl.Int64, strict=False)
        outside = whole & ~number.is_between(-1, total - 1)
        notes.add_cells(e, outside, (column, name), "row-out-of-range e", last=total - 1)
        numbers.append(number.fill_null(-1).to_numpy())
    mixed = (numbers[0] == -1) & ((numbers[1] > -1) | (numbers[2] > -1))
    notes.add_cells(e, pl.Series(np.asarray(mixed)), (0, "first"), "mixed-answer", error=False)
    return Checked(tuple(_sorted(notes.errors)), tuple(_sorted(notes.warnings)))
