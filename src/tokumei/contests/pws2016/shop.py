"""A shop as PWS Cup 2016 sees it: a master with one row per customer, and the transactions (spec A.1).

`Shop` holds both tables as the text of the contest files and gives numpy views of what the metrics, attacks and
anonymizers compute with. `MasterRelease` is what an anonymizer hands over: M', T' and the secret P. Master and
transactions are anonymized together and rows may be added, which the general Release does not describe; hence the two
contracts of this module beside those of `tokumei.parts`.

>>> people = [("7", "f", "1970/1/2", "Japan"), ("8", "m", "1970/1/3", "Japan")]
>>> master = pl.DataFrame(people, schema=list(MASTER_COLUMNS), orient="row")
>>> bought = [("8", "1", "2011/1/2", "9:05", "X", "0.5", "3"), ("9", "2", "2011/1/2", "9:05", "X", "1", "1")]
>>> shop = Shop(master, pl.DataFrame(bought, schema=list(TRANSACTION_COLUMNS), orient="row"))
>>> shop.owner.tolist(), shop.paid.tolist(), shop.totals.tolist()
([1, -1], [150, 100], [0, 150])
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import SLASH_DATE, Field, Kind, parse_values
from tokumei.errors import ContentError, Finding
from tokumei.parts import Part

__all__ = [
    "MASTER_COLUMNS",
    "TRANSACTION_COLUMNS",
    "MasterAnonymizer",
    "MasterAttack",
    "MasterRelease",
    "Shop",
    "codes_of",
    "positions",
]

MASTER_COLUMNS = ("customer", "sex", "birthday", "country")
TRANSACTION_COLUMNS = ("customer", "invoice", "date", "time", "goods", "price", "quantity")
_DATE = Field("date", Kind.DATE, format=SLASH_DATE)
_BIRTHDAY = Field("birthday", Kind.DATE, format=SLASH_DATE)
_PRICE = Field("price", Kind.NUMBER, 0.01)
_QUANTITY = Field("quantity", Kind.NUMBER, 1.0)


def positions(texts: pl.Series, known: pl.Series) -> Ints:
    """Return where each text stands first in ``known``, -1 where it does not."""
    table = pl.DataFrame({"text": known}).with_row_index("at").unique("text", keep="first", maintain_order=True)
    found = pl.DataFrame({"text": texts}).join(table, on="text", how="left", maintain_order="left")["at"]
    return found.cast(pl.Int64).fill_null(-1).to_numpy().copy()


def codes_of(*columns: pl.Series) -> tuple[Ints, ...]:
    """Return the columns as positions in the sorted dictionary of all their texts.

    >>> [codes.tolist() for codes in codes_of(pl.Series(["b", "a"]), pl.Series(["c", "b"]))]
    [[1, 0], [2, 1]]
    """
    dictionary = pl.concat([column.unique().alias("text") for column in columns]).unique().sort()
    if len(dictionary) == 0:
        return tuple(np.empty(0, dtype=np.int64) for _ in columns)
    kind = pl.Enum(dictionary)
    return tuple(column.cast(kind).to_physical().cast(pl.Int64).to_numpy() for column in columns)


@dataclass(frozen=True, eq=False)
class Shop:
    """Master and transactions as text columns, with their numbers as arrays; rows are counted from 0."""

    master: pl.DataFrame
    transactions: pl.DataFrame

    @property
    def customers(self) -> int:
        """The number of rows of the master."""
        return self.master.height

    def __len__(self) -> int:
        """Return the number of transactions."""
        return self.transactions.height

    @cached_property
    def owner(self) -> Ints:
        """The master row of every transaction, -1 for an orphan."""
        return positions(self.transactions["customer"], self.master["customer"])

    @cached_property
    def pence(self) -> Ints:
        """The unit price of every transaction in pence."""
        return _numbers(self.transactions, _PRICE)

    @cached_property
    def quantity(self) -> Ints:
        """The quantity of every transaction."""
        return _numbers(self.transactions, _QUANTITY)

    @cached_property
    def day(self) -> Ints:
        """The date of every transaction as days since 1970/1/1."""
        return _numbers(self.transactions, _DATE)

    @cached_property
    def minute(self) -> Ints:
        """The time of every transaction as minutes since midnight."""
        parts = self.transactions["time"].str.split_exact(":", 1).struct.unnest()
        hours, minutes = (parts[name].cast(pl.Int64, strict=False).fill_null(0) for name in ("field_0", "field_1"))
        return (hours * 60 + minutes).to_numpy()

    @cached_property
    def birthday(self) -> Ints:
        """The birthday of every customer as days since 1970/1/1."""
        return _numbers(self.master, _BIRTHDAY)

    @property
    def paid(self) -> Ints:
        """What every transaction cost, in pence."""
        return self.pence * self.quantity

    @cached_property
    def counts(self) -> Ints:
        """The number of transactions of every customer of the master."""
        return np.bincount(self.owner[self.owner >= 0], minlength=self.customers).astype(np.int64)

    @cached_property
    def totals(self) -> Ints:
        """What every customer of the master paid in all, in pence."""
        return self.summed(self.paid)

    def summed(self, values: Ints) -> Ints:
        """Return the sum of a value of the transactions for every customer of the master, exactly."""
        owned = self.owner >= 0
        sums = np.zeros(self.customers, dtype=np.int64)
        np.add.at(sums, self.owner[owned], values[owned])
        return sums


def _numbers(frame: pl.DataFrame, spec: Field) -> Ints:
    """Return a column of numbers or dates as codes; the checkers of the rules report bad cells before this does."""
    codes, bad = parse_values(frame[spec.name], spec)
    if bad.any():
        column = frame.columns.index(spec.name) + 1
        rows = np.flatnonzero(bad)
        findings = [
            Finding(f"bad-{spec.name}", f"'{frame[spec.name][row]}' is no {spec.kind}", row + 1, column, spec.name)
            for row in rows[:100].tolist()
        ]
        raise ContentError("table", findings, total=len(rows))
    return codes


@dataclass(frozen=True, eq=False, repr=False)
class MasterRelease:
    """M' and T' (public) and P (secret): ``rows[i]`` is the row of M, from 1, from which row i of M' was made.

    ``pseudonym_counts`` tells under how many pseudonyms each of these customers appears in T' (1 unless pseudonyms
    are renewed or exchanged). The repr says nothing, so that P never enters a log by accident.
    """

    shop: Shop
    rows: Ints
    pseudonym_counts: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __repr__(self) -> str:
        """Return a fixed text."""
        return "MasterRelease(…)"


class MasterAnonymizer(Part):
    """Turns M and T into M', T' and P."""

    @abstractmethod
    def anonymize(self, shop: Shop, *, rng: np.random.Generator) -> MasterRelease:
        """Return what may be published together with its secret row numbers."""


class MasterAttack(Part):
    """Guesses from which row of M each row of M' was made, knowing M, T, M' and T'."""

    @abstractmethod
    def guess(self, original: Shop, published: Shop, *, rng: np.random.Generator) -> Ints:
        """Return Q: one row of M, from 1, for every row of M'."""
