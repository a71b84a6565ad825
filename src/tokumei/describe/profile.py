"""The profile of raw data: how much there is, how it is spread, and how few records single a person out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.cells import MISSING
from tokumei.celltext import value_text
from tokumei.history import Field, History

__all__ = ["ColumnProfile", "Profile", "profile"]

Ints = npt.NDArray[np.int64]
QUANTILES = {"min": 0.0, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "max": 1.0}


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column in figures."""

    name: str
    kind: str
    distinct: int
    missing: int
    lowest: str
    highest: str


@dataclass(frozen=True, slots=True)
class Profile:
    """A history in figures; ``singled_out`` maps what an attacker knows to the share of subjects it singles out."""

    records: int
    subjects: int
    records_per_subject: Mapping[str, float]
    columns: tuple[ColumnProfile, ...]
    singled_out: Mapping[str, float]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "records": self.records,
            "subjects": self.subjects,
            "records_per_subject": dict(self.records_per_subject),
            "columns": [{slot: getattr(column, slot) for slot in column.__slots__} for column in self.columns],
            "singled_out": dict(self.singled_out),
        }


def profile(history: History) -> Profile:
    """Describe a history."""
    counts = history.counts()
    spread = {name: float(np.quantile(counts, at)) for name, at in QUANTILES.items()} if len(counts) else {}
    columns = tuple(_column(history, spec) for spec in history.schema.fields)
    return Profile(len(history), len(history.subjects), spread, columns, _singled_out(history))


def _column(history: History, spec: Field) -> ColumnProfile:
    codes = history.codes[spec.name]
    if spec.nominal:
        every = history.categories[spec.name]
        missing = int((every.gather(codes) == "").sum())
        values = every.filter(every != "")
        ends = [str(values[0]), str(values[-1])] if len(values) else ["", ""]
        return ColumnProfile(spec.name, spec.kind.value, len(values), missing, ends[0], ends[1])
    present = codes[codes != MISSING]
    ends = value_text([present.min(), present.max()], spec).to_list() if len(present) else ["", ""]
    distinct = len(np.unique(present))
    return ColumnProfile(spec.name, spec.kind.value, distinct, len(codes) - len(present), ends[0], ends[1])


def _singled_out(history: History) -> dict[str, float]:
    """Return, for several kinds of knowledge, the share of subjects that it fits alone."""
    subjects = len(history.subjects)
    if not subjects:
        return {}
    record = _record_ids(history, [spec.name for spec in history.schema.fields])
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


def _record_ids(history: History, names: list[str]) -> Ints:
    """Return one number per distinct record."""
    if not names:
        return np.zeros(len(history), dtype=np.int64)
    # Columns go by number: a name of the data could mean something to polars.
    frame = pl.DataFrame({str(number): history.codes[name] for number, name in enumerate(names)})
    return frame.select(pl.struct(frame.columns).rank("dense")).to_series().to_numpy().astype(np.int64)


def _subjects_with_own_value(subject: Ints, value: Ints) -> Ints:
    """Return the subjects that have a value which nobody else has."""
    pairs = pl.DataFrame({"subject": subject, "value": value}).unique()
    alone = pairs.filter(pl.len().over("value") == 1)
    return alone["subject"].unique().to_numpy()
