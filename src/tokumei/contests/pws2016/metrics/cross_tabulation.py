"""Cross tabulation of mean unit prices by customer attributes: cmae and cmae2 of PWS Cup 2016 (spec A.3.1, A.3.2).

Both sum, over all cells of sex (x country), how far the mean unit price moved. `cmae` sorts T' into cells by M', as a
user of the release would; it detects changed prices, deleted or added transactions and changed master values. `cmae2`
sorts T' by the original master through P; beyond that it detects a P that does not belong to the data (Yamaoka
anonymization), because transactions then count for unrelated customers. A large cmae2 beside a small cmae says so.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.pws2016.messages import HOME
from tokumei.contests.pws2016.shop import Shop, claimed_rows, shop_of
from tokumei.data import Goal, History, Release, Score, Secret, positions
from tokumei.parts import Metric, parameter
from tokumei.words import Message

CELLS = {"sex": ("sex",), "sex-country": ("sex", "country")}
ORPHANS = ("strict", "original")


@dataclass(frozen=True, kw_only=True)
class _CrossTabulation(Metric):
    """Compares T by M with T' by a master whose rows are in the order of M'."""

    needs: ClassVar[tuple[str, ...]] = ("records", "people")
    source: ClassVar[str] = "PWS Cup 2016"

    cells: str = parameter("sex-country", "attributes that make the cells", choices=tuple(CELLS))
    orphans: str = parameter(
        "strict", "transactions without a row in M': left out, or sorted by M if they show an id of M", choices=ORPHANS
    )

    @abstractmethod
    def sorting_master(self, original: Shop, published: Shop, secret: Secret) -> pl.DataFrame:
        """Return the master that says to which cell the transactions of each row of M' belong."""

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Sum how far the mean unit prices of all cells moved."""
        original, published = shop_of(history), shop_of(release)
        master, place = self.sorting_master(original, published, secret), published.owner
        columns = CELLS[self.cells]
        before = _price_sums(original.master, columns, original.owner, original.pence)
        people = master.select(columns)
        if self.orphans == "original":
            by_original = positions(published.transactions["customer"], original.master["customer"])
            people = pl.concat([people, original.master.select(columns)])
            shifted = np.where(by_original >= 0, by_original + master.height, -1)
            place = np.where(place >= 0, place, shifted)
        after = _price_sums(people, columns, place, published.pence)
        value = _summed_difference(before, after, columns)
        left_out = int((place < 0).sum())
        code = "warning.orphan" if left_out == 1 else "warning.orphans"
        warnings = (Message(code, {"count": left_out}, HOME),) if left_out else ()
        scale = float((before["pence"] / before["rows"]).sum()) / 100
        return Score(name=self.name, value=value, goal=Goal.LOWER, parts={"scale": scale}, warnings=warnings)


@dataclass(frozen=True, kw_only=True)
class PublishedCells(_CrossTabulation):
    """The cross-tabulation error by the published master."""

    name: ClassVar[str] = "cmae"
    summary: ClassVar[str] = "how far mean unit prices by sex and country moved, sorted by the published master"

    def sorting_master(self, original: Shop, published: Shop, secret: Secret) -> pl.DataFrame:  # noqa: ARG002
        """Return M'."""
        return published.master


@dataclass(frozen=True, kw_only=True)
class OriginalCells(_CrossTabulation):
    """The cross-tabulation error by the original master through P."""

    name: ClassVar[str] = "cmae2"
    summary: ClassVar[str] = "how far mean unit prices by sex and country moved, sorted by the original master"

    def sorting_master(self, original: Shop, published: Shop, secret: Secret) -> pl.DataFrame:  # noqa: ARG002
        """Return the rows of M that P names."""
        return original.master[claimed_rows(secret)]


def _price_sums(master: pl.DataFrame, columns: Sequence[str], owner: Ints, pence: Ints) -> pl.DataFrame:
    """Return number of transactions and sum of unit prices of every cell that has any."""
    owned = owner >= 0
    rows = master.select(columns)[owner[owned]].with_columns(pl.Series("pence", pence[owned]))
    return rows.group_by(columns).agg(pl.len().cast(pl.Int64).alias("rows"), pl.col("pence").sum())


def _summed_difference(before: pl.DataFrame, after: pl.DataFrame, columns: Sequence[str]) -> float:
    """Return the sum of absolute differences of mean prices over all cells; a cell without rows has mean 0 (F-A7)."""
    joined = before.join(after, on=columns, how="full", coalesce=True, suffix="_after").sort(columns)
    old = (joined["pence"] / joined["rows"]).fill_null(0.0).to_numpy()
    new = (joined["pence_after"] / joined["rows_after"]).fill_null(0.0).to_numpy()
    return float(np.abs(old - new).sum()) / 100
