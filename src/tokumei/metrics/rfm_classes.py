"""Recency, frequency and monetary value of customers before and after, in classes of any shop.

The contest's RFM table (`tokumei.metrics.rfm`) has the fixed limits of one shop. Here the limits are the quintiles of
the original customers, as in the textbook form of the analysis: class 5 is the fifth of the customers who bought most
recently, most often, for most. A release is sorted by the same limits, every pseudonym as a customer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.data import History, Kind, Release, Schema
from tokumei.metrics.midpoints import original_values, published_values

CLASSES = 5
MEASURES = ("recency", "frequency", "monetary")
_PRICE = re.compile(r"price|amount|paid|total|cost|sales|spend|revenue|dollar|価格|単価|金額|売上|代金", re.IGNORECASE)
_QUANTITY = re.compile(r"quantity|qty|units|pieces|数量|個数", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Purchases:
    """Which fields of a history are the day of a purchase and the factors of what was paid."""

    day: str
    factors: tuple[str, ...]


def purchase_columns(schema: Schema) -> Purchases | None:
    """Return the fields that make records purchases; None if they are something else.

    Columns are known by their names alone: a rating beside a date looks like money, too.
    """
    if schema.row_is_subject or any(column.kind is Kind.PLACE for column in schema.columns):
        return None
    days = [field.name for field in schema.fields if field.kind in (Kind.DATE, Kind.DATETIME)]
    numbers = [field for field in schema.fields if field.kind is Kind.NUMBER]
    if not days or not numbers:
        return None
    prices = [field.name for field in numbers if _PRICE.search(field.name)]
    quantities = [field.name for field in numbers if _QUANTITY.search(field.name)]
    return Purchases(days[0], (prices[0], *quantities[:1])) if prices else None


def rfm_before_after(history: History, release: Release) -> tuple[pl.DataFrame, pl.DataFrame, float] | None:
    """Return classes, a table of recency by monetary class, and the overlap of all 125 cells; None if no purchases.

    Classes: ``measure``, ``class`` (1 to 5), ``from`` (in days, records or money), ``before``, ``after`` (customers).
    """
    columns = purchase_columns(history.schema)
    if columns is None or len(history) == 0 or len(release) == 0:
        return None
    names = release.pseudonyms.cast(pl.String).rank("dense").to_numpy().astype(np.int64) - 1
    before = _measures(history.subject, original_values(history, (columns.day, *columns.factors)))
    after = _measures(names, published_values(history, release, (columns.day, *columns.factors)))
    if before.shape[1] == 0:
        return None
    limits = [np.quantile(values, np.arange(1, CLASSES) / CLASSES) for values in before]
    old, new = _classes(before, limits), _classes(after, limits)
    return _class_table(before, old, new), _grid(old, new), _overlap(old, new)


def _measures(owner: Ints, columns: list[Floats]) -> Floats:
    """Return recency, frequency and monetary value (lines) of every customer with a dated record."""
    day, *factors = columns
    paid = np.ones(len(day))
    for factor in factors:
        known = factor[np.isfinite(factor)]
        # A suppressed factor stands for the mean of those that are shown.
        paid = paid * np.where(np.isfinite(factor), factor, known.mean() if len(known) else 0.0)
    frame = pl.DataFrame({"owner": owner, "day": day, "paid": paid}).with_columns(pl.col("day").fill_nan(None))
    grouped = frame.group_by("owner").agg(pl.col("day").max(), pl.len().alias("records"), pl.col("paid").sum())
    known_day = grouped.filter(pl.col("day").is_not_null()).sort("owner")
    return np.stack([known_day[name].cast(pl.Float64).to_numpy() for name in ("day", "records", "paid")])


def _classes(values: Floats, limits: list[Floats]) -> Ints:
    """Return the class (0 to 4) of every customer in every measure; equal limits leave classes empty."""
    return np.stack([np.searchsorted(edge, line, side="right") for edge, line in zip(limits, values, strict=True)])


def _class_table(values: Floats, old: Ints, new: Ints) -> pl.DataFrame:
    rows = []
    for measure, name in enumerate(MEASURES):
        counts = [np.bincount(side[measure], minlength=CLASSES) for side in (old, new)]
        for number in range(CLASSES):
            members = values[measure][old[measure] == number]
            start = float(members.min()) if len(members) else None
            rows.append(
                {
                    "measure": name,
                    "class": number + 1,
                    "from": start,
                    "before": int(counts[0][number]),
                    "after": int(counts[1][number]),
                }
            )
    return pl.DataFrame(rows, schema_overrides={"from": pl.Float64})


def _grid(old: Ints, new: Ints) -> pl.DataFrame:
    cells = [np.bincount(side[0] * CLASSES + side[2], minlength=CLASSES**2) for side in (old, new)]
    number = np.arange(CLASSES**2)
    return pl.DataFrame(
        {"recency": number // CLASSES + 1, "monetary": number % CLASSES + 1, "before": cells[0], "after": cells[1]}
    )


def _overlap(old: Ints, new: Ints) -> float:
    weights = np.array([CLASSES**2, CLASSES, 1])
    shares = []
    for side in (old, new):
        counts = np.bincount(weights @ side, minlength=CLASSES**3)
        shares.append(counts / max(counts.sum(), 1))
    return float(np.minimum(*shares).sum())
