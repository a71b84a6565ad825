"""Sample methods of PWS Cup 2020, ours: cells exchanged among near rows, and other rows of B for the members."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.random import Generator

from tokumei.contests.pws2020.table import COLUMNS, NUMBERS
from tokumei.contests.values import Figures
from tokumei.methods import choose_rows

SETTINGS = {
    "near-swap": {"block": (int, 1, 1000), "share": (float, 0.0, 1.0)},
    "other-rows": {"own": (float, 0.0, 1.0), "tries": (int, 1, 10_000)},
}
LEAST_SHARE = 0.002
OWN_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
# How much less a year or an hour counts than a category, and how much more single counts than those of pairs.
NUMBER_SCALE, COUNT_WEIGHT = 0.3, 100.0


def attempts(
    method: str, b: pl.DataFrame, c: pl.DataFrame, rng: Generator, settings: dict[str, Any]
) -> Iterator[tuple[pl.DataFrame, Figures]]:
    """Yield releases with what was set, one nearer to C after the other."""
    if method == "near-swap":
        share = settings.pop("share", 0.5)
        yield near_swap(c, rng, share=share, **settings), {"share": share}
        while (share := share / 2) > LEAST_SHARE:
            yield near_swap(c, rng, share=share, **settings), {"share": share}
    else:
        first = settings.pop("own", 0.0)
        for own in (first, *(share for share in OWN_SHARES if share > first)):
            yield other_rows(b, c, rng, own=own, **settings), {"own": own}


def near_swap(c: pl.DataFrame, rng: Generator, *, block: int = 2, share: float = 0.5) -> pl.DataFrame:
    """Permute a share of every column within blocks of rows: of near numbers, and of people alike in other columns.

    Counts stay as they are, covariances nearly. Blocks of one row change nothing.
    """
    columns = {}
    for name in c.columns:
        alike = [other for other in ("relationship", "income", "marital-status", "education") if other != name]
        key = [pl.col(name).cast(pl.Int64)] if name in ("age", "hours-per-week") else [pl.col(one) for one in alike]
        order = c.with_row_index("at").sort(*key, pl.lit(pl.Series(rng.random(c.height))))["at"].to_numpy()
        cells = c[name].to_numpy().copy()
        for start in range(0, c.height, block):
            rows = order[start : start + block]
            if rng.random() < share:
                cells[rows] = cells[rng.permutation(rows)]
        columns[name] = pl.Series(cells)
    return pl.DataFrame(columns)


def other_rows(
    b: pl.DataFrame, c: pl.DataFrame, rng: Generator, *, own: float = 0.0, tries: int = 1000
) -> pl.DataFrame:
    """Return as many rows of B as C has, a share of them its own; the others are chosen to be alike as a whole."""
    inside = b.with_row_index("at").join(c, on=b.columns, how="semi")["at"].sort().to_numpy().astype(np.int64)
    others = np.setdiff1d(np.arange(b.height), inside)
    mine = rng.permutation(inside)
    # Where B has too few other rows, own ones make up the rest.
    kept = max(round(own * len(mine)), len(mine) - len(others))
    places, values, start = [], [], 0
    for name in COLUMNS:
        codes = b[name].rank("dense").to_numpy().astype(np.int64) - 1
        places.append(codes + start)
        values.append(np.ones(b.height))
        start += int(codes.max()) + 1
    for name in NUMBERS:
        numbers = b[name].cast(pl.Float64).to_numpy()
        places.append(np.full(b.height, start))
        values.append((numbers - numbers[inside].mean()) * NUMBER_SCALE)
        start += 1
    chosen = choose_rows(
        np.stack(places, axis=1),
        np.stack(values, axis=1),
        mine[kept:],
        others,
        tries=tries,
        weight=COUNT_WEIGHT,
        rng=rng,
    )
    return b[rng.permutation(np.concatenate([mine[:kept], chosen])).tolist()]
