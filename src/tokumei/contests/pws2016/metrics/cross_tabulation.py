"""Cross tabulation of mean unit prices by customer attributes: cmae and cmae2 of PWS Cup 2016 (spec A.3.1, A.3.2).

Both sum, over all cells of sex (x country), how far the mean unit price moved. `cmae` sorts T' into cells by M', as a
user of the release would; it detects changed prices, deleted or added transactions and changed master values. `cmae2`
sorts T' by the original master through P; beyond that it detects a P that does not belong to the data (Yamaoka
anonymization), because transactions then count for unrelated customers. A large cmae2 beside a small cmae says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.pws2016.messages import HOME
from tokumei.contests.pws2016.shop import MasterRelease, Shop, positions
from tokumei.data import Goal, Score
from tokumei.errors import ParameterError
from tokumei.words import Message

__all__ = ["CELLS", "ORPHANS", "cmae", "cmae2"]

CELLS = {"sex": ("sex",), "sex-country": ("sex", "country")}
ORPHANS = ("strict", "original")


def cmae(original: Shop, release: MasterRelease, *, cells: str = "sex-country", orphans: str = "strict") -> Score:
    """Return the cross-tabulation error by the published master.

    ``orphans`` says what becomes of transactions whose id has no row in M' (F-A2): ``strict`` leaves them out,
    ``original`` sorts those that show an id of M by M.
    """
    published = release.shop
    return _score("cmae", original, published, published.master, published.owner, cells=cells, orphans=orphans)


def cmae2(original: Shop, release: MasterRelease, *, cells: str = "sex-country", orphans: str = "strict") -> Score:
    """Return the cross-tabulation error by the original master through P; parameters as for cmae."""
    origin = original.master[release.rows - 1]
    return _score("cmae2", original, release.shop, origin, release.shop.owner, cells=cells, orphans=orphans)


def _score(
    name: str, original: Shop, published: Shop, master: pl.DataFrame, owner: Ints, *, cells: str, orphans: str
) -> Score:
    """Compare T by M with T' by a master whose rows are in the order of M'."""
    if cells not in CELLS:
        message = f"the cells of {name} must be one of {', '.join(CELLS)}, got '{cells}'"
        raise ParameterError(message)
    if orphans not in ORPHANS:
        message = f"the orphans of {name} must be one of {', '.join(ORPHANS)}, got '{orphans}'"
        raise ParameterError(message)
    columns = CELLS[cells]
    before = _price_sums(original.master, columns, original.owner, original.pence)
    people, place = master.select(columns), owner
    if orphans == "original":
        by_original = positions(published.transactions["customer"], original.master["customer"])
        people = pl.concat([people, original.master.select(columns)])
        shifted = np.where(by_original >= 0, by_original + master.height, -1)
        place = np.where(owner >= 0, owner, shifted)
    after = _price_sums(people, columns, place, published.pence)
    value = _summed_difference(before, after, columns)
    left_out = int((place < 0).sum())
    code = "warning.orphan" if left_out == 1 else "warning.orphans"
    warnings = (Message(code, {"count": left_out}, HOME),) if left_out else ()
    scale = float((before["pence"] / before["rows"]).sum()) / 100
    return Score(name=name, value=value, goal=Goal.LOWER, parts={"scale": scale}, warnings=warnings)


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
