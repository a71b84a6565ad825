"""The files of PWS Cup 2016 and their columns (spec A.1)."""

from __future__ import annotations

from collections.abc import Mapping

from tokumei.contests.reading import ContestFile

__all__ = ["FILES"]

_MASTER = ("customer", "sex", "birthday", "country")
_TRANSACTIONS = ("customer", "invoice", "date", "time", "goods", "price", "quantity")

FILES: Mapping[str, ContestFile] = {
    "M": ContestFile(summary="master, one row per customer", columns=_MASTER),
    "T": ContestFile(summary="transactions", columns=_TRANSACTIONS),
    "M'": ContestFile(summary="anonymized master, one row per pseudonym", columns=_MASTER),
    "T'": ContestFile(summary="anonymized transactions", columns=_TRANSACTIONS),
    "P": ContestFile(summary="row of M (from 1) of every row of M'", columns=("row",)),
    "Q": ContestFile(summary="the attacker's estimate of P", columns=("row",)),
}
