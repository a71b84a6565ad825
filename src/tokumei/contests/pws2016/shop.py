"""A shop as PWS Cup 2016 sees it: a master with one row per customer, and the transactions (spec A.1).

The data model is that of everything else: a History of transactions with a table of people, and a Release of both.
`shop_history` and `shop_release` make them from the text of the contest files, `Shop` gives numpy views of what the
metrics, attacks and anonymizers compute with.

>>> from tokumei.contests.pws2016.files import MASTER_COLUMNS, TRANSACTION_COLUMNS
>>> people = [("7", "f", "1970/1/2", "Japan"), ("8", "m", "1970/1/3", "Japan")]
>>> master = pl.DataFrame(people, schema=list(MASTER_COLUMNS), orient="row")
>>> bought = [("8", "1", "2011/1/2", "9:05", "X", "0.5", "3"), ("9", "2", "2011/1/2", "9:05", "X", "1", "1")]
>>> shop = Shop(shop_history(master, pl.DataFrame(bought, schema=list(TRANSACTION_COLUMNS), orient="row")))
>>> shop.owner.tolist(), shop.paid.tolist(), shop.totals.tolist()
([1, -1], [150, 100], [0, 150])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.pws2016.files import SCHEMA
from tokumei.data import MISSING, SLASH_DATE, Column, History, Kind, Release, Schema, Secret
from tokumei.errors import InfeasibleError

_MASTER_SCHEMA = Schema(
    "customer",
    (
        Column(name="sex", kind=Kind.CATEGORY),
        Column(name="birthday", kind=Kind.DATE, format=SLASH_DATE),
        Column(name="country", kind=Kind.CATEGORY),
    ),
)


def shop_history(master: pl.DataFrame, transactions: pl.DataFrame) -> History:
    """Return master and transactions, text columns under their names, as a History with people."""
    people = History.from_frame(master, _MASTER_SCHEMA, file="master")
    return History.from_frame(transactions, SCHEMA, file="transactions").with_people(people)


def shop_release(master: pl.DataFrame, transactions: pl.DataFrame) -> Release:
    """Return an anonymized master and its transactions as a Release with people."""
    history = shop_history(master, transactions)
    people = history.people
    return _published(history, None if people is None else _published(people, None))


def _published(history: History, people: Release | None) -> Release:
    cells = {name: history.cells(name) for name in history.codes}
    return Release(history.schema, history.subjects[history.subject], cells, people=people)


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


@lru_cache(maxsize=4)
def shop_of(data: History | Release) -> Shop:
    """Return the view of a history, or of a release of single values, with people; it is kept for the next caller."""
    return Shop(data.as_history() if isinstance(data, Release) else data)


def claimed_rows(secret: Secret) -> Ints:
    """Return P, counted from 0: the row of the master from which every row of the published one was made."""
    if secret.people is None:
        message = "the rows of the master behind those of the published one are not known; give the file P"
        raise InfeasibleError(message, code="no-people")
    return secret.people


@dataclass(frozen=True, eq=False)
class Shop:
    """Master and transactions as text columns, with their numbers as arrays; rows are counted from 0."""

    history: History

    @cached_property
    def people(self) -> History:
        """The master."""
        if self.history.people is None:
            message = "the data has no table of people; give the master beside the transactions"
            raise InfeasibleError(message, code="needs")
        return self.history.people

    @cached_property
    def master(self) -> pl.DataFrame:
        """The master as text, the customer first."""
        return _texts(self.people, [spec.name for spec in _MASTER_SCHEMA.fields])

    @cached_property
    def transactions(self) -> pl.DataFrame:
        """Customer and categories of the transactions as text."""
        return _texts(self.history, ["invoice", "time", "goods"])

    @property
    def customers(self) -> int:
        """The number of rows of the master."""
        return len(self.people)

    def __len__(self) -> int:
        """Return the number of transactions."""
        return len(self.history)

    @cached_property
    def owner(self) -> Ints:
        """The master row of every transaction, -1 for an orphan."""
        place = np.full(len(self.history.subjects), -1, dtype=np.int64)
        place[self.people.subject] = np.arange(self.customers)
        return place[self.history.subject]

    @cached_property
    def pence(self) -> Ints:
        """The unit price of every transaction in pence."""
        return _numbers(self.history, "price")

    @cached_property
    def quantity(self) -> Ints:
        """The quantity of every transaction."""
        return _numbers(self.history, "quantity")

    @cached_property
    def day(self) -> Ints:
        """The date of every transaction as days since 1970/1/1."""
        return _numbers(self.history, "date")

    @cached_property
    def minute(self) -> Ints:
        """The time of every transaction as minutes since midnight."""
        parts = self.transactions["time"].str.split_exact(":", 1).struct.unnest()
        hours, minutes = (parts[name].cast(pl.Int64, strict=False).fill_null(0) for name in ("field_0", "field_1"))
        return (hours * 60 + minutes).to_numpy()

    @cached_property
    def birthday(self) -> Ints:
        """The birthday of every customer as days since 1970/1/1."""
        return _numbers(self.people, "birthday")

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


def _texts(history: History, names: Sequence[str]) -> pl.DataFrame:
    """Return the subject, as ``customer``, and some columns as text."""
    fields = {history.schema.field(name).column for name in names}
    narrow = Schema("customer", tuple(column for column in history.schema.columns if column.name in fields))
    view = History(narrow, history.subjects, history.subject, history.codes, history.categories)
    return view.text(literal=True).select("customer", *names)


def _numbers(history: History, name: str) -> Ints:
    """Return the codes of a column that has a value in every row."""
    codes = history.codes[history.schema.field(name).name]
    if (codes == MISSING).any():
        raise InfeasibleError(f"the column '{name}' must have a value in every row", code="missing-value")
    return codes
