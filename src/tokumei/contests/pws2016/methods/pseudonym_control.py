"""Pseudonyms that do not last: renewed by period or count, or exchanged between customers (spec A.1.4).

A long history under one pseudonym is a fingerprint. Renewal cuts it into shorter ones; since rows may never be added to
M', only the first pseudonym of a customer has a row there and the others are orphans of T'. Exchange lets customers
swap pseudonyms at every renewal, which keeps all pseudonyms known in M'.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.pws2016.methods.master_pseudonyms import Streams, pseudonymized
from tokumei.contests.pws2016.shop import MasterAnonymizer, MasterRelease, Shop
from tokumei.errors import ParameterError
from tokumei.methods import exchange, keyed_pseudonyms, renewed_by_count, renewed_by_period
from tokumei.parts import parameter

__all__ = ["PseudonymControl"]


@dataclass(frozen=True, kw_only=True)
class PseudonymControl(MasterAnonymizer):
    """Shuffled customers whose pseudonyms change with time; no value changes."""

    name: ClassVar[str] = "ano-pseudonyms"
    summary: ClassVar[str] = "shuffle, and renew pseudonyms by period or count or exchange them between customers"
    source: ClassVar[str] = "PWS Cup 2016, pseudonym control (spec A.1.4)"

    period: str = parameter("month", "renew by calendar", choices=("never", "day", "week", "month", "year"))
    count: int = parameter(0, "renew after this many transactions (0: never); set period=never", low=0)
    exchange: float = parameter(
        1.0, "share of the customers of a period who swap pseudonyms; 0 gives fresh ones instead", low=0.0, high=1.0
    )
    length: int = parameter(16, "hexadecimal digits of a pseudonym", low=8, high=50)

    def __post_init__(self) -> None:
        """Check the parameters, also against each other."""
        super().__post_init__()
        if (self.period != "never") == bool(self.count):
            message = f"'{self.name}': renew pseudonyms either by period or by count (period=never count=50)"
            raise ParameterError(message)

    def anonymize(self, shop: Shop, *, rng: np.random.Generator) -> MasterRelease:
        """Return the shuffled data under changing pseudonyms, and how many each customer has."""
        streams = Streams.split(rng)
        order = streams.order.permutation(shop.customers).astype(np.int64)
        release = pseudonymized(shop, order, streams.key, length=self.length, regroup=True)
        chunk, period = self._chunks(release.shop)
        first = np.unique(chunk, return_index=True)[1]
        holder = release.shop.owner[first]
        if self.exchange > 0:
            slot = self._exchanged(holder, period[first], streams.order)
            names, counts = release.shop.master["customer"].gather(slot), _distinct(holder, slot, shop.customers)
        else:
            names = self._fresh(shop, order, holder, release.shop.master["customer"], streams.key)
            counts = np.bincount(holder, minlength=shop.customers).astype(np.int64)
        transactions = release.shop.transactions.with_columns(names.gather(chunk).alias("customer"))
        # The order of the transactions would tell which pseudonyms follow one another.
        transactions = transactions[streams.shown.permutation(transactions.height)]
        return dataclasses.replace(
            release, shop=Shop(release.shop.master, transactions), pseudonym_counts=np.maximum(counts, 1)
        )

    def _chunks(self, shop: Shop) -> tuple[Ints, Ints]:
        """Return, per transaction, the number of its (customer, period) pair and of its period."""
        if self.period != "never":
            everyone = np.zeros(len(shop), dtype=np.int64)
            period = renewed_by_period(everyone, shop.day, period=self.period)
            return renewed_by_period(shop.owner, shop.day, period=self.period), period
        order = np.lexsort((shop.minute, shop.day, shop.owner))
        rank = np.empty(len(shop), dtype=np.int64)
        rank[order] = np.arange(len(shop)) - np.repeat(np.cumsum(shop.counts) - shop.counts, shop.counts)
        return renewed_by_count(shop.owner, rank, count=self.count), rank // self.count

    def _exchanged(self, holder: Ints, period: Ints, rng: np.random.Generator) -> Ints:
        """Return, per chunk, whose pseudonym it is published under; in the first period everybody has the own one."""
        slot = holder.copy()
        for number in np.unique(period)[1:]:
            present = np.flatnonzero(period == number)
            slot[present] = exchange(slot[present], share=self.exchange, rng=rng)
        return slot

    def _fresh(self, shop: Shop, order: Ints, holder: Ints, own: pl.Series, key: bytes) -> pl.Series:
        """Return a pseudonym per chunk: that of the master for a customer's first one, a fresh one for the others."""
        new_holder = np.ones(len(holder), dtype=np.bool_)
        new_holder[1:] = holder[1:] != holder[:-1]
        numbers = pl.Series(np.arange(len(holder))).cast(pl.String)
        identity = shop.master["customer"].gather(order[holder]) + ":" + numbers
        # Made together with the first ones, so that the collision check covers them all.
        everything = keyed_pseudonyms(pl.concat([shop.master["customer"], identity]), key, length=self.length)
        return own.gather(holder).zip_with(pl.Series(new_holder), everything[shop.customers :])


def _distinct(holder: Ints, slot: Ints, customers: int) -> Ints:
    """Return how many different slots each holder has."""
    pairs = np.unique(np.stack((holder, slot)), axis=1)
    return np.bincount(pairs[0], minlength=customers).astype(np.int64)
