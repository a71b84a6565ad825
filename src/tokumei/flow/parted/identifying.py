"""The gate of data that is not held: columns that name people, found from counts of all records.

Of every batch, of every field: the least and the greatest code of each subject, the least and the greatest subject of
each code, and how many records repeat the id of their subject. That is enough to know who has one value only and which
values have one owner; how many pairs of a subject and a value there are is counted only where it can decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Bools, Ints
from tokumei.data import MISSING, Field, History, Survey, value_text
from tokumei.engine import UNIT
from tokumei.flow.gate import refuse_copied_ids, refuse_suspects
from tokumei.profiles import Suspect, ValueSpread, looked_at, number_span, some_owned, some_values, suspected

# So many values of a column, or pairs of them and subjects, are held at once; of values more are not shown as text.
HELD = 5_000_000
_SHOWN = 1_000_000
_MIXER, _MIXED_BITS = 0x9E3779B97F4A7C15, 33


def batch_tally(history: History, survey: Survey) -> dict[str, npt.NDArray[Any]]:
    """Return what a batch, coded as the whole is, tells of its fields, as named arrays."""
    arrays: dict[str, npt.NDArray[Any]] = {}
    copies = []
    for number, spec in enumerate(survey.schema.fields):
        codes = history.codes[spec.name]
        present = _present(codes, spec, survey)
        frame = pl.DataFrame({"code": codes[present], "subject": history.subject[present]})
        values = _ends(frame, "code", "subject")
        copies.append(_copies(values["code"], frame, spec, survey))
        if looked_at(spec, survey.schema):
            subjects = _ends(frame, "subject", "code")
            for name, table in (("values", values), ("subjects", subjects)):
                arrays[f"{name}-{number}"] = table.to_numpy().T.copy()
    return arrays | {"copies": np.array(copies)}


def _present(codes: Ints, spec: Field, survey: Survey) -> Bools:
    if not spec.nominal:
        return codes != MISSING
    empty = survey.categories[spec.name].index_of("")
    return np.ones(len(codes), dtype=np.bool_) if empty is None else codes != empty


def _ends(frame: pl.DataFrame, key: str, of: str) -> pl.DataFrame:
    return frame.group_by(key).agg(pl.col(of).min().alias("low"), pl.col(of).max().alias("high")).sort(key)


def _copies(values: pl.Series, frame: pl.DataFrame, spec: Field, survey: Survey) -> int:
    """Return how many records have the id of their subject as their value."""
    texts = _texts(values.to_numpy(), spec, survey)
    place = survey.subjects.search_sorted(texts).to_numpy().astype(np.int64)
    found = np.minimum(place, len(survey.subjects) - 1)
    owner = np.where((survey.subjects[found] == texts).to_numpy(), found, -1)
    if not (owner >= 0).any():
        return 0
    named = pl.DataFrame({"code": values, "subject": owner})
    return frame.join(named, on=["code", "subject"], how="semi").height


def _texts(codes: Ints, spec: Field, survey: Survey) -> pl.Series:
    texts = survey.categories[spec.name][codes] if spec.nominal else value_text(codes, spec)
    return texts.cast(pl.String)


@dataclass(frozen=True, eq=False)
class Tallies:
    """The tallies of all batches, in files, and the coded records that they were taken of."""

    files: Sequence[Path]
    coded: Sequence[Path]
    survey: Survey

    def refuse(self, allow: Sequence[str]) -> None:
        """Raise LeakError for a column that repeats ids, or that seems to name people and is not allowed by name."""
        refuse_suspects(self.suspects(), allow)
        copies = sum(self._read("copies"))
        for spec, copied in zip(self.survey.schema.fields, np.asarray(copies).tolist(), strict=True):
            refuse_copied_ids(spec.name, copied, self.survey.records)

    def suspects(self) -> Iterator[Suspect]:
        """Yield the columns that seem to name people."""
        schema = self.survey.schema
        for number, spec in enumerate(schema.fields):
            if looked_at(spec, schema):
                yield from suspected(spec, schema, self.spread(number, spec), self.survey.subjects)

    def spread(self, number: int, spec: Field) -> ValueSpread:
        """Return how the values of a field are spread over all people."""
        first, last = self._ends_of_subjects(number)
        present = first <= last
        owns = np.zeros(len(first), dtype=np.bool_)
        distinct = lone = 0
        shown, owned = [], []
        chunks = max(1, -(-sum(self._sizes(number)) // HELD))
        for chunk in range(chunks):
            values = self._values(number, chunk, chunks)
            alone = values.filter(pl.col("low") == pl.col("high"))
            owns[alone["low"].to_numpy()] = True
            distinct, lone = distinct + len(values), lone + len(alone)
            shown.append(values["code"].gather_every(max(1, len(values) * chunks // _SHOWN)))
            owned.append(alone.gather_every(max(1, len(alone) * chunks // _SHOWN)))
        pairs = pl.concat(owned)
        low, high = (int(first[present].min()), int(last[present].max())) if present.any() else (0, 0)
        return ValueSpread(
            people=len(first),
            present=int(present.sum()),
            single=int((present & (first == last)).sum()),
            owning=int(owns.sum()),
            distinct=distinct,
            lone=lone,
            pairs=self._pairs(number, spec, distinct, lone),
            values=some_values(_texts(pl.concat(shown).to_numpy(), spec, self.survey)),
            owned=some_owned(
                pl.DataFrame({"subject": pairs["low"], "value": _texts(pairs["code"].to_numpy(), spec, self.survey)})
            ),
            span=0.0 if spec.nominal else number_span(low, high, spec),
        )

    def _read(self, name: str) -> Iterator[npt.NDArray[Any]]:
        for file in self.files:
            with np.load(file) as stored:
                yield stored[name]

    def _sizes(self, number: int) -> Iterator[int]:
        return (table.shape[1] for table in self._read(f"values-{number}"))

    def _ends_of_subjects(self, number: int) -> tuple[Ints, Ints]:
        """Return the least and the greatest code of every subject; the greatest is less where there is none."""
        bounds = np.iinfo(np.int64)
        first = np.full(len(self.survey.subjects), bounds.max)
        last = np.full(len(self.survey.subjects), bounds.min)
        for subjects, low, high in self._read(f"subjects-{number}"):
            first[subjects] = np.minimum(first[subjects], low)
            last[subjects] = np.maximum(last[subjects], high)
        return first, last

    def _values(self, number: int, chunk: int, chunks: int) -> pl.DataFrame:
        """Return every value of a chunk with its least and greatest subject."""
        some = []
        for codes, low, high in self._read(f"values-{number}"):
            mixed = (codes.astype(np.uint64) * np.uint64(_MIXER)) >> np.uint64(_MIXED_BITS)
            kept = mixed % np.uint64(chunks) == chunk
            some.append(pl.DataFrame({"code": codes[kept], "low": low[kept], "high": high[kept]}))
        joined = pl.concat(some).group_by("code").agg(pl.col("low").min(), pl.col("high").max())
        return joined.sort("code")

    def _pairs(self, number: int, spec: Field, distinct: int, lone: int) -> int:
        """Return how many pairs of a subject and a value there are; at least so many where that decides nothing."""
        # A value that is not lone has two subjects at least.
        fewest = lone + 2 * (distinct - lone)
        if self.survey.schema.row_is_subject or 2 * lone <= fewest:
            return fewest
        name, chunks = str(number), max(1, -(-self.survey.records // HELD))
        missing = self.survey.categories[spec.name].index_of("") if spec.nominal else MISSING
        counted = 0
        for chunk in range(chunks):
            rows = pl.scan_parquet(list(self.coded), glob=False).filter(pl.col(UNIT) % chunks == chunk)
            held = rows if missing is None else rows.filter(pl.col(name) != missing)
            counted += held.select(UNIT, name).unique().select(pl.len()).collect(engine="streaming").item()
        return counted
