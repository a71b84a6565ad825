"""Checks of tables that are read as official programs in Python read them (`pandas_table`), cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from tokumei.contests.findings import Findings
from tokumei.contests.pandas_table import MISSING_TEXTS, Table, number_of, values_of

Rule = Callable[[str], bool]


@dataclass(frozen=True)
class CellRule:
    """What cells of a column may be: the code of a wrong one, which are allowed, and how these are to be written."""

    code: str
    allowed: Rule
    written: frozenset[str]


def check_columns(
    found: Findings, file: str, table: Table, rules: Mapping[str, CellRule], *, strict: bool
) -> list[str]:
    """Add every cell that is not allowed, if strict also those written otherwise.

    Return the columns with cells that are not allowed.
    """
    wrong = []
    for name, rule in rules.items():
        if any(not rule.allowed(text) for text in set(table.frame[name].to_list())):
            wrong.append(name)
        note_wrong(found, rule.code, file, table, name, rule.written.__contains__ if strict else rule.allowed)
    return wrong


def note_lengths(found: Findings, table: Table, file: str) -> None:
    """Add a fault for every line with another number of cells than the header."""
    for line, cells in table.ragged:
        found.add("line-length", file, line=line, found=cells, wanted=len(table.columns))


def note_wrong(found: Findings, code: str, file: str, table: Table, name: str, right: Rule) -> None:
    """Add a fault for every cell of a column whose text is not right."""
    cells = table.frame[name]
    wrong = {text for text in set(cells.to_list()) if not right(text)}
    rows = [row for row, text in enumerate(cells.to_list()) if text in wrong] if wrong else []
    found.add_cells(code, file, rows, cells, (table.lines, table.columns.index(name) + 1))


def one_of_numbers(allowed: frozenset[float]) -> Rule:
    """Return whether a cell is one of these numbers; cells are judged by themselves, not by their column."""
    return lambda text: text not in MISSING_TEXTS and number_of(text) in allowed


def member_of(known: AbstractSet[str]) -> Rule:
    """Return whether a cell holds a value that these texts hold, however it is written."""
    values = {value for value in values_of(known).values() if value is not None}
    numeric = not any(isinstance(value, str) for value in values)
    return lambda text: text not in MISSING_TEXTS and (number_of(text) if numeric else text) in values
