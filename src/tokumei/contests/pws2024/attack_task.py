"""The attack task of PWS Cup 2024: its test files and the official sample attack (later contests, spec 3).

Fifty rows of B are drawn. File a has the known columns, file b the ratings of the same rows in another order with one
cell hidden; file x says which row of a stands behind each row of b, and what the hidden cell was.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import polars as pl

from tokumei.attacks import Links, nearest_links
from tokumei.contests.linkage_task import draw_test
from tokumei.contests.pandas_table import Table
from tokumei.contests.pws2024.files import BASICS, JOINED, KNOWN, MOVIES, TEST_ROWS

# With ``same_column`` the same column is hidden in every row, as in the final.
make_test = partial(draw_test, known=KNOWN, asked=MOVIES, rows=TEST_ROWS)


def joined_table(tables: Sequence[Table]) -> pl.DataFrame:
    """Return the columns that the sample attack takes from the ten tables, side by side by row number."""
    height = min(table.rows for table in tables)
    return pl.concat(
        [table.frame[:height].select(names) for table, names in zip(tables, JOINED, strict=True)], how="horizontal"
    )


def sample_attack(a: pl.DataFrame, b: pl.DataFrame, tables: Sequence[Table]) -> Links:
    """Return for every row of b the row of a and the value of the hidden cell: the nearest in the joined table."""
    return nearest_links(a, b.select(MOVIES), joined_table(tables), BASICS)
