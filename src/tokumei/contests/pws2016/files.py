"""The files of PWS Cup 2016 and their columns (spec A.1)."""

from __future__ import annotations

from collections.abc import Mapping

from tokumei.contests.reading import ContestFile
from tokumei.data import SLASH_DATE, Column, Kind, Schema

MASTER_COLUMNS = ("customer", "sex", "birthday", "country")
TRANSACTION_COLUMNS = ("customer", "invoice", "date", "time", "goods", "price", "quantity")
# A time of day is a category, since no kind orders it.
SCHEMA = Schema(
    "customer",
    (
        Column(name="invoice", kind=Kind.CATEGORY),
        Column(name="date", kind=Kind.DATE, format=SLASH_DATE),
        Column(name="time", kind=Kind.CATEGORY),
        Column(name="goods", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.NUMBER, step=0.01),
        Column(name="quantity", kind=Kind.NUMBER, step=1.0),
    ),
)

FILES: Mapping[str, ContestFile] = {
    "M": ContestFile(summary="master, one row per customer", columns=MASTER_COLUMNS),
    "T": ContestFile(summary="transactions", columns=TRANSACTION_COLUMNS),
    "M'": ContestFile(summary="anonymized master, one row per pseudonym", columns=MASTER_COLUMNS),
    "T'": ContestFile(summary="anonymized transactions", columns=TRANSACTION_COLUMNS),
    "P": ContestFile(summary="row of M (from 1) of every row of M'", columns=("row",)),
    "Q": ContestFile(summary="the attacker's estimate of P", columns=("row",)),
}
