"""The RFM table of a shop: how recently, how often and for how much each customer bought (spec A.3.3, B.10.3).

Each customer falls into one of 10 x 10 x 10 cells; the table counts customers per cell. Two tables are compared as
wholes, so pseudonyms do not matter.

>>> table = rfm_table([0, 0, 1], [15000, 15200, 15200], [1, 2, 3], [10_00, 250_00, 5_00])
>>> table.sum(), table[rfm_ranks(15200, 2, 260_00)]
(np.int64(2), np.int64(1))
"""

from __future__ import annotations

from datetime import date

import numpy as np
import numpy.typing as npt

from tokumei.array_types import Ints

_EPOCH = date(1970, 1, 1)
_RECENCY_DATES = (
    date(2011, 3, 27),
    date(2011, 6, 19),
    date(2011, 8, 28),
    date(2011, 10, 2),
    date(2011, 10, 23),
    date(2011, 11, 13),
    date(2011, 11, 20),
    date(2011, 11, 27),
    date(2011, 12, 4),
)
# Days since 1970/1/1, invoices, pence: the PWS Cup 2016 paper's deciles of the whole shop.
RECENCY_THRESHOLDS: Ints = np.array([(day - _EPOCH).days for day in _RECENCY_DATES])
FREQUENCY_THRESHOLDS: Ints = np.arange(2, 11)
MONETARY_THRESHOLDS: Ints = np.array([200, 300, 400, 500, 700, 1000, 1400, 2100, 3700]) * 100


def rfm_ranks(last_day: npt.ArrayLike, invoices: npt.ArrayLike, pence: npt.ArrayLike) -> Ints:
    """Return the cell (0 to 999) of each customer: a rank is the number of thresholds that are reached."""
    recency = np.searchsorted(RECENCY_THRESHOLDS, last_day, side="right")
    frequency = np.searchsorted(FREQUENCY_THRESHOLDS, invoices, side="right")
    monetary = np.searchsorted(MONETARY_THRESHOLDS, pence, side="right")
    return (recency * 100 + frequency * 10 + monetary).astype(np.int64)


def rfm_table(customer: npt.ArrayLike, day: npt.ArrayLike, invoice: npt.ArrayLike, pence: npt.ArrayLike) -> Ints:
    """Return the number of customers in each of the 1,000 cells, from one entry per record."""
    who, when = np.asarray(customer, dtype=np.int64), np.asarray(day, dtype=np.int64)
    order = np.lexsort((np.asarray(invoice, dtype=np.int64), who))
    who, when = who[order], when[order]
    bill, paid = np.asarray(invoice, dtype=np.int64)[order], np.asarray(pence, dtype=np.int64)[order]
    if len(who) == 0:
        return np.zeros(1000, dtype=np.int64)
    new_customer = np.diff(who, prepend=who[0] - 1) != 0
    first = np.flatnonzero(new_customer)
    new_invoice = new_customer | (np.diff(bill, prepend=bill[0]) != 0)
    invoices = np.add.reduceat(new_invoice.astype(np.int64), first)
    return rfm_table_of_customers(np.maximum.reduceat(when, first), invoices, np.add.reduceat(paid, first))


def rfm_table_of_customers(last_day: npt.ArrayLike, invoices: npt.ArrayLike, pence: npt.ArrayLike) -> Ints:
    """Return the number of customers in each of the 1,000 cells, from one entry per customer."""
    return np.bincount(rfm_ranks(last_day, invoices, pence), minlength=1000).astype(np.int64)


def rfm_distance(table: Ints, other: Ints) -> float:
    """Return the Euclidean distance of two tables; divide by sqrt(1000) for the RMSE of 2016."""
    return float(np.sqrt(((table - other).astype(np.float64) ** 2).sum()))
