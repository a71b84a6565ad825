"""What the cells of a table may hold, declared column by column, and the check that follows from it.

A contest keeps its columns in ``columns.toml``: the texts that are known, or the limits of a number and its decimals.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib.resources import files
from typing import Any

from tokumei.contests.findings import Findings

_PLAIN = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class ColumnRule:
    """A column: one of the known texts, else a number from ``low`` to ``high`` with at most so many decimals."""

    name: str
    known: tuple[str, ...] = ()
    low: str = "-Infinity"
    high: str = "Infinity"
    decimals: int | None = None

    def fault(self, text: str) -> str | None:
        """Return why a cell is wrong: not-a-number, range, decimals or category."""
        cell = text.strip()
        if self.known:
            return None if cell in self.known else "category"
        number = decimal_of(cell)
        if number is None or not number.is_finite():
            return "not-a-number"
        if not Decimal(self.low) <= number <= Decimal(self.high):
            return "range"
        exponent = number.as_tuple().exponent
        exact = self.decimals is None or not isinstance(exponent, int) or -exponent <= self.decimals
        return None if exact else "decimals"

    @property
    def facts(self) -> dict[str, Any]:
        """What the sentences of its faults name."""
        return {"low": self.low, "high": self.high, "decimals": self.decimals, "known": ", ".join(self.known)}


def decimal_of(cell: str) -> Decimal | None:
    """Return a number as it is written, NaN and infinity among them; None for any other text."""
    try:
        return Decimal(cell)
    except InvalidOperation:
        return None


@cache
def column_rules(home: str) -> Mapping[str, ColumnRule]:
    """Return the columns of a contest by their names, in their order."""
    declared = tomllib.loads(files(home).joinpath("columns.toml").read_text(encoding="utf-8"))
    return {name: ColumnRule(name, **{**one, "known": tuple(one.get("known", ()))}) for name, one in declared.items()}


def plain_rows(raw: bytes) -> list[list[str]]:
    """Return the cells of a file without a header: lines of any ending, with or without a byte order mark."""
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff")
    return [line.split(",") for line in re.split(r"\r\n|\r|\n", text.rstrip("\r\n"))] if text.strip() else []


def check_cells(
    found: Findings, file: str, rules: Sequence[ColumnRule], rows: Iterable[Sequence[str]], *, first: int = 1
) -> None:
    """Add every wrong cell of plain rows, and every line that has another number of cells; ``first`` is their line."""
    known: dict[tuple[str, str], str | None] = {}
    for line, row in enumerate(rows, first):
        if len(row) != len(rules):
            found.add("cell-count", file, line=line, cells=len(row), wanted=len(rules))
            continue
        for column, (rule, cell) in enumerate(zip(rules, row, strict=True), 1):
            if (rule.name, cell) not in known:
                number = rule.known or _PLAIN.fullmatch(cell.strip())
                known[rule.name, cell] = rule.fault(cell) if number else "not-a-number"
            fault = known[rule.name, cell]
            if fault is not None:
                found.add(fault, file, line=line, column=column, name=rule.name, value=cell, **rule.facts)


def check_numbers(found: Findings, file: str, rows: Sequence[Sequence[str]], *, wanted: int, below: int) -> list[int]:
    """Check answers of one whole number a line, from 0 to less than ``below``; return them, -1 for what is none."""
    if len(rows) != wanted:
        found.add("row-count", file, rows=len(rows), wanted=wanted)
    numbers = []
    for line, row in enumerate(rows, 1):
        cell = ",".join(row).strip()
        right = re.fullmatch(r"\d{1,9}", cell, re.ASCII) is not None and int(cell) < below
        numbers.append(int(cell) if right else -1)
        if not right:
            found.add("row-number", file, line=line, column=1, value=cell, last=below - 1)
    return numbers
