"""One birthday for all, and transactions divided in two: sums stay, counts do not (spec A.4, F-A5)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.contests.pws2016.methods.master_pseudonyms import Streams, pseudonymized
from tokumei.contests.pws2016.shop import MasterAnonymizer, MasterRelease, Shop
from tokumei.data import SLASH_DATE, Field, Kind, parse_values
from tokumei.errors import ParameterError
from tokumei.parts import parameter

__all__ = ["DividedTransactions"]


@dataclass(frozen=True, kw_only=True)
class DividedTransactions(MasterAnonymizer):
    """A transaction of quantity 2 or more becomes two of the same price whose quantities add up to it.

    Every customer keeps the yearly amount and quantity; only the number of transactions and the birthdays change, so
    that attacks by count (re-tnum) or by master (re-sort) miss, and those by total (re-totprice) do not.
    """

    name: ClassVar[str] = "ano-divt"
    summary: ClassVar[str] = "one birthday for all, transactions divided in two with equal sums, shuffled"
    source: ClassVar[str] = "PWS Cup 2016 sample (spec A.4)"

    birthday: str = parameter("1975/1/1", "the birthday that everybody gets")
    share: float = parameter(1.0, "share of the transactions of quantity 2 or more that are divided", low=0.0, high=1.0)
    length: int = parameter(16, "hexadecimal digits of a pseudonym", low=8, high=50)

    def __post_init__(self) -> None:
        """Check the parameters, and that the birthday is a date."""
        super().__post_init__()
        if parse_values(pl.Series([self.birthday]), Field("birthday", Kind.DATE, format=SLASH_DATE))[1][0]:
            message = f"parameter 'birthday' of '{self.name}' must be a date like 1975/1/1, got {self.birthday!r}"
            raise ParameterError(message)

    def anonymize(self, shop: Shop, *, rng: np.random.Generator) -> MasterRelease:
        """Return the divided transactions of the customers in a new order."""
        streams = Streams.split(rng)
        order = streams.order.permutation(shop.customers).astype(np.int64)
        release = pseudonymized(shop, order, streams.key, length=self.length, regroup=True)
        master = release.shop.master.with_columns(pl.lit(self.birthday).alias("birthday"))
        transactions = self._divided(release.shop, streams.shown)
        return dataclasses.replace(release, shop=Shop(master, transactions))

    def _divided(self, shop: Shop, rng: np.random.Generator) -> pl.DataFrame:
        """Return the transactions with the second part of each divided one right after the first."""
        quantity = shop.quantity
        divided = (quantity >= 2) & (rng.random(len(quantity)) < self.share)
        first = quantity.copy()
        first[divided] = rng.integers(1, quantity[divided])
        rows = np.repeat(np.arange(len(quantity)), 1 + divided)
        is_second = np.zeros(len(rows), dtype=np.bool_)
        is_second[1:] = rows[1:] == rows[:-1]
        parts = np.where(is_second, quantity[rows] - first[rows], first[rows])
        return shop.transactions[rows].with_columns(pl.Series("quantity", parts).cast(pl.String))
