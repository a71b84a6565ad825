"""Synthetic purchases: customers with tastes and habits buy in a shop for a year (columns of the 2018 T, spec B.2).

How a history comes about
    1. A customer has an activity (how many baskets), a basket size, a scale of quantities and a liking for a few
       themes of the catalogue. Activity is heavy-tailed and drawn one per stratum, so that every thousand customers
       has its few with thousands of records.
    2. Baskets fall on open days; each has a number of records.
    3. A record either repeats one of the customer's earlier records (chosen uniformly, so what was bought often is
       bought more often) or is a new draw, from a liked theme or from the whole catalogue as it sells that month.
       Repetition is resolved for all records at once: every record points to an earlier one or to itself, and
       pointers are followed by doubling.
    4. The quantity follows from the customer's scale, the price and the pack through the marginal distribution of
       quantities; the price from the goods, with a reduction for large quantities and changes during the year.

Shape
    Compared with the real T of 2018 by ``tests/read/test_synthetic_purchases.py``, for 1,000 customers
    (middle of five seeds; about one seed in fifteen has a figure beyond its tolerance, mostly in the tails).

    =====================================================  =====================
    record-count quantiles 10, 25, 50, 75, 90, 99 %        within 30 %, or 2
    share of records of the top 1 % of customers           within 0.05
    share of records of the top 10 and 100 goods           within 0.02
    goods Zipf exponent over ranks 10 to 500               within 0.08
    price quantiles (same levels)                          within 25 %
    quantity quantiles (same levels)                       within 35 %, or 1
    records per (customer, date), same levels              within 25 %, or 1
    weekday shares of records (no Saturday)                within 0.04
    month shares of records                                within 0.03
    repeated goods among later records                     within 0.06
    nearest other customer (Jaccard of goods), 10 to 90 %  within 0.04
    customers alone with some goods, price and quantity    within 0.12
    variance of log price between goods                    within 0.03
    variance of log quantity between customers             within 0.10
    correlation of log price and log quantity              within 0.10
    =====================================================  =====================
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri

from tokumei.array_types import Floats, Ints
from tokumei.synth.blocks import Block, blocks, draw, resolve_seed, stratified, world_rng
from tokumei.synth.shop import FIRST_DAY, Calendar, Catalogue, make_calendar, make_catalogue

FIRST_CUSTOMER = 12001
LAST_DAY = date(2011, 11, 30)

# Quantities and the share of records that have at most this quantity.
_QUANTITIES: tuple[tuple[int, float], ...] = (
    (1, 0.184), (2, 0.334), (3, 0.400), (4, 0.480), (5, 0.500), (6, 0.596), (7, 0.599), (8, 0.628), (9, 0.631),
    (10, 0.687), (12, 0.834), (15, 0.836), (16, 0.846), (18, 0.850), (20, 0.863), (24, 0.922), (25, 0.935),
    (30, 0.938), (32, 0.941), (36, 0.950), (40, 0.953), (48, 0.968), (50, 0.971), (60, 0.9725), (72, 0.978),
    (80, 0.979), (96, 0.983), (100, 0.988), (120, 0.990), (144, 0.993), (192, 0.9945), (200, 0.9955), (240, 0.9966),
    (288, 0.9976), (360, 0.998), (480, 0.9988), (576, 0.9992), (600, 0.9994), (1000, 0.9997), (1440, 0.9999),
    (2880, 1.0),
)  # fmt: skip


_PACKS = np.array([1, 2, 3, 4, 6, 12, 24, 48])


@dataclass(frozen=True, slots=True, eq=False)
class Purchases:
    """The records of one block as arrays, in order of time; ``basket`` numbers baskets in that order from zero."""

    customer: Ints
    basket: Ints
    day: Ints
    minute: Ints
    goods: Ints
    price: Ints
    quantity: Ints
    catalogue: Catalogue

    @property
    def dates(self) -> pl.Series:
        """The days as dates."""
        epoch_day = (FIRST_DAY - date(1970, 1, 1)).days
        return pl.Series("date", self.day + epoch_day).cast(pl.Int32).cast(pl.Date)

    def frame(self) -> pl.DataFrame:
        """Return the five columns of the 2018 T."""
        return pl.DataFrame(
            {
                "customer": self.customer + FIRST_CUSTOMER,
                "date": self.dates,
                "goods": self.catalogue.ids[self.goods],
                "price": self.price / 100.0,
                "quantity": self.quantity,
            }
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Customers:
    """What a block's customers are like, one value per customer."""

    number: Ints
    baskets: Ints
    basket_size: Floats
    scale: Floats
    loyalty: Floats
    themes: Ints
    focus: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Baskets:
    """Baskets sorted by customer and time; ``open_day`` is a position in the calendar."""

    customer: Ints
    open_day: Ints
    minute: Ints
    records: Ints


def generate_purchases(subjects: int, *, seed: int | None = None) -> Iterator[pl.DataFrame]:
    """Yield purchases in blocks of customers: customer, date, goods, price, quantity, in order of time in a block.

    The same seed gives the same blocks; without one the operating system's entropy is used.

    >>> first = next(generate_purchases(2, seed=1))
    >>> first.columns
    ['customer', 'date', 'goods', 'price', 'quantity']
    """
    for purchases in purchase_blocks(subjects, resolve_seed(seed), LAST_DAY):
        yield purchases.frame()


def purchase_blocks(subjects: int, seed: int, last_day: date) -> Iterator[Purchases]:
    """Yield the purchases of each block of customers as arrays."""
    rng = world_rng(seed)
    calendar = make_calendar(last_day, rng)
    catalogue = make_catalogue(calendar.months, rng)
    for block in blocks(subjects, seed):
        customers = _customers(block, catalogue)
        baskets = _baskets(customers, calendar, block.rng)
        yield _records(customers, baskets, calendar, catalogue, block.rng)


def _customers(block: Block, catalogue: Catalogue) -> _Customers:
    """Draw what the customers are like."""
    rng, size = block.rng, block.size
    activity = ndtri(stratified(rng, size))
    rate = np.exp(0.08 + 1.34 * activity)
    baskets = 1 + rng.poisson(np.minimum(rate, 150.0))
    return _Customers(
        number=block.numbers,
        baskets=baskets.astype(np.int64),
        basket_size=_basket_sizes(baskets, ndtri(stratified(rng, size))),
        scale=ndtri(stratified(rng, size)) / (1.0 + baskets / 80.0),
        loyalty=rng.beta(1.6, 3.8, size),
        themes=catalogue.segments[rng.integers(0, len(catalogue.segments), size)],
        focus=rng.beta(1.3, 1.6, size),
    )


def _basket_sizes(baskets: Ints, liking: Floats) -> Floats:
    """Return the customers' typical basket: larger but less different for the very active, so that none dominates."""
    level = 2.69 + 0.06 * np.log(baskets) + 0.5 * (np.minimum(baskets, 120) / 100.0) ** 2
    return np.exp(level + 0.68 / (1.0 + baskets / 20.0) * liking)


def _baskets(customers: _Customers, calendar: Calendar, rng: np.random.Generator) -> _Baskets:
    """Draw when the customers buy and how much at a time."""
    customer = np.repeat(np.arange(len(customers.number)), customers.baskets)
    open_day = draw(rng.uniform(size=len(customer)), calendar.weight)
    minute = np.clip(np.rint(rng.normal(12.9 * 60, 2.2 * 60, len(customer))), 7 * 60, 20 * 60).astype(np.int64)
    order = np.lexsort((minute, open_day, customer))
    customer, open_day, minute = customer[order], open_day[order], minute[order]
    mean = customers.basket_size[customer] * calendar.basket_factor[open_day]
    size = np.rint(mean * rng.lognormal(0.0, 0.6, len(customer)))
    small = rng.uniform(size=len(customer)) < 0.07
    size = np.where(small, rng.integers(1, 5, len(customer)), np.clip(size, 1, 550))
    return _Baskets(customer, open_day, minute, size.astype(np.int64))


def _records(
    customers: _Customers, baskets: _Baskets, calendar: Calendar, catalogue: Catalogue, rng: np.random.Generator
) -> Purchases:
    """Fill the baskets and put the records in order of time."""
    basket = np.repeat(np.arange(len(baskets.records)), baskets.records)
    customer = baskets.customer[basket]
    open_day = baskets.open_day[basket]
    goods = _goods(customers, baskets, basket, calendar, catalogue, rng=rng)
    quantity = _quantities(customers.scale[customer], catalogue, goods, rng)
    price = _prices(catalogue, goods, quantity, calendar.day[open_day], rng)
    in_time = np.lexsort((baskets.customer, baskets.minute, baskets.open_day))
    place = np.empty_like(in_time)
    place[in_time] = np.arange(len(in_time))
    order = np.argsort(place[basket], kind="stable")
    return Purchases(
        customer=customers.number[customer[order]],
        basket=place[basket[order]],
        day=calendar.day[open_day[order]],
        minute=baskets.minute[basket[order]],
        goods=goods[order],
        price=price[order],
        quantity=quantity[order],
        catalogue=catalogue,
    )


def _goods(
    customers: _Customers,
    baskets: _Baskets,
    basket: Ints,
    calendar: Calendar,
    catalogue: Catalogue,
    *,
    rng: np.random.Generator,
) -> Ints:
    """Choose the goods of every record: an earlier record's, or new ones after taste and season."""
    total = len(basket)
    customer = baskets.customer[basket]
    basket_start = np.concatenate(([0], np.cumsum(baskets.records)))[:-1]
    history_start = basket_start[np.searchsorted(baskets.customer, np.arange(len(customers.number)))]
    month = calendar.month[baskets.open_day[basket]]
    liked = customers.themes[customer, rng.integers(0, customers.themes.shape[1], total)]
    theme = np.where(rng.uniform(size=total) < customers.focus[customer], liked, -1)
    fresh = catalogue.draw(rng.uniform(size=total), month, theme)
    start = history_start[customer]
    earlier = basket_start[basket] - start
    pointed = start + np.floor(rng.uniform(size=total) * earlier).astype(np.int64)
    repeats = (rng.uniform(size=total) < customers.loyalty[customer]) & (earlier > 0)
    source = np.where(repeats, pointed, np.arange(total))
    while not np.array_equal(following := source[source], source):
        source = following
    return _without_doubles(fresh[source], basket, month, catalogue, rng)


def _without_doubles(goods: Ints, basket: Ints, month: Ints, catalogue: Catalogue, rng: np.random.Generator) -> Ints:
    """Replace most goods that a basket holds a second time by others: people rarely list a thing twice."""
    key = basket * len(catalogue.price) + goods
    order = np.argsort(key, kind="stable")
    again = order[1:][key[order[1:]] == key[order[:-1]]]
    again = again[rng.uniform(size=len(again)) < 0.85]
    goods[again] = catalogue.draw(rng.uniform(size=len(again)), month[again], np.full(len(again), -1))
    return goods


def _quantities(scale: Floats, catalogue: Catalogue, goods: Ints, rng: np.random.Generator) -> Ints:
    """Return quantities: large for large customers, cheap goods and large packs."""
    log_price = np.log(catalogue.price[goods] / 195.0) / 0.95
    typical = 0.28 * catalogue.pack[goods] - 0.44 * log_price
    values, shares = (np.array(column) for column in zip(*_QUANTITIES, strict=True))
    asked = values[np.searchsorted(shares, ndtr(typical + 0.76 * scale + 0.40 * rng.normal(size=len(goods))))]
    pack = _PACKS[
        np.searchsorted(_PACKS, values[np.searchsorted(shares, ndtr(typical + 0.2))]).clip(max=len(_PACKS) - 1)
    ]
    near = (asked > 0.55 * pack) & (asked < 1.9 * pack)
    return np.where(near, pack, asked).astype(np.int64)


def _prices(catalogue: Catalogue, goods: Ints, quantity: Ints, day: Ints, rng: np.random.Generator) -> Ints:
    """Return prices in hundredths: the goods' price, reduced for bulk, lower before a change, raised for singles."""
    price = np.where(day < catalogue.change_day[goods], catalogue.old_price[goods], catalogue.price[goods])
    bulk = quantity * price / 100.0 >= catalogue.bulk_value[goods]
    price = np.where(bulk, catalogue.bulk_price[goods], price)
    single = (quantity <= 3) & (rng.uniform(size=len(goods)) < 0.03)
    return np.where(single, np.rint(catalogue.price[goods] * 2.36), price).astype(np.int64)
