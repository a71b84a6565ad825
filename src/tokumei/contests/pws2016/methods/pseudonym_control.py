"""Pseudonyms that do not last: renewed by period or count, or exchanged between customers (spec A.1.4).

A long history under one pseudonym is a fingerprint. Renewal cuts it into shorter ones; since rows may never be added to
M', only the first pseudonym of a customer has a row there and the others are orphans of T'. Exchange lets customers
swap pseudonyms at every renewal, which keeps all pseudonyms known in M'. What differs from the general 'pseudonymize':
a master, separate random streams, and an own pseudonym for everybody in the first period.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.pws2016.methods.master_pseudonyms import MasterMethod, Streams, owners_of
from tokumei.contests.pws2016.shop import Shop, claimed_rows, shop_of
from tokumei.data import History, Release, Secret
from tokumei.errors import ParameterError
from tokumei.methods import exchange_by_period, keyed_pseudonyms, renewals
from tokumei.parts import parameter


@dataclass(frozen=True, kw_only=True)
class PseudonymControl(MasterMethod):
    """Shuffled customers whose pseudonyms change with time; no value changes."""

    name: ClassVar[str] = "ano-pseudonyms"
    summary: ClassVar[str] = "shuffle, and renew pseudonyms by period or count or exchange them between customers"
    source: ClassVar[str] = "PWS Cup 2016, pseudonym control"

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

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the shuffled data under changing pseudonyms."""
        streams = Streams.split(rng)
        release, secret = self.shuffled(history, streams, length=self.length)
        shop = shop_of(release)
        when = shop.day if self.period != "never" else _ranks(shop)
        chunk, period = renewals(shop.owner, when, period=self.period, count=self.count)
        first = np.unique(chunk, return_index=True)[1]
        holder, own = shop.owner[first], shop.master["customer"]
        if self.exchange > 0:
            slot = exchange_by_period(holder, period[first], share=self.exchange, rng=streams.order, begin=1)
            names = own[slot]
        else:
            names = self._fresh(history, secret, holder, own, streams.key)
        # The order of the transactions would tell which pseudonyms follow one another.
        order = streams.shown.permutation(len(release))
        release = replace(release, pseudonyms=names[chunk]).take(order)
        ids = shop_of(history).master["customer"][claimed_rows(secret)]
        owners = owners_of(pl.concat([own, names.alias(own.name)]), pl.concat([ids, ids[holder]]))
        return release, replace(secret.take(order), owners=owners)

    def _fresh(self, history: History, secret: Secret, holder: Ints, own: pl.Series, key: bytes) -> pl.Series:
        """Return a pseudonym per chunk: that of the master for a customer's first one, a fresh one for the others."""
        new_holder = np.ones(len(holder), dtype=np.bool_)
        new_holder[1:] = holder[1:] != holder[:-1]
        numbers = pl.Series(np.arange(len(holder))).cast(pl.String)
        ids = shop_of(history).master["customer"]
        identity = ids[claimed_rows(secret)][holder] + ":" + numbers
        # Made together with the first ones, so that the collision check covers them all.
        everything = keyed_pseudonyms(pl.concat([ids, identity]), key, length=self.length)
        return own[holder].zip_with(pl.Series(new_holder), everything[len(ids) :])


def _ranks(shop: Shop) -> Ints:
    """Return the place of every transaction among those of its customer, in the order of time."""
    order = np.lexsort((shop.minute, shop.day, shop.owner))
    rank = np.empty(len(shop), dtype=np.int64)
    rank[order] = np.arange(len(shop)) - np.repeat(np.cumsum(shop.counts) - shop.counts, shop.counts)
    return rank
