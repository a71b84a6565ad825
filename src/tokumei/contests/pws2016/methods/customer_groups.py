"""k-anonymity of master and transactions together: k customers are published alike, as a mixture of all of them.

The files of 2016 hold single values, so that nothing can be generalized. Customers are put into groups of at least k
who are alike (country and sex first, then what they spent, how many rows they have and when they came last; MDAV,
Domingo-Ferrer and Torra 2005). All members of a group are published with the same master row (the commonest sex and
country, the mean birthday) and the same transactions (equally many of every member, together as many as a member has
on average), each under a pseudonym of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.contests.pws2016.methods.master_pseudonyms import MasterMethod, Streams, owners_of
from tokumei.contests.pws2016.shop import Shop, shop_of
from tokumei.data import Cells, History, RangeCells, Release, Secret, SetCells, distinct
from tokumei.errors import InfeasibleError
from tokumei.methods import keyed_pseudonyms, mdav_groups
from tokumei.parts import parameter

# A different country or sex moves a customer to another cell of cmae: farther than any purchase.
COUNTRY, SEX = 20.0, 10.0


@dataclass(frozen=True, kw_only=True)
class CustomerGroups(MasterMethod):
    """Groups of at least k customers published alike, in the master and in the transactions.

    Protects against everybody who knows M, T and this program: within a group nothing differs but the pseudonym, so
    that no attack names the owner of a row of M' with more than 1 over the size of its group, on average 1/k.

    Does not hide transactions: those that are shown are true, and whoever knows one of a customer sees which group it
    is in. Several rows of a group fall together.
    """

    name: ClassVar[str] = "ano-groups"
    summary: ClassVar[str] = "k customers published alike: one master row and one mixture of their transactions"
    source: ClassVar[str] = "own; MDAV after Domingo-Ferrer and Torra (2005)"

    k: int = parameter(2, "members of a group at least", low=2)
    length: int = parameter(16, "hexadecimal digits of a pseudonym", low=8, high=64)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return M' and T' in a random order of the customers."""
        shop = shop_of(history)
        if shop.customers < self.k:
            message = (
                f"'{self.name}' with k = {self.k} needs at least {self.k} customers, the master has {shop.customers}; "
                "lower k or add customers"
            )
            raise InfeasibleError(message)
        streams = Streams.split(rng)
        groups = mdav_groups(customer_features(shop).T, self.k)
        shared, bounds = shared_transactions(shop, groups, streams.shown)
        order = streams.order.permutation(shop.customers).astype(np.int64)
        names = keyed_pseudonyms(shop.master["customer"], streams.key, length=self.length)
        sizes = np.diff(bounds)[groups[order]]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows = shared[np.repeat(bounds[groups[order]], sizes) + within]
        shown_as = np.repeat(order, sizes)
        people = Release(shop.people.schema, names[order], _master_cells(shop.people, groups, order), self.name)
        release = self._published(history, rows, names[shown_as], people)
        owners = owners_of(names[order], shop.master["customer"][order])
        return release, Secret(owners, np.where(shop.owner[rows] == shown_as, rows, -1), streams.key, people=order)


def customer_features(shop: Shop) -> Floats:
    """Return what makes customers alike, one row each: standardized purchases, and far apart what cells are made of."""
    known = shop.owner >= 0
    owner = shop.owner[known]
    last = np.full(shop.customers, float(shop.day.min(initial=0)))
    np.maximum.at(last, owner, shop.day[known].astype(np.float64))
    purchases = np.stack([np.log1p(shop.totals), np.log1p(shop.counts), last], axis=1)
    spread = purchases.std(axis=0)
    purchases = (purchases - purchases.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    parts = [purchases]
    for name, weight in (("country", COUNTRY), ("sex", SEX)):
        codes = shop.people.codes[name]
        parts.append(weight * (codes[:, None] == distinct(codes)[None, :]))
    return np.concatenate(parts, axis=1)


def shared_transactions(shop: Shop, groups: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return the transactions that every group shows, and where those of each begin.

    Of every member as many as possible up to the k-th part of a member's mean number, at random; in random order.
    """
    count = int(groups.max()) + 1
    known = np.flatnonzero(shop.owner >= 0)
    size = np.bincount(groups, minlength=count)
    mean = np.bincount(groups, shop.counts, count) / size
    share = np.ceil(mean / size).astype(np.int64)
    mixed = known[rng.permutation(len(known))]
    order = mixed[np.argsort(shop.owner[mixed], kind="stable")]
    owner = shop.owner[order]
    rank = np.arange(len(order)) - np.searchsorted(owner, owner)
    chosen = order[rank < share[groups[owner]]]
    chosen = rng.permutation(chosen)
    chosen = chosen[np.argsort(groups[shop.owner[chosen]], kind="stable")]
    bounds = np.searchsorted(groups[shop.owner[chosen]], np.arange(count + 1))
    return chosen, bounds


def _master_cells(people: History, groups: Ints, order: Ints) -> dict[str, Cells]:
    """Return the master cells of every group for these customers: the commonest category, the mean date."""
    count = int(groups.max()) + 1
    cells: dict[str, Cells] = {}
    for spec in people.schema.fields:
        codes = people.codes[spec.name]
        if spec.nominal:
            kinds = len(people.categories[spec.name])
            counts = np.bincount(groups * kinds + codes, minlength=count * kinds).reshape(count, kinds)
            cells[spec.name] = SetCells.of_values(counts.argmax(axis=1)[groups[order]], people.categories[spec.name])
            continue
        mean = np.bincount(groups, codes, count) / np.bincount(groups, minlength=count)
        cells[spec.name] = RangeCells.of_values(np.round(mean).astype(np.int64)[groups[order]])
    return cells
