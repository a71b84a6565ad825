"""The utility of PWS Cup 2024: the largest change of a two-way table of counts (later contests, spec 3).

For every pair of columns that stands in both files, except pairs of known columns, L1 is the sum of the absolute
differences of the counts of all pairs of values. The official error is L1 / 20000 whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.pandas_table import Table, as_written, table_text, text_codes, values_of
from tokumei.contests.pws2024.files import BASICS, KNOWN, OFFICIAL_DIVISOR, TABLES
from tokumei.errors import InfeasibleError
from tokumei.metrics import count_change, two_way_counts


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
    changes = dict(_changes(original.frame, released.frame, common))
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


def _changes(original: pl.DataFrame, released: pl.DataFrame, names: Sequence[str]) -> Iterator[tuple[str, int]]:
    codes = {name: _joint_codes(original[name], released[name]) for name in names}
    for pair in combinations(names, 2):
        if not set(pair) <= set(KNOWN):
            (ours, theirs, size), (our_other, their_other, other_size) = (codes[name] for name in pair)
            before = two_way_counts(ours, our_other, size, other_size)
            after = two_way_counts(theirs, their_other, size, other_size)
            yield ",".join(sorted(pair)), count_change(before, after)


def _joint_codes(original: pl.Series, released: pl.Series) -> tuple[Ints, Ints, int]:
    """Return equal codes for equal values of both files, -1 for missing ones, and how many codes there are.

    A number never equals a text: if only one of both columns is one of numbers, no value is in both.
    """
    (ours, theirs), texts = text_codes(original, released)
    values: dict[float | str, int] = {}
    tables = []
    for codes in (ours, theirs):
        present = np.unique(codes).tolist()
        read = values_of(texts[code] for code in present)
        table = np.full(len(texts) + 1, -1, dtype=np.int64)
        for code in present:
            value = read[texts[code]]
            if value is not None:
                table[code] = values.setdefault(value, len(values))
        tables.append(table)
    return tables[0][ours], tables[1][theirs], max(len(values), 1)
