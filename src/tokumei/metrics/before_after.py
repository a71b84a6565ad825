"""What analysts ask of the data, answered before and after: top values, correlations, places.

None of it needs the Secret: the answers of the release are those that anyone would get from it, with ranges taken at
their middle and sets split evenly among their elements.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl

from tokumei.array_types import Floats
from tokumei.data import MISSING, Column, History, Kind, RangeCells, Release
from tokumei.metrics.distributions import FEWEST_SUBJECTS, value_counts
from tokumei.metrics.midpoints import original_values, published_values

TOP = 10
MOST_POINTS, MOST_RECTANGLES = 1500, 80


def top_values(history: History, release: Release, name: str, *, top: int = TOP) -> pl.DataFrame:
    """Return the most frequent values of a category with counts and ranks: before, after (expected)."""
    counts = value_counts(history, release, name)
    ranked = counts.with_columns(
        pl.col(side).rank("min", descending=True).cast(pl.Int64).alias(f"rank_{side}") for side in ("before", "after")
    )
    return ranked.filter(pl.col("subjects") >= FEWEST_SUBJECTS).head(top)


def correlations(history: History, release: Release) -> pl.DataFrame:
    """Return Pearson's correlation of every pair of ordered fields: ``first``, ``second``, ``before``, ``after``.

    A pair without variation on a side has no correlation there (null).
    """
    names = [spec.name for spec in history.schema.fields if not spec.nominal]
    before = dict(zip(names, original_values(history, names), strict=True))
    after = dict(zip(names, published_values(history, release, names), strict=True))
    rows = [
        {
            "first": first,
            "second": second,
            "before": _pearson(before[first], before[second]),
            "after": _pearson(after[first], after[second]),
        }
        for first, second in combinations(names, 2)
    ]
    kinds = {"first": pl.String, "second": pl.String, "before": pl.Float64, "after": pl.Float64}
    return pl.DataFrame(rows, schema=kinds)


def _pearson(first: Floats, second: Floats) -> float | None:
    known = np.isfinite(first) & np.isfinite(second)
    if known.sum() < 2:
        return None
    one, other = first[known] - first[known].mean(), second[known] - second[known].mean()
    scale = float(np.sqrt((one * one).sum() * (other * other).sum()))
    return float((one * other).sum() / scale) if scale > 0 else None


def _place(history: History) -> Column | None:
    return next((column for column in history.schema.columns if column.kind is Kind.PLACE and not column.drop), None)


def _spread_out(table: pl.DataFrame, most: int) -> pl.DataFrame:
    """Return evenly spaced rows of a sorted table, so that a part of it stands for the whole."""
    if table.height <= most:
        return table
    return table[np.linspace(0, table.height - 1, most).round().astype(np.int64).tolist()]


def place_points(history: History, *, most: int = MOST_POINTS) -> pl.DataFrame | None:
    """Return distinct original places (``latitude``, ``longitude``), or None if the schema has no place."""
    column = _place(history)
    if column is None:
        return None
    latitude, longitude = history.codes[column.latitude], history.codes[column.longitude]
    present = (latitude != MISSING) & (longitude != MISSING)
    codes = pl.DataFrame({"latitude": latitude[present], "longitude": longitude[present]}).unique().sort(pl.all())
    return _spread_out(codes, most).select(pl.all() * column.step)


def place_rectangles(history: History, release: Release, *, most: int = MOST_RECTANGLES) -> pl.DataFrame | None:
    """Return distinct published rectangles (``south``, ``north``, ``west``, ``east``), or None without a place."""
    column = _place(history)
    if column is None:
        return None
    latitude, longitude = release.cells[column.latitude], release.cells[column.longitude]
    assert isinstance(latitude, RangeCells)
    assert isinstance(longitude, RangeCells)
    shown = ~(latitude.suppressed | longitude.suppressed)
    ends = {"south": latitude.lo, "north": latitude.hi, "west": longitude.lo, "east": longitude.hi}
    codes = pl.DataFrame({name: codes[shown] for name, codes in ends.items()}).unique().sort(pl.all())
    return _spread_out(codes, most).select(pl.all() * column.step)
