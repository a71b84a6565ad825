"""The profile of raw data: how much there is, how it is spread, and how few records single a person out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import MISSING, Field, History, Kind, value_text
from tokumei.profiles.known_records import dense_keys

# Steps of a day.
DAY_LENGTH = {Kind.DATE: 1, Kind.DATETIME: 86_400}
QUANTILES = {"min": 0.0, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "max": 1.0}


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column in figures; names have no order, so that none of them is the lowest or the highest."""

    name: str
    kind: str
    distinct: int
    missing: int
    lowest: str
    highest: str


@dataclass(frozen=True, slots=True)
class Profile:
    """A history in figures; ``singled_out`` maps what an attacker knows to the share of subjects it singles out.

    ``days_per_subject`` has for every date column the quantiles of the days from a subject's first record to its last.
    """

    records: int
    subjects: int
    records_per_subject: Mapping[str, float]
    columns: tuple[ColumnProfile, ...]
    singled_out: Mapping[str, float]
    days_per_subject: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "records": self.records,
            "subjects": self.subjects,
            "records_per_subject": dict(self.records_per_subject),
            "columns": [{slot: getattr(column, slot) for slot in column.__slots__} for column in self.columns],
            "singled_out": dict(self.singled_out),
            "days_per_subject": {name: dict(spread) for name, spread in self.days_per_subject.items()},
        }


def profile(history: History) -> Profile:
    """Describe a history."""
    counts = history.counts()
    columns = tuple(_column(history, spec) for spec in history.schema.fields)
    days = {spec.name: _days(history, spec) for spec in history.schema.fields if spec.kind in DAY_LENGTH}
    return Profile(len(history), len(history.subjects), spread_of(counts), columns, _singled_out(history), days)


def spread_of(values: npt.NDArray[Any]) -> dict[str, float]:
    """Return the quantiles of some values, none if there are none."""
    return {name: float(np.quantile(values, at)) for name, at in QUANTILES.items()} if len(values) else {}


def _days(history: History, spec: Field) -> dict[str, float]:
    """Return the quantiles of the days between a subject's first and last date; who has no date is left out."""
    codes = history.codes[spec.name]
    dated = codes != MISSING
    subject, present = history.subject[dated], codes[dated]
    first = np.full(len(history.subjects), np.iinfo(np.int64).max)
    last = np.full(len(history.subjects), np.iinfo(np.int64).min)
    np.minimum.at(first, subject, present)
    np.maximum.at(last, subject, present)
    some = np.unique(subject)
    return spread_of((last[some] - first[some]) / DAY_LENGTH[spec.kind])


def _column(history: History, spec: Field) -> ColumnProfile:
    codes = history.codes[spec.name]
    if spec.nominal:
        every = history.categories[spec.name]
        missing = int((every[codes] == "").sum())
        values = every.filter(every != "")
        return ColumnProfile(spec.name, spec.kind.value, len(values), missing, "", "")
    present = codes[codes != MISSING]
    ends = (int(present.min()), int(present.max())) if len(present) else None
    return column_profile(spec, len(np.unique(present)), len(codes) - len(present), ends)


def column_profile(spec: Field, distinct: int, missing: int, ends: tuple[int, int] | None) -> ColumnProfile:
    """Return the figures of an ordered column; ``ends`` are its lowest and highest code, None if it has no values."""
    lowest, highest = ("", "") if ends is None else value_text(list(ends), spec).to_list()
    return ColumnProfile(spec.name, spec.kind.value, distinct, missing, lowest, highest)


def _singled_out(history: History) -> dict[str, float]:
    """Return, for several kinds of knowledge, the share of subjects that it fits alone."""
    subjects = len(history.subjects)
    if not subjects:
        return {}
    record = dense_keys(history, [spec.name for spec in history.schema.fields])
    known = {
        "number of records": history.counts(),
        "one whole record": None,
        **{f"one value of {spec.name}": None for spec in history.schema.fields},
    }
    result = {}
    for what, key in known.items():
        if key is not None:
            _, inverse, sizes = np.unique(key, return_inverse=True, return_counts=True)
            result[what] = float((sizes[inverse] == 1).mean())
            continue
        values = record if what == "one whole record" else history.codes[what.removeprefix("one value of ")]
        result[what] = len(_subjects_with_own_value(history.subject, values)) / subjects
    return result


def _subjects_with_own_value(subject: Ints, value: Ints) -> Ints:
    """Return the subjects that have a value which nobody else has."""
    pairs = pl.DataFrame({"subject": subject, "value": value}).unique()
    alone = pairs.filter(pl.len().over("value") == 1)
    return alone["subject"].unique().to_numpy()
