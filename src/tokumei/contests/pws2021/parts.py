"""The contracts of PWS Cup 2021: methods and attacks on a static table whose row order is part of the rules.

D keeps the order of C, and guesses name rows of D; the contracts of histories (pseudonyms, shuffled rows) do not fit.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tokumei.array_types import Ints
from tokumei.contests.pws2021.table import COLUMNS, HealthTable
from tokumei.errors import ParameterError
from tokumei.parts import Part

__all__ = ["HealthAnonymizer", "HealthAttack", "HealthRelease", "column_names", "column_numbers", "kept_rows"]


DELETED = -1
GUESSES = 3


@dataclass(frozen=True, eq=False, slots=True)
class HealthRelease:
    """What a method did to B: the deleted rows (X, ascending), D, and what it tells about its steps.

    ``sources`` are the rows of B whose values the rows of D show, if all of them are rows of B.
    """

    deleted: Ints
    table: HealthTable
    sources: Ints | None = None
    report: Mapping[str, Any] = field(default_factory=dict)


class HealthAnonymizer(Part):
    """Turns B into D and X."""

    @abstractmethod
    def release(self, table: HealthTable, *, rng: np.random.Generator) -> HealthRelease:
        """Return D, X and a report."""


class HealthAttack(Part):
    """Tells, for every test row, whether it was deleted, or which rows of D it may have become."""

    @abstractmethod
    def guess(self, test: HealthTable, release: HealthTable, *, rng: np.random.Generator) -> Ints:
        """Return three guesses per test row, best first: rows of D, or -1."""


def kept_rows(count: int, deleted: Ints) -> Ints:
    """Return the rows that were not deleted, in order."""
    kept = np.ones(count, dtype=bool)
    kept[deleted] = False
    return np.flatnonzero(kept)


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
        message = f"'{owner}': give one number per column, {count} in all, such as 75_50; got '{text}'"
        raise ParameterError(message)
    return numbers
