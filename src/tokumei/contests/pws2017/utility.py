"""The six utility figures of PWS Cup 2017, E1 to E6 (golden/pws2017; spec B.10.3).

T and AT are text tables of seven columns with equally many rows; a deleted row of AT reads ``DEL,,,,,,``.

E1, E2, E3 ask what a recommender would lose (similarities of goods, and the list of the best-selling goods), E4 and E5
how far dates and prices were moved row by row, E6 how many rows are gone. All lie in 0 (nothing lost) to 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Floats, Ints
from tokumei.data import SLASH_DATE, Field, Goal, Kind, Score, parse_values
from tokumei.errors import ContentError, Finding, InfeasibleError, InputError
from tokumei.metrics import (
    Scores,
    bought_scores,
    item_similarities,
    popular_goods,
    restricted_scores,
    retail_scores,
    similarity_distance,
    total_quantities,
    wholesale_scores,
)
from tokumei.words import Message

# Where the texts of this year stand.
HOME = "tokumei.contests.pws2017"

COLUMNS_2017 = ("customer", "invoice", "date", "time", "goods", "price", "quantity")
DELETED_2017 = "DEL"
TOP_LIST = 100
DAYS_OF_A_MONTH = 31

_DATE = Field("date", Kind.DATE, 1.0, SLASH_DATE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility2017:
    """E1 to E6; NaN where the official programs stop without a figure (``warnings`` says why)."""

    wholesale: float
    retail: float
    top_similarity: float
    top_list: float
    date: float
    price: float
    deleted: float
    warnings: tuple[Message, ...] = ()

    def figures(self) -> dict[str, float]:
        """Return the figures by the contest's names."""
        return {
            "E1": self.wholesale,
            "E2": self.retail,
            "E3_similarity": self.top_similarity,
            "E3_top": self.top_list,
            "E4": self.date,
            "E5": self.price,
            "E6": self.deleted,
        }

    def as_dict(self) -> dict[str, float | None]:
        """Return the fields of ``--json``; a figure that does not exist is null."""
        return {name: None if math.isnan(value) else value for name, value in self.figures().items()}

    def scores(self) -> tuple[Score, ...]:
        """Return the figures as scores (lower is better)."""
        return tuple(
            Score(name=name, value=value, goal=Goal.LOWER, highest=1.0, warnings=self.warnings)
            for name, value in self.figures().items()
        )


@dataclass(frozen=True, eq=False, slots=True)
class _Rows:
    """One table as arrays; rows that are deleted carry customer and goods -1 and zeros."""

    deleted: Bools
    day: Ints
    price: Floats
    totals: Scores


def utility_2017(original: pl.DataFrame, anonymized: pl.DataFrame, *, strict: bool = False) -> Utility2017:
    """Return E1 to E6 of an anonymized table AT against T (frames of text, `COLUMNS_2017`, rows aligned).

    Where the official programs stop with an exception (no two goods with a common customer: E1 to E3; every row
    deleted: E6) the figure is NaN or, for E6, the share 1, with a warning; ``strict`` raises InfeasibleError instead.
    """
    if original.height != anonymized.height:
        message = f"AT has {anonymized.height} rows and T has {original.height}; a deleted row must read DEL,,,,,,"
        raise InputError(message, code="row-count")
    goods = original["goods"].unique().sort()
    before, after = _rows(original, goods, "T"), _rows(anonymized, goods, "AT")
    if len(before.deleted) == 0 or before.deleted.all():
        raise InputError("T has no rows, so no figure of 2017 exists; give the original table", code="empty")
    top = popular_goods(before.totals, len(goods), TOP_LIST)
    top_after = popular_goods(after.totals, len(goods), TOP_LIST)
    kept = ~(before.deleted | after.deleted)
    rows = len(kept)
    figures = Utility2017(
        wholesale=_distance(wholesale_scores(before.totals), wholesale_scores(after.totals), len(goods)),
        retail=_distance(retail_scores(before.totals), retail_scores(after.totals), len(goods)),
        top_similarity=_top_distance(before.totals, after.totals, top, len(goods)),
        top_list=len(np.setdiff1d(top, top_after)) / TOP_LIST,
        date=float(np.abs(before.day - after.day)[kept].sum()) / (DAYS_OF_A_MONTH * rows),
        price=float(_relative_changes(before.price[kept], after.price[kept]).sum()) / rows,
        deleted=float(after.deleted.sum()) / rows,
    )
    return _with_oddities(figures, strict=strict)


def _distance(before: Scores, after: Scores, goods: int) -> float:
    return similarity_distance(item_similarities(before, goods), after)


def _top_distance(before: Scores, after: Scores, top: Ints, goods: int) -> float:
    """Return the distance on T's best-selling goods alone, a goods counting as bought or not."""
    chosen = [restricted_scores(bought_scores(totals), top, goods) for totals in (before, after)]
    return _distance(chosen[0], chosen[1], len(top))


def _relative_changes(before: Floats, after: Floats) -> Floats:
    """Return 1 - min / max of each pair of prices; 0 where both are 0."""
    larger = np.maximum(before, after)
    ratio = np.divide(np.minimum(before, after), larger, out=np.ones(len(larger)), where=larger != 0)
    return 1.0 - ratio


def _rows(frame: pl.DataFrame, goods: pl.Series, file: str) -> _Rows:
    """Code one table; the goods that are not in the dictionary get -1."""
    deleted = (frame["customer"] == DELETED_2017).fill_null(value=False).to_numpy()
    day, bad_day = parse_values(frame["date"].fill_null(""), _DATE)
    price, bad_price = _numbers(frame["price"])
    quantity, bad_quantity = _numbers(frame["quantity"])
    for name, bad in (("date", bad_day), ("price", bad_price), ("quantity", bad_quantity)):
        _refuse(frame, name, bad & ~deleted, file)
    customers = frame["customer"].unique().sort()
    buyer = _codes(frame["customer"], customers)
    totals = total_quantities(np.where(deleted, -1, buyer), _codes(frame["goods"], goods), quantity)
    return _Rows(deleted, day, price, totals)


def _codes(text: pl.Series, dictionary: pl.Series) -> Ints:
    known = dictionary.drop_nulls()
    if len(known) == 0:
        return np.full(len(text), -1, dtype=np.int64)
    return text.cast(pl.Enum(known), strict=False).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()


def _numbers(text: pl.Series) -> tuple[Floats, Bools]:
    number = text.cast(pl.Float64, strict=False)
    finite = number.is_finite().fill_null(value=False)
    return number.fill_null(0.0).to_numpy(), ~finite.to_numpy()


def _refuse(frame: pl.DataFrame, name: str, bad: Bools, file: str) -> None:
    """Report the cells of a column that cannot be read, with their lines."""
    rows = np.flatnonzero(bad)
    if len(rows) == 0:
        return
    wanted = "a date of the form 2011/3/27" if name == "date" else "a number"
    position = frame.columns.index(name) + 1
    findings = [
        Finding("bad-value", f"'{frame[name][int(row)]}' is not {wanted}", int(row) + 1, position, name)
        for row in rows[:100]
    ]
    raise ContentError(file, findings, total=len(rows))


def _with_oddities(figures: Utility2017, *, strict: bool) -> Utility2017:
    """Attach a warning for every figure at which the official programs stop, or refuse it."""
    warnings = [
        Message("warning.no-similarity", {"name": name}, HOME)
        for name in ("E1", "E2", "E3_similarity")
        if math.isnan(figures.figures()[name])
    ]
    if figures.deleted == 1.0:
        warnings.append(Message("warning.all-deleted", home=HOME))
    if warnings and strict:
        raise InfeasibleError(str(warnings[0]))
    fields = {name: getattr(figures, name) for name in figures.__slots__ if name != "warnings"}
    return Utility2017(**fields, warnings=tuple(warnings))
