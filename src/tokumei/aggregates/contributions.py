"""How much one person may bring into a table: so many cells, and so many records in each.

Which cells and records of a person stay is drawn by coins of the person's own: what happens to one does not depend on
who else is in the data. So two data sets that differ in one person still differ in that person alone afterwards, in at
most ``cells`` cells and there in at most ``records`` records. All sensitivities rest on that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Ints


@dataclass(frozen=True, slots=True)
class Contributions:
    """The bounds: a person counts in at most so many cells, with at most so many records in each."""

    cells: int
    records: int


def bounded(person: Ints, cell: Ints, bounds: Contributions, *, rng: np.random.Generator) -> Ints:
    """Return the places of the records that stay, given whose each is and in which cell."""
    table = pl.DataFrame(
        {"person": person, "cell": cell, "coin": rng.random(len(person)), "place": np.arange(len(person))}
    )
    few = table.filter(pl.col("coin").rank("ordinal").over("person", "cell") <= bounds.records)
    drawn = few.select("person", "cell").unique().sort("person", "cell")
    drawn = drawn.with_columns(pl.Series("draw", rng.random(drawn.height)))
    chosen = drawn.filter(pl.col("draw").rank("ordinal").over("person") <= bounds.cells)
    kept = few.join(chosen.select("person", "cell"), on=["person", "cell"], how="semi")
    return kept["place"].sort().to_numpy().astype(np.int64)
