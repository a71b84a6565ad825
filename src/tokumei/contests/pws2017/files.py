"""The files of PWS Cup 2017 and their columns (spec E)."""

from __future__ import annotations

from collections.abc import Mapping

from tokumei.contests.reading import ContestFile

_TRANSACTIONS = ("customer", "invoice", "date", "time", "goods", "price", "quantity")
_MONTHS = tuple(f"month_{number}" for number in range(1, 13))

FILES: Mapping[str, ContestFile] = {
    "M": ContestFile(summary="master, one row per customer", columns=("customer", "sex", "birthday", "country")),
    "T": ContestFile(summary="transactions", columns=_TRANSACTIONS),
    "AT": ContestFile(
        summary="anonymized transactions in the order of T, deleted rows as DEL,,,,,,", columns=_TRANSACTIONS
    ),
    "S": ContestFile(summary="published transactions: AT without its deleted rows, shuffled", columns=_TRANSACTIONS),
    "F": ContestFile(summary="pseudonym of every customer and month, DEL for none", columns=("customer", *_MONTHS)),
}
