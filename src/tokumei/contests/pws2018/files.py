"""The files of PWS Cup 2018, their columns and the schema of their records (spec B.2)."""

from __future__ import annotations

from collections.abc import Mapping

from tokumei.contests.reading import ContestFile
from tokumei.data import SLASH_DATE, Column, Kind, Schema

SCHEMA = Schema(
    "customer",
    (
        Column(name="date", kind=Kind.DATE, format=SLASH_DATE),
        Column(name="goods", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.NUMBER, step=0.01),
        Column(name="quantity", kind=Kind.NUMBER, step=1.0),
    ),
)
_FIVE = ("customer", "date", "goods", "price", "quantity")

FILES: Mapping[str, ContestFile] = {
    "T": ContestFile(summary="transactions", columns=_FIVE),
    "A": ContestFile(summary="anonymized transactions in the order of T, deleted rows as *,*,*,*,*", columns=_FIVE),
    "A'": ContestFile(
        summary="published transactions: A without its deleted rows, sorted", columns=_FIVE, may_be_empty=True
    ),
    "F'": ContestFile(
        summary="the attacker's customer for pseudonyms", columns=("pseudonym", "customer"), may_be_empty=True
    ),
    "R": ContestFile(summary="right guesses that make an attack effective", columns=("guesses", "threshold")),
}
