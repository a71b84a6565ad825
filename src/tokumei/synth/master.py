"""Synthetic master and transactions: the pair M and T of PWS Cup 2016 (spec A.1).

The purchases are those of `tokumei.synth.purchases` over the longer period of 2016, with the invoice and time
of every basket; the master gives each customer a sex (one man to five women), a birthday (uniform, 1960 to 1989) and a
country, nine of ten the shop's own (spec A.1.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.synth.blocks import blocks, categories, draw
from tokumei.synth.purchases import FIRST_CUSTOMER, Purchases, purchase_blocks

FIRST_INVOICE = 536365
LAST_DAY = date(2011, 12, 9)
MALE_SHARE = 1 / 6
_FIRST_BIRTHDAY = (date(1960, 1, 1) - date(1970, 1, 1)).days
_END_OF_BIRTHDAYS = (date(1990, 1, 1) - date(1970, 1, 1)).days

# Customers per ten thousand.
_COUNTRIES: tuple[tuple[str, int], ...] = (
    ("United Kingdom", 9045), ("Germany", 217), ("France", 201), ("Spain", 65), ("Belgium", 55), ("Switzerland", 46),
    ("Portugal", 44), ("Italy", 32), ("Finland", 28), ("Norway", 23), ("Australia", 21), ("Channel Islands", 21),
    ("Netherlands", 21), ("Austria", 21), ("Denmark", 18), ("Japan", 18), ("Sweden", 18), ("Cyprus", 16),
    ("Poland", 14), ("USA", 9), ("Canada", 9), ("Greece", 9), ("Israel", 7), ("EIRE", 7), ("Bahrain", 5), ("Malta", 5),
    ("United Arab Emirates", 5), ("Singapore", 2), ("Lebanon", 2), ("Czech Republic", 2), ("Lithuania", 2),
    ("European Community", 2), ("Brazil", 2), ("Saudi Arabia", 2), ("RSA", 2), ("Iceland", 2),
)  # fmt: skip


def master_rows(subjects: int, seed: int) -> Iterator[pl.DataFrame]:
    """Yield the master table alone."""
    for block in blocks(subjects, seed):
        # A generator of its own, so that the master rows do not repeat the numbers behind the purchases.
        (rng,) = block.rng.spawn(1)
        yield _master(block.numbers, rng)


def transactions(subjects: int, seed: int) -> Iterator[pl.DataFrame]:
    """Yield customer, invoice, date, time, goods, price and quantity; invoices count up with time within a block."""
    first_invoice = FIRST_INVOICE
    for purchases in purchase_blocks(subjects, seed, LAST_DAY):
        yield _transactions(purchases, first_invoice)
        first_invoice += int(purchases.basket[-1]) + 1


def _master(numbers: Ints, rng: np.random.Generator) -> pl.DataFrame:
    """Draw one master row for every customer."""
    size = len(numbers)
    names, shares = zip(*_COUNTRIES, strict=True)
    birthday = rng.integers(_FIRST_BIRTHDAY, _END_OF_BIRTHDAYS, size)
    return pl.DataFrame(
        {
            "customer": numbers + FIRST_CUSTOMER,
            "sex": categories(("f", "m"), (rng.uniform(size=size) < MALE_SHARE).astype(np.int64)),
            "birthday": pl.Series(birthday).cast(pl.Int32).cast(pl.Date),
            "country": categories(names, draw(rng.uniform(size=size), shares)),
        }
    )


def _transactions(purchases: Purchases, first_invoice: int) -> pl.DataFrame:
    """Return the seven columns of the 2016 T."""
    clock = (pl.Series(purchases.minute) * 60_000_000_000).cast(pl.Time)
    return purchases.frame().select(
        "customer",
        pl.Series("invoice", purchases.basket + first_invoice),
        "date",
        clock.alias("time"),
        "goods",
        "price",
        "quantity",
    )
