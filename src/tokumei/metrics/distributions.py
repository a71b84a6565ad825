"""How every column is distributed before and after: what a reader of the release alone would estimate.

A published range counts for all of its values in equal parts, a set for its elements in equal parts; suppressed cells
say nothing and are counted apart. Shares are of the cells that say something. The *overlap* of the two distributions
is the sum of the smaller shares, that is one minus their total variation distance: 1 equal, 0 nothing in common.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Floats, Ints
from tokumei.data import MISSING, Cells, Evidence, Field, History, RangeCells, Release, SetCells

BINS = 40
SHOWN_VALUES = 12
# A value that fewer subjects have is theirs rather than the column's, and is never named.
FEWEST_SUBJECTS = 3
# Skewed columns are drawn on a logarithmic axis, or cut at these quantiles.
SKEWED, TAILED = 20.0, 8.0
TAILS = (0.005, 0.995)
SIDES = ("before", "after")


def column_distributions(history: History, release: Release) -> Evidence:
    """Return the table ``columns`` (a row per field) and, under the name of each field, its distribution.

    Ordered fields: ``from``, ``to`` (in days, seconds or the number itself), ``before``, ``after``; categories:
    ``value`` (null for all others together), ``before``, ``after``.
    """
    tables: dict[str, pl.DataFrame] = {}
    rows = []
    for spec in history.schema.fields:
        cells = release.cells[spec.name]
        table, scale, overlap = _nominal(history, release, spec) if spec.nominal else _ordered(history, cells, spec)
        tables[f"distribution {spec.name}"] = table
        codes = history.codes[spec.name]
        rows.append(
            {
                "column": spec.name,
                "kind": spec.kind.value,
                "place": spec.column != spec.name,
                "scale": scale,
                "missing": _share(codes == MISSING),
                "hidden": _share(cells.withheld),
                "exact": _share(cells.plain & ~cells.missing),
                "overlap": overlap,
            }
        )
    return Evidence({"columns": pl.DataFrame(rows), **tables})


def _share(mask: Bools) -> float:
    return float(mask.mean()) if len(mask) else 0.0


def _ordered(history: History, cells: Cells, spec: Field) -> tuple[pl.DataFrame, str, float]:
    assert isinstance(cells, RangeCells)
    codes = history.codes[spec.name]
    edges, scale = _edges(codes[codes != MISSING])
    before, after = ordered_distribution(codes, cells, edges)
    ends = edges * spec.step
    table = pl.DataFrame({"from": ends[:-1], "to": ends[1:], "before": before, "after": after})
    return table, scale, float(np.minimum(before, after).sum())


def ordered_distribution(codes: Ints, cells: RangeCells, edges: Floats) -> tuple[Floats, Floats]:
    """Return the shares of the bins before and after; the outer bins hold what lies beyond them too."""
    present = RangeCells.of_values(codes[codes != MISSING])
    shown = cells.take(np.flatnonzero(~cells.suppressed))
    return _masses(present, edges), _masses(shown, edges)


def _masses(cells: RangeCells, edges: Floats) -> Floats:
    """Spread every range over the bins; edges stand between two codes."""
    distinct = pl.DataFrame({"lo": cells.lo, "hi": cells.hi}).group_by("lo", "hi").len().sort("lo", "hi")
    low, count = distinct["lo"].to_numpy(), distinct["len"].to_numpy()
    width = (distinct["hi"].to_numpy() - low + 1).astype(np.float64)
    # One pass per edge keeps the memory at the size of the column.
    inner = [float((count * np.clip((edge + 0.5 - low) / width, 0.0, 1.0)).sum()) for edge in edges[1:-1]]
    cumulated = np.array([0.0, *inner, float(len(cells))])
    return np.diff(cumulated) / max(len(cells), 1)


def _edges(codes: Ints) -> tuple[Floats, str]:
    """Return bin edges between codes, and how the axis is drawn: 'linear' or 'log'."""
    if len(codes) == 0:
        return np.array([-0.5, 0.5]), "linear"
    low, high = int(codes.min()), int(codes.max())
    if high - low < BINS:
        return np.arange(low, high + 2, dtype=np.float64) - 0.5, "linear"
    middle, top = float(np.median(codes)), float(np.quantile(codes, TAILS[1]))
    if low > 0 and top > SKEWED * middle:
        # Edges stand between two codes: bins narrower than a step fall together.
        return np.unique(np.round(np.geomspace(low, high + 1, BINS + 1))) - 0.5, "log"
    near, far = (float(edge) for edge in np.quantile(codes, TAILS))
    if high - low > TAILED * max(far - near, 1.0):
        low, high = int(near), int(far)
    # Bins of equally many codes: others would look like a comb.
    width = -(-(high - low + 1) // BINS)
    return np.arange(low, high + 1 + width, width, dtype=np.float64) - 0.5, "linear"


def _nominal(history: History, release: Release, spec: Field) -> tuple[pl.DataFrame, str, float]:
    """Return the most frequent values with all others as one row, and the overlap over all values."""
    counts = value_counts(history, release, spec.name)
    shares = counts.select(
        "value", "subjects", *(pl.col(side) / pl.max_horizontal(pl.col(side).sum(), 1e-12) for side in SIDES)
    )
    overlap = float(np.minimum(*(shares[side].to_numpy() for side in SIDES)).sum())
    named = shares.filter(pl.col("subjects") >= FEWEST_SUBJECTS).head(SHOWN_VALUES).select("value", *SIDES)
    rest = {side: max(1.0 - float(np.sum(named[side].to_numpy())), 0.0) for side in SIDES}
    others = pl.DataFrame({"value": [None], **{side: [share] for side, share in rest.items()}}, schema=named.schema)
    return pl.concat([named, others]) if max(rest.values()) > 1e-9 else named, "values", overlap


def value_counts(history: History, release: Release, name: str) -> pl.DataFrame:
    """Return the values of a category, the most frequent first: ``value``, ``before``, ``after``, ``subjects``.

    ``after`` is the expected number of records, ``subjects`` how many subjects have the value in the original.
    """
    cells = release.cells[name]
    assert isinstance(cells, SetCells)
    codes, size = history.codes[name], len(cells.categories)
    pairs = pl.DataFrame({"code": codes, "subject": history.subject}).unique()
    weight = 1.0 / np.maximum(cells.sizes(), 1)[cells.owners()]
    table = pl.DataFrame(
        {
            "value": cells.categories.cast(pl.String),
            "before": np.bincount(codes, minlength=size),
            "after": np.bincount(cells.codes, weight, minlength=size),
            "subjects": np.bincount(pairs["code"].to_numpy(), minlength=size),
        }
    )
    seen = table.filter((pl.col("before") > 0) | (pl.col("after") > 0))
    return seen.sort(["before", "value"], descending=[True, False])
