"""Checks of tables that are read as official programs in Python read them (`pandas_table`), column by column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from tokumei.contests.findings import Findings
from tokumei.contests.pandas_table import MISSING_TEXTS, Table, number_of, values_of

Value = float | str | None


@dataclass(frozen=True)
class ColumnValues:
    """What a column may hold: the code of a wrong cell, the values, and how they are to be written."""

    code: str
    values: AbstractSet[Value]
    written: AbstractSet[str]

    @classmethod
    def of(cls, code: str, known: AbstractSet[str]) -> ColumnValues:
        """Return the values that these texts hold as a column."""
        return cls(code, set(values_of(known).values()), known)

    def right_cells(self, texts: AbstractSet[str]) -> AbstractSet[str]:
        """Return the texts of a refused column that are right by themselves; none if its kind as a whole is wrong."""
        numeric = not any(isinstance(value, str) for value in self.values)
        right = {text for text in texts if _value_of(text, numeric=numeric) in self.values}
        return right if right != texts else set()


def _value_of(text: str, *, numeric: bool) -> Value:
    if text in MISSING_TEXTS:
        return None
    number = number_of(text)
    # A text among numbers equals none of them, not even a missing one.
    return text if not numeric or number is None else number


def check_columns(
    found: Findings, file: str, table: Table, columns: Mapping[str, ColumnValues], *, strict: bool
) -> list[str]:
    """Add every wrong cell, if strict also those that are written otherwise.

    Return the columns that the official reader refuses: it takes a column as a whole, numbers, truth values or texts,
    with missing cells among them.
    """
    refused = []
    for name, column in columns.items():
        texts = set(table.frame[name].to_list())
        passes = set(values_of(texts).values()) <= column.values
        if not passes:
            refused.append(name)
        right = column.written if strict else texts if passes else column.right_cells(texts)
        note_wrong(found, column.code, file, table, name, right.__contains__)
    return refused


def note_lengths(found: Findings, table: Table, file: str) -> None:
    """Add a fault for every line with another number of cells than the header."""
    for line, cells in table.ragged:
        found.add("line-length", file, line=line, found=cells, wanted=len(table.columns))


def note_wrong(found: Findings, code: str, file: str, table: Table, name: str, right: Callable[[str], bool]) -> None:
    """Add a fault for every cell of a column whose text is not right."""
    cells = table.frame[name]
    wrong = {text for text in set(cells.to_list()) if not right(text)}
    rows = [row for row, text in enumerate(cells.to_list()) if text in wrong] if wrong else []
    found.add_cells(code, file, rows, cells, (table.lines, table.columns.index(name) + 1))
