"""The share of top items that are still top items: topitem of PWS Cup 2016 (spec A.3.5, F-A8).

It detects deleted transactions and changed items where they are many. Added rows only help it, and it uses neither
master nor P.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import polars as pl

from tokumei.contests.pws2016.shop import Shop, shop_of
from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.parts import Metric, parameter

DEFAULT_RANK = 100


def default_threshold(original: Shop) -> int:
    """Return how often the 100th most frequent item of T occurs (the rarest one if there are fewer)."""
    counts = _counts(original)["rows"].sort(descending=True)
    return int(counts[min(DEFAULT_RANK, len(counts)) - 1]) if len(counts) else 1


@dataclass(frozen=True, kw_only=True)
class TopItems(Metric):
    """|Top(T) and Top(T')| / |Top(T)|, where a top item has at least ``threshold`` rows; 1 without any."""

    name: ClassVar[str] = "topitem"
    summary: ClassVar[str] = "share of the most frequent items that are still among them"
    source: ClassVar[str] = "PWS Cup 2016"
    needs: ClassVar[tuple[str, ...]] = ("records", "people")

    threshold: int | None = parameter(None, "rows that make a top item (none: those of the 100th of T)", low=1)

    def measure(self, history: History, release: Release, secret: Secret) -> Score:  # noqa: ARG002
        """Compare the items of both shops."""
        shops = shop_of(history), shop_of(release)
        limit = default_threshold(shops[0]) if self.threshold is None else self.threshold
        before, after = (_counts(shop).filter(pl.col("rows") >= limit)["goods"] for shop in shops)
        kept = int(before.is_in(after.implode()).sum())
        value = kept / len(before) if len(before) else 1.0
        parts = {"threshold": float(limit), "items": float(len(before))}
        return Score(name=self.name, value=value, goal=Goal.HIGHER, highest=1.0, parts=parts)


def _counts(shop: Shop) -> pl.DataFrame:
    return shop.transactions.group_by("goods").agg(pl.len().alias("rows"))
