"""The files of the PWS Cup contests as data: their columns, and the schemas of their histories.

2016: spec A.1. 2017: spec E. 2018: spec B.2. 2021: spec D.1 and D.2. No file has a header, none uses quotation marks.
A time of day is a category, since no kind orders it; the 0/1 flags of 2021 are categories too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tokumei.data import ROW_SUBJECT, SLASH_DATE, Column, Kind, Schema
from tokumei.errors import ParameterError, did_you_mean

__all__ = ["CONTEST_FILES", "PWS2016_SCHEMA", "PWS2018_SCHEMA", "PWS2021_SCHEMA", "ContestFile", "contest_file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestFile:
    """One file of a contest: what it holds, and its columns in order."""

    summary: str
    columns: tuple[str, ...]
    may_be_empty: bool = False


_DATE = Column(name="date", kind=Kind.DATE, format=SLASH_DATE)
_GOODS = Column(name="goods", kind=Kind.CATEGORY)
_PRICE = Column(name="price", kind=Kind.NUMBER, step=0.01)
_QUANTITY = Column(name="quantity", kind=Kind.NUMBER, step=1.0)

PWS2016_SCHEMA = Schema(
    "customer",
    (
        Column(name="invoice", kind=Kind.CATEGORY),
        _DATE,
        Column(name="time", kind=Kind.CATEGORY),
        _GOODS,
        _PRICE,
        _QUANTITY,
    ),
)
PWS2018_SCHEMA = Schema("customer", (_DATE, _GOODS, _PRICE, _QUANTITY))
_HEALTH = ("gen", "age", "race", "edu", "mar", "bmi", "dep", "pir", "gh", "mets", "qm", "dia")
_HEALTH_STEPS = {"age": 1.0, "bmi": 0.1, "gh": 1.0, "mets": 1.0}
PWS2021_SCHEMA = Schema(
    ROW_SUBJECT,
    tuple(
        Column(name=name, kind=Kind.NUMBER, step=_HEALTH_STEPS[name]) if name in _HEALTH_STEPS else Column(name=name)
        for name in _HEALTH
    ),
)

_MASTER = ("customer", "sex", "birthday", "country")
_SEVEN = ("customer", "invoice", "date", "time", "goods", "price", "quantity")
_FIVE = ("customer", "date", "goods", "price", "quantity")
_MONTHS = tuple(f"month_{number}" for number in range(1, 13))


def _seven(summary: str) -> ContestFile:
    return ContestFile(summary=summary, columns=_SEVEN)


def _five(summary: str, *, may_be_empty: bool = False) -> ContestFile:
    return ContestFile(summary=summary, columns=_FIVE, may_be_empty=may_be_empty)


def _health(summary: str) -> ContestFile:
    return ContestFile(summary=summary, columns=_HEALTH)


_PWS2016 = {
    "M": ContestFile(summary="master, one row per customer", columns=_MASTER),
    "T": _seven("transactions"),
    "M'": ContestFile(summary="anonymized master, one row per pseudonym", columns=_MASTER),
    "T'": _seven("anonymized transactions"),
    "P": ContestFile(summary="row of M (from 1) of every row of M'", columns=("row",)),
    "Q": ContestFile(summary="the attacker's estimate of P", columns=("row",)),
}
_PWS2017 = {
    "M": _PWS2016["M"],
    "T": _seven("transactions"),
    "AT": _seven("anonymized transactions in the order of T, deleted rows as DEL,,,,,,"),
    "S": _seven("published transactions: AT without its deleted rows, shuffled"),
    "F": ContestFile(summary="pseudonym of every customer and month, DEL for none", columns=("customer", *_MONTHS)),
}
_PWS2018 = {
    "T": _five("transactions"),
    "A": _five("anonymized transactions in the order of T, deleted rows as *,*,*,*,*"),
    "A'": _five("published transactions: A without its deleted rows, sorted", may_be_empty=True),
    "F'": ContestFile(
        summary="the attacker's customer for pseudonyms", columns=("pseudonym", "customer"), may_be_empty=True
    ),
    "R": ContestFile(summary="right guesses that make an attack effective", columns=("guesses", "threshold")),
}
_PWS2021 = {
    "B": _health("original health table"),
    "X": ContestFile(summary="rows of B (from 0) that were deleted", columns=("row",), may_be_empty=True),
    "C": _health("B without the rows of X"),
    "D": _health("C with changed values"),
    "CT": _health("test rows of B"),
    "EA": ContestFile(summary="row of D (from 0) of every test row, -1 if deleted", columns=("row",)),
    "E": ContestFile(summary="the attacker's three guesses for every test row", columns=("first", "second", "third")),
}

CONTEST_FILES: Mapping[str, Mapping[str, ContestFile]] = {
    "pws2016": _PWS2016,
    "pws2017": _PWS2017,
    "pws2018": _PWS2018,
    "pws2021": _PWS2021,
}


def contest_file(contest: str, name: str) -> ContestFile:
    """Return the description of a file; ``A1``, ``F1`` and the like are other names of ``A'``, ``F'``."""
    files = CONTEST_FILES.get(contest)
    if files is None:
        hint = did_you_mean(contest, CONTEST_FILES)
        message = f"there is no contest '{contest}'{hint}; known are {', '.join(CONTEST_FILES)}"
        raise ParameterError(message)
    found = files.get(name) or files.get(name.replace("1", "'"))
    if found is None:
        message = f"{contest} has no file '{name}'; its files are {', '.join(files)}"
        raise ParameterError(message)
    return found
