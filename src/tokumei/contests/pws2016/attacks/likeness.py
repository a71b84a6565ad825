"""How alike customers of two shops are, all with all: by sets of what they bought, and by figures of how they bought.

A *trait* is anything a customer has a set of: goods, dates, invoices. Two sets are as alike as their weighted Jaccard
index, the weight of common over that of all elements; an element weighs log((n + 1) / (b + 1)) where b of the n
original customers have it (idf), since what everybody bought tells nothing. Pairs are counted through the list of the
customers who have an element, which touches only pairs with something in common.

>>> old, new = Trait(np.array([0, 0, 1]), np.array([5, 6, 6])), Trait(np.array([0, 1]), np.array([6, 5]))
>>> add_trait(np.zeros((2, 2), dtype=np.float32), old, new).round(2).tolist()
[[0.0, 0.0], [1.0, 0.0]]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numba import njit

from tokumei.array_types import Floats, Floats32, Ints
from tokumei.contests.pws2016.shop import Shop, codes_of
from tokumei.data import distinct


@dataclass(frozen=True, eq=False, slots=True)
class Trait:
    """Which customer (row of the master) has which element; elements are coded alike in both shops."""

    customer: Ints
    element: Ints


def _both(old: pl.Series, new: pl.Series) -> tuple[Ints, Ints]:
    """Return codes of two text columns in one dictionary."""
    left, right = codes_of(old, new)
    return left, right


def _together(first: tuple[Ints, Ints], second: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Return codes of the pairs of two codes."""
    span = 1 + max(int(codes.max(initial=0)) for codes in second)
    return first[0] * span + second[0], first[1] * span + second[1]


def traits(original: Shop, published: Shop) -> dict[str, tuple[Trait, Trait]]:
    """Return what customers have by their transactions; orphans belong to nobody."""
    old, new = original.transactions, published.transactions
    coded = {name: _both(old[name], new[name]) for name in ("invoice", "goods", "time")}
    coded["day"] = (original.day, published.day)
    coded["goods and price"] = _together(coded["goods"], (original.pence, published.pence))
    coded["goods and quantity"] = _together(coded["goods"], (original.quantity, published.quantity))
    coded["day and goods"] = _together(coded["goods"], coded["day"])
    coded["day and time"] = _together(coded.pop("time"), coded["day"])
    owned = original.owner >= 0, published.owner >= 0
    return {
        name: (Trait(original.owner[owned[0]], left[owned[0]]), Trait(published.owner[owned[1]], right[owned[1]]))
        for name, (left, right) in coded.items()
    }


def master_traits(original: Shop, published: Shop) -> dict[str, tuple[Trait, Trait]]:
    """Return what customers have by their rows of the master: one element each."""
    found = {}
    for name in ("sex", "birthday", "country"):
        left, right = _both(original.master[name], published.master[name])
        found[name] = Trait(np.arange(len(left)), left), Trait(np.arange(len(right)), right)
    return found


def add_trait(likeness: Floats32, old: Trait, new: Trait, *, squared: bool = False) -> Floats32:
    """Add the weighted Jaccard index, or its square, of every published (row) and original (column) pair in place."""
    published, original = likeness.shape
    distinct, packed = np.unique(np.concatenate((old.element, new.element)), return_inverse=True)
    holders, holder_starts = _sets(packed[: len(old.element)], old.customer, len(distinct), original)
    elements, element_starts = _sets(new.customer, packed[len(old.element) :], published, len(distinct))
    weight = np.log((original + 1) / (np.diff(holder_starts) + 1))
    old_total, new_total = np.zeros(original), np.zeros(published)
    np.add.at(old_total, holders, np.repeat(weight, np.diff(holder_starts)))
    np.add.at(new_total, np.repeat(np.arange(published), np.diff(element_starts)), weight[elements])
    _add_jaccard(likeness, elements, element_starts, holders, holder_starts, weight, new_total, old_total, squared)
    return likeness


def _sets(group: Ints, member: Ints, groups: int, members: int) -> tuple[Ints, Ints]:
    """Return the distinct members of every group one after the other, and where each group begins."""
    pairs = distinct(group * max(members, 1) + member)
    starts = np.searchsorted(pairs, np.arange(groups + 1) * max(members, 1))
    return pairs % max(members, 1), starts.astype(np.int64)


@njit(cache=True)
def _add_jaccard(
    likeness: Floats32,
    elements: Ints,
    element_starts: Ints,
    holders: Ints,
    holder_starts: Ints,
    weight: Floats,
    new_total: Floats,
    old_total: Floats,
    squared: bool,
) -> None:
    published, original = likeness.shape
    common = np.zeros(original)
    for row in range(published):
        common[:] = 0.0
        for position in range(element_starts[row], element_starts[row + 1]):
            element = elements[position]
            for place in range(holder_starts[element], holder_starts[element + 1]):
                common[holders[place]] += weight[element]
        for column in range(original):
            if common[column] > 0.0:
                share = common[column] / (new_total[row] + old_total[column] - common[column])
                likeness[row, column] += share * share if squared else share


def rfm_vectors(shop: Shop, *, extended: bool = False) -> Floats:
    """Return last day, log of invoices and log of money of every customer; extended: also of records and quantity.

    A customer without transactions stands at day 0 with zeros: unlike everybody else, and like others of the kind.
    """
    owned = shop.owner >= 0
    last = np.zeros(shop.customers)
    np.maximum.at(last, shop.owner[owned], shop.day[owned])
    (invoice,) = codes_of(shop.transactions["invoice"])
    _, starts = _sets(shop.owner[owned], invoice[owned], shop.customers, int(invoice.max(initial=0)) + 1)
    figures = [np.diff(starts), shop.totals]
    if extended:
        figures += [shop.counts, shop.summed(shop.quantity)]
    return np.column_stack([last, *(np.log1p(np.maximum(figure, 0)) for figure in figures)])


def rfm_distances(original: Shop, published: Shop, *, extended: bool = False) -> Floats32:
    """Return the Euclidean distance of every published to every original vector, in spreads of the original."""
    old, new = rfm_vectors(original, extended=extended), rfm_vectors(published, extended=extended)
    spread = old.std(axis=0)
    spread[spread == 0] = 1.0
    distances = np.empty((len(new), len(old)), dtype=np.float32)
    _distances(distances, old / spread, new / spread)
    return distances


@njit(cache=True)
def _distances(distances: Floats32, old: Floats, new: Floats) -> None:
    for row in range(distances.shape[0]):
        for column in range(distances.shape[1]):
            squares = 0.0
            for figure in range(old.shape[1]):
                difference = new[row, figure] - old[column, figure]
                squares += difference * difference
            distances[row, column] = np.sqrt(squares)


def combined_likeness(original: Shop, published: Shop) -> Floats32:
    """Return the mean squared likeness, from 0 to 1, over all traits of transactions and master and the RFM vector.

    A trait that the anonymizer destroyed is equally unlike for all candidates and decides nothing. Squares favour one
    trait that fits exactly over many that fit a little: with exchanged pseudonyms (`ano-pseudonyms` on Online Retail)
    the right customers found rise from 44 % to 72 %, with noise on everything they fall from 93 % to 92 %.
    """
    likeness = ((1 + rfm_distances(original, published, extended=True)) ** -2.0).astype(np.float32, copy=False)
    found = {**traits(original, published), **master_traits(original, published)}
    for old, new in found.values():
        add_trait(likeness, old, new, squared=True)
    likeness /= len(found) + 1
    return likeness
