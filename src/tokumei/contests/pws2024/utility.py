"""The utility of PWS Cup 2024: the largest change of a two-way table of counts (later contests, spec 3).

For every pair of columns that stands in both files, except pairs of known columns, L1 is the sum of the absolute
differences of the counts of all pairs of values. The official error is L1 / 20000 whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from tokumei.contests.pandas_table import Table, as_written, joint_codes, table_text
from tokumei.contests.pws2024.files import BASICS, KNOWN, OFFICIAL_DIVISOR, TABLES
from tokumei.errors import InfeasibleError
from tokumei.metrics import pair_changes


@dataclass(frozen=True, slots=True)
class TableScore:
    """The largest L1 of a table, and the pairs of columns that reach it."""

    l1: int
    worst_pairs: tuple[str, ...]
    divisor: int = OFFICIAL_DIVISOR

    @property
    def error(self) -> float:
        """The share of the counts that changed."""
        return self.l1 / self.divisor

    @property
    def utility(self) -> float:
        """The utility of the table, out of 100."""
        return 100 * (1 - self.error)


def views_of(original: pl.DataFrame) -> list[pl.DataFrame]:
    """Return the ten tables of B: the known columns without the name, and the ratings of each table."""
    return [original.select(*BASICS, *movies) for movies in TABLES]


def view_texts(original: pl.DataFrame) -> list[bytes]:
    """Return the ten tables of B as files."""
    return [table_text(as_written(view)) for view in views_of(original)]


def score_table(original: Table, released: Table, divisor: int = OFFICIAL_DIVISOR) -> TableScore:
    """Compare one table with the original."""
    common = [name for name in original.columns if name in released.columns]
    codes = {name: joint_codes(original.frame[name], released.frame[name]) for name in common}
    changes = {",".join(sorted(pair)): change for pair, change in pair_changes(codes, KNOWN).items()}
    if not changes:
        message = "no pair of columns is left to compare; both files need a rating column and another one"
        raise InfeasibleError(message, code="no-pair")
    most = max(changes.values())
    worst = sorted(pair for pair, change in changes.items() if change == most) if most else []
    return TableScore(most, tuple(worst), divisor)


def score_tables(originals: Sequence[Table], released: Sequence[Table], divisor: int = OFFICIAL_DIVISOR) -> float:
    """Return the utility of all tables: that of the worst."""
    pairs = zip(originals, released, strict=True)
    return min(score_table(original, table, divisor).utility for original, table in pairs)
