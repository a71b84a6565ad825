"""Plain data drawn out of generalized data, as the PWS Cup 2018 report did before it judged use cases (spec B.10.1).

A range gives a uniform value of its grid, a set a uniform element; a suppressed date, price or quantity a uniform
value between the least and the greatest of the original column, a suppressed goods a uniform goods of the original.
Deleted rows stay away and pseudonyms are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Ints
from tokumei.data import MISSING, History, RangeCells, Release, SetCells
from tokumei.errors import InputError

_ORDERED = ("date", "price", "quantity")


@dataclass(frozen=True, eq=False, slots=True)
class PlainRows:
    """Purchases without generalization: codes in steps; goods of the original's dictionary, -1 for a foreign one.

    ``goods_known`` is False where the goods was suppressed and had to be made up. An invoice is a customer's day
    (the completion of spec B.10.2).
    """

    customer: Ints
    date: Ints
    goods: Ints
    price: Ints
    quantity: Ints
    goods_known: Bools

    @classmethod
    def of_history(cls, history: History) -> PlainRows:
        """Return the original rows."""
        for name in _ORDERED:
            if (history.codes[name] == MISSING).any():
                message = (
                    f"the original has empty cells in '{name}'; use cases need complete rows, so fill or drop them"
                )
                raise InputError(message)
        known = np.ones(len(history), dtype=np.bool_)
        codes = history.codes
        return cls(history.subject, codes["date"], codes["goods"], codes["price"], codes["quantity"], known)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.customer)

    def invoice(self) -> Ints:
        """Return one code per customer and day."""
        if len(self) == 0:
            return self.customer
        first = int(self.date.min())
        return self.customer * (int(self.date.max()) - first + 1) + (self.date - first)

    def amount(self) -> Ints:
        """Return price times quantity, in pence."""
        return self.price * self.quantity


@dataclass(frozen=True, eq=False, slots=True)
class _RangeDraw:
    """A column of values of which some rows are drawn anew from ``low`` to ``high``."""

    base: Ints
    rows: Ints
    low: Ints
    high: Ints

    def draw(self, rng: np.random.Generator) -> Ints:
        values = self.base.copy()
        values[self.rows] = rng.integers(self.low, self.high, endpoint=True)
        return values


@dataclass(frozen=True, eq=False, slots=True)
class Sampler:
    """A release prepared for drawing: what is plain is kept, what is generalized is drawn again each time."""

    customer: Ints
    ranges: tuple[_RangeDraw, ...]
    set_position: _RangeDraw
    set_codes: Ints
    goods_known: Bools

    @classmethod
    def of_release(cls, history: History, release: Release) -> Sampler:
        """Prepare a release of this history (fields date, goods, price, quantity).

        Rows whose pseudonym is null count as deleted. Rows are put into an order of their content first, so that
        the draws do not depend on the order of the rows in a file.
        """
        present = np.flatnonzero(release.pseudonyms.is_not_null().to_numpy())
        release = release.take(present) if len(present) < len(release) else release
        names = release.pseudonyms.cast(pl.String)
        customer = names.rank("dense").to_numpy().astype(np.int64) - 1 if len(names) else np.empty(0, dtype=np.int64)
        keys = [key for name in ("date", "goods", "price", "quantity") for key in release.cells[name].sort_keys()]
        order = np.lexsort((*keys, customer)).astype(np.int64)
        release = release.take(order)
        ranges = tuple(_range_draw(history, release, name) for name in _ORDERED)
        position, codes, known = _set_draw(history, release)
        return cls(customer[order], ranges, position, codes, known)

    def draw(self, rng: np.random.Generator) -> PlainRows:
        """Return one sample."""
        date, price, quantity = (column.draw(rng) for column in self.ranges)
        goods = self.set_codes[self.set_position.draw(rng)]
        return PlainRows(self.customer, date, goods, price, quantity, self.goods_known)


def _range_draw(history: History, release: Release, name: str) -> _RangeDraw:
    """Prepare an ordered column."""
    cells = release.cells[name]
    if not isinstance(cells, RangeCells):
        raise InputError(f"the column '{name}' of the release holds sets; it must hold values, ranges or *")
    values = history.codes[name]
    low, high = int(values.min(initial=np.iinfo(np.int64).max)), int(values.max(initial=MISSING))
    rows = np.flatnonzero((cells.lo != cells.hi) | cells.suppressed)
    hidden = cells.suppressed[rows]
    return _RangeDraw(cells.lo, rows, np.where(hidden, low, cells.lo[rows]), np.where(hidden, high, cells.hi[rows]))


def _set_draw(history: History, release: Release) -> tuple[_RangeDraw, Ints, Bools]:
    """Prepare the goods: a draw of positions, the codes at these positions, and which rows are known."""
    cells = release.cells["goods"]
    if not isinstance(cells, SetCells):
        raise InputError("the column 'goods' of the release holds ranges; it must hold values, sets or *")
    dictionary = history.categories["goods"]
    translated = cells.categories.cast(pl.Enum(dictionary), strict=False).to_physical().cast(pl.Int64).fill_null(-1)
    own = translated.to_numpy()[cells.codes]
    # Suppressed cells draw from the whole dictionary, which stands behind the codes of the release.
    codes = np.concatenate((own, np.arange(len(dictionary)))).astype(np.int64)
    start = cells.offsets[:-1]
    rows = np.flatnonzero((cells.sizes() > 1) | cells.suppressed)
    hidden = cells.suppressed[rows]
    low = np.where(hidden, len(own), start[rows])
    high = np.where(hidden, len(codes) - 1, cells.offsets[1:][rows] - 1)
    return _RangeDraw(start, rows, low, high), codes, ~cells.suppressed
