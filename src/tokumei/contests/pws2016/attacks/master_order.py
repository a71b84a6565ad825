"""Attacks that sort both masters and read them side by side: by master values, or by number of transactions.

Row i of M' stands at some place of the sorted M'; the guess is the row of M at the same relative place of the sorted M
(spec A.5). Sorting is stable: ties keep file order (F-A11).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.pws2016.attacks.master_attack import MasterAttack
from tokumei.contests.pws2016.shop import Shop
from tokumei.parts import parameter


def same_place(order: Ints, published_order: Ints) -> Ints:
    """Return q(i) = x(floor(y^-1(i) n / n')) from the sorted rows x of M and y of M'; everything counts from 0.

    >>> same_place(np.array([1, 3, 2, 0]), np.array([1, 0])).tolist()
    [2, 1]
    """
    n, published = len(order), len(published_order)
    place = np.empty(published, dtype=np.int64)
    place[published_order] = np.arange(published)
    return order[place * n // max(published, 1)]


@dataclass(frozen=True, kw_only=True)
class _Ordering(MasterAttack):
    """Sorts both sides by a key and pairs equal relative places."""

    order: str = parameter("value", "compare keys as dates and numbers, or as text", choices=("value", "text"))

    @abstractmethod
    def sorted_rows(self, shop: Shop) -> Ints:
        """Return the rows of the master in ascending order of the key, ties in file order."""

    def choose(self, original: Shop, published: Shop, *, rng: np.random.Generator) -> Ints:  # noqa: ARG002
        """Return the rows of M at the same relative places."""
        return same_place(self.sorted_rows(original), self.sorted_rows(published))


@dataclass(frozen=True, kw_only=True)
class MasterOrder(_Ordering):
    """Sort by sex, birthday and country."""

    name: ClassVar[str] = "re-sort"
    summary: ClassVar[str] = "sort both masters by sex, birthday, country and pair equal places"
    source: ClassVar[str] = "PWS Cup 2016 sample"

    def sorted_rows(self, shop: Shop) -> Ints:
        """Return the rows sorted by (sex, birthday, country)."""
        birthday = shop.master["birthday"] if self.order == "text" else pl.Series("birthday", shop.birthday)
        keys = pl.DataFrame([shop.master["sex"], birthday, shop.master["country"]])
        return _arg_sort(keys)


@dataclass(frozen=True, kw_only=True)
class CountOrder(_Ordering):
    """Sort by the number of transactions."""

    name: ClassVar[str] = "re-tnum"
    summary: ClassVar[str] = "sort both masters by number of transactions and pair equal places"
    source: ClassVar[str] = "PWS Cup 2016 sample"

    def sorted_rows(self, shop: Shop) -> Ints:
        """Return the rows sorted by number of transactions."""
        counts = pl.Series("count", shop.counts)
        return _arg_sort(pl.DataFrame([counts.cast(pl.String) if self.order == "text" else counts]))


def _arg_sort(keys: pl.DataFrame) -> Ints:
    rows = keys.select(pl.arg_sort_by(keys.columns, maintain_order=True)).to_series()
    return rows.cast(pl.Int64).to_numpy()
