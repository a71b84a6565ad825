"""How alike goods are by who bought them, and how far two tables disagree on it (PWS Cup 2017 E1 to E3; spec B.10.3).

From total quantities per customer and goods a *score* is made (dozens, small quantities, bought at all); two goods are
as similar as the cosine of their columns of scores. A recommender is built on exactly these similarities, so their
distance says how much of it an anonymized table still supports.

>>> totals = total_quantities([0, 0, 1, 1], [0, 1, 0, 1], [12, 24, 12, 36])
>>> reference = item_similarities(wholesale_scores(totals), goods=2)
>>> reference.values.round(3).tolist(), similarity_distance(reference, wholesale_scores(totals))
([0.981], 0.0)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from tokumei.array_types import Bools, Floats, Ints

DOZEN = 12
DOZEN_CAP = 6


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """A sparse table customer x goods: one entry per pair that has a score, sorted by customer, then goods."""

    customer: Ints
    goods: Ints
    score: Floats

    def where(self, keep: Bools) -> Scores:
        """Return the entries under the mask."""
        return Scores(self.customer[keep], self.goods[keep], self.score[keep])


@dataclass(frozen=True, eq=False, slots=True)
class Similarities:
    """Cosines of all pairs of goods i < j with a common customer; those of i are ``offsets[i]:offsets[i + 1]``."""

    offsets: Ints
    partner: Ints
    values: Floats

    @property
    def goods(self) -> int:
        """The number of goods."""
        return len(self.offsets) - 1


def total_quantities(customer: npt.ArrayLike, goods: npt.ArrayLike, quantity: npt.ArrayLike) -> Scores:
    """Return the total quantity of each goods that each customer bought; codes below 0 are left out."""
    buyer, item = np.asarray(customer, dtype=np.int64), np.asarray(goods, dtype=np.int64)
    amount = np.asarray(quantity, dtype=np.float64)
    known = (item >= 0) & (buyer >= 0)
    if not known.all():
        buyer, item, amount = buyer[known], item[known], amount[known]
    span = int(item.max(initial=0)) + 1
    key = buyer * span + item
    order = np.argsort(key, kind="stable")
    key = key[order]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    totals = np.add.reduceat(amount[order], first) if len(first) else np.empty(0)
    pair_customer, pair_goods = np.divmod(key[first], span)
    return Scores(pair_customer, pair_goods, totals)


def wholesale_scores(totals: Scores, *, cap: int | None = DOZEN_CAP) -> Scores:
    """Return whole dozens, at most ``cap`` (E1; spec F-B4: the contest caps at 6, its report names no cap)."""
    dozens = np.floor(totals.score / DOZEN)
    if cap is not None:
        dozens = np.minimum(dozens, cap)
    return Scores(totals.customer, totals.goods, dozens).where(dozens != 0)


def retail_scores(totals: Scores) -> Scores:
    """Return quantities below a dozen; larger ones are dropped (E2)."""
    return totals.where((totals.score < DOZEN) & (totals.score != 0))


def bought_scores(totals: Scores) -> Scores:
    """Return 1 for every goods that a customer bought at all (E3)."""
    return Scores(totals.customer, totals.goods, np.ones(len(totals.score)))


def buyers_of_goods(totals: Scores, goods: int) -> Ints:
    """Return how many customers bought each goods."""
    return np.bincount(totals.goods, minlength=goods)[:goods].astype(np.int64)


def popular_goods(totals: Scores, goods: int, size: int) -> Ints:
    """Return the goods with most customers; ties: the larger code (id) first, as the 2017 program has it."""
    buyers = buyers_of_goods(totals, goods)
    codes = np.arange(goods)
    return np.lexsort((-codes, -buyers))[:size].astype(np.int64)


def restricted_scores(scores: Scores, chosen: Ints, goods: int) -> Scores:
    """Return the entries of the chosen goods, which are numbered anew in ascending order."""
    number = np.full(goods, -1, dtype=np.int64)
    number[np.sort(chosen)] = np.arange(len(chosen))
    known = scores.where(scores.goods < goods)
    renumbered = Scores(known.customer, number[known.goods], known.score)
    return renumbered.where(renumbered.goods >= 0)


def item_similarities(scores: Scores, goods: int) -> Similarities:
    """Return the cosine of every pair of goods that has a common customer."""
    table = _table(scores, goods)
    offsets = np.zeros(goods + 1, dtype=np.int64)
    np.cumsum(_count_pairs(table), out=offsets[1:])
    partner, values = _fill_pairs(table, offsets)
    return Similarities(offsets, partner, values)


def similarity_distance(reference: Similarities, scores: Scores) -> float:
    """Return the sum of differences over the reference's pairs, divided by the sum of its similarities, at most 1.

    It detects that goods bought together no longer are, or no longer in the same amounts. Pairs that only the new
    table has do not count; goods outside the reference are ignored. Without any pair the figure does not exist: NaN.
    """
    whole = float(reference.values.sum())
    if whole == 0.0:
        return float("nan")
    table = _table(scores.where(scores.goods < reference.goods), reference.goods)
    apart = _sum_of_differences(table, reference.offsets, reference.partner, reference.values)
    return min(1.0, float(apart) / whole)


class _Table(NamedTuple):
    """Scores by customers (row_start, goods, score) and by goods (column_start, customer), with 1 / norm per goods."""

    row_start: Ints
    goods: Ints
    score: Floats
    column_start: Ints
    customer: Ints
    inverse_norm: Floats


def _table(scores: Scores, goods: int) -> _Table:
    customers = int(scores.customer.max(initial=-1)) + 1
    by_goods = np.argsort(scores.goods, kind="stable")
    norm = np.sqrt(np.bincount(scores.goods, weights=scores.score**2, minlength=goods))
    return _Table(
        np.searchsorted(scores.customer, np.arange(customers + 1)).astype(np.int64),
        scores.goods,
        scores.score,
        np.searchsorted(scores.goods[by_goods], np.arange(goods + 1)).astype(np.int64),
        scores.customer[by_goods],
        np.divide(1.0, norm, out=np.zeros(goods), where=norm > 0),
    )


# The loops below walk goods in ascending order. For goods i they add, over the customers of i, the products of scores
# with all later goods of the same customer: `reached[u]` is the position of i in the row of customer u. A compiled
# loop needs one row of memory; a sparse matrix product would build and sort all pairs of both tables. Scores are
# whole numbers, so the sums are exact and do not depend on the order of the customers.


@njit(cache=True)
def _add_row(i: int, table: _Table, reached: Ints, dot: Floats) -> None:
    """Add the products of goods i with all later goods to ``dot``."""
    for position in range(table.column_start[i], table.column_start[i + 1]):
        buyer = table.customer[position]
        own = reached[buyer]
        weight = table.score[own]
        for later in range(own + 1, table.row_start[buyer + 1]):
            dot[table.goods[later]] += weight * table.score[later]
        reached[buyer] = own + 1


@njit(cache=True)
def _count_pairs(table: _Table) -> Ints:
    """Return, for each goods, with how many later goods it has a common customer."""
    count = len(table.inverse_norm)
    pairs = np.zeros(count, dtype=np.int64)
    reached = table.row_start[:-1].copy()
    dot = np.zeros(count)
    for i in range(count):
        _add_row(i, table, reached, dot)
        for j in range(i + 1, count):
            if dot[j] != 0.0:
                pairs[i] += 1
                dot[j] = 0.0
    return pairs


@njit(cache=True)
def _fill_pairs(table: _Table, offsets: Ints) -> tuple[Ints, Floats]:
    """Return the later partner and the cosine of every pair."""
    count = len(table.inverse_norm)
    partner = np.empty(offsets[-1], dtype=np.int64)
    values = np.empty(offsets[-1])
    reached = table.row_start[:-1].copy()
    dot = np.zeros(count)
    for i in range(count):
        _add_row(i, table, reached, dot)
        position = offsets[i]
        for j in range(i + 1, count):
            if dot[j] != 0.0:
                partner[position] = j
                values[position] = dot[j] * (table.inverse_norm[i] * table.inverse_norm[j])
                dot[j] = 0.0
                position += 1
    return partner, values


@njit(cache=True)
def _sum_of_differences(table: _Table, offsets: Ints, partner: Ints, values: Floats) -> float:
    """Return the sum of absolute differences between the given cosines and those of the table."""
    count = len(table.inverse_norm)
    reached = table.row_start[:-1].copy()
    dot = np.zeros(count)
    total = 0.0
    for i in range(count):
        _add_row(i, table, reached, dot)
        row = 0.0
        for position in range(offsets[i], offsets[i + 1]):
            j = partner[position]
            row += abs(values[position] - dot[j] * (table.inverse_norm[i] * table.inverse_norm[j]))
        dot[i + 1 :] = 0.0
        total += row
    return total
