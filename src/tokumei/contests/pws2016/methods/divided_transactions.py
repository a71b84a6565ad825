"""One birthday for all, and transactions divided in two: sums stay, counts do not (spec A.4, F-A5)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.pws2016.methods.master_pseudonyms import MasterMethod, Streams
from tokumei.contests.pws2016.shop import shop_of
from tokumei.data import SLASH_DATE, Field, History, Kind, RangeCells, Release, Secret, parse_values
from tokumei.errors import ParameterError
from tokumei.parts import parameter


@dataclass(frozen=True, kw_only=True)
class DividedTransactions(MasterMethod):
    """A transaction of quantity 2 or more becomes two of the same price whose quantities add up to it.

    Every customer keeps the yearly amount and quantity; only the number of transactions and the birthdays change, so
    that attacks by count (re-tnum) or by master (re-sort) miss, and those by total (re-totprice) do not.
    """

    name: ClassVar[str] = "ano-divt"
    summary: ClassVar[str] = "one birthday for all, transactions divided in two with equal sums, shuffled"
    source: ClassVar[str] = "PWS Cup 2016 sample"

    birthday: str = parameter("1975/1/1", "the birthday that everybody gets")
    share: float = parameter(1.0, "share of the transactions of quantity 2 or more that are divided", low=0.0, high=1.0)
    length: int = parameter(16, "hexadecimal digits of a pseudonym", low=8, high=50)

    def __post_init__(self) -> None:
        """Check the parameters, and that the birthday is a date."""
        super().__post_init__()
        self._day()

    def _day(self) -> int:
        """Return the birthday as days since 1970/1/1."""
        days, bad = parse_values(pl.Series([self.birthday]), Field("birthday", Kind.DATE, format=SLASH_DATE))
        if bad[0]:
            message = f"parameter 'birthday' of '{self.name}' must be a date like 1975/1/1, got {self.birthday!r}"
            raise ParameterError(message)
        return int(days[0])

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the divided transactions of the customers in a new order."""
        streams = Streams.split(rng)
        release, secret = self.shuffled(history, streams, length=self.length)
        rows, parts = self._divided(shop_of(history).quantity[secret.rows], streams.shown)
        release, secret = release.take(rows), secret.take(rows)
        cells = {**release.cells, "quantity": RangeCells.of_values(parts)}
        people = release.people
        if people is not None:
            birthdays = RangeCells.of_values(np.full(len(people), self._day()))
            people = replace(people, cells={**people.cells, "birthday": birthdays})
        return replace(release, cells=cells, people=people), secret

    def _divided(self, quantity: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Return the records, the second part of each divided one right after the first, and their quantities."""
        divided = (quantity >= 2) & (rng.random(len(quantity)) < self.share)
        first = quantity.copy()
        first[divided] = rng.integers(1, quantity[divided])
        rows = np.repeat(np.arange(len(quantity)), 1 + divided)
        is_second = np.zeros(len(rows), dtype=np.bool_)
        is_second[1:] = rows[1:] == rows[:-1]
        return rows, np.where(is_second, quantity[rows] - first[rows], first[rows])
