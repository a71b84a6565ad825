"""The share of top items that are still top items: topitem of PWS Cup 2016 (spec A.3.5, F-A8).

It detects deleted transactions and changed items where they are many. Added rows only help it, and it uses neither
master nor P.
"""

from __future__ import annotations

import polars as pl

from tokumei.contests.pws2016.shop import MasterRelease, Shop
from tokumei.data import Goal, Score
from tokumei.errors import ParameterError

__all__ = ["default_threshold", "top_items"]

DEFAULT_RANK = 100


def default_threshold(original: Shop) -> int:
    """Return how often the 100th most frequent item of T occurs (the rarest one if there are fewer)."""
    counts = _counts(original)["rows"].sort(descending=True)
    return int(counts[min(DEFAULT_RANK, len(counts)) - 1]) if len(counts) else 1


def top_items(original: Shop, release: MasterRelease, *, threshold: int | None = None) -> Score:
    """Return |Top(T) and Top(T')| / |Top(T)|, where a top item has at least ``threshold`` rows; 1 without any."""
    limit = default_threshold(original) if threshold is None else threshold
    if limit < 1:
        message = f"the threshold of topitem must be at least 1 row, got {limit}"
        raise ParameterError(message)
    before, after = (_counts(shop).filter(pl.col("rows") >= limit)["goods"] for shop in (original, release.shop))
    kept = int(before.is_in(after.implode()).sum())
    value = kept / len(before) if len(before) else 1.0
    parts = {"threshold": float(limit), "items": float(len(before))}
    return Score(name="topitem", value=value, goal=Goal.HIGHER, highest=1.0, parts=parts)


def _counts(shop: Shop) -> pl.DataFrame:
    return shop.transactions.group_by("goods").agg(pl.len().alias("rows"))
