"""The values that travel between stages: Schema, History, Release, Secret, Guesses, Score, Evidence, Verdict.

A `History` holds records as integer codes. ``codes[name]`` is one int64 array per field, in file order; ``order``
sorts the records by subject and, within a subject, by their content (ties: file order), so that a kernel that walks
``order`` and ``offsets`` gives the same result whatever the order of the rows in the file.

>>> from tokumei.data import Column, Kind, Schema
>>> frame = pl.DataFrame({"who": ["b", "a", "b"], "paid": [2.5, 1.0, 0.5]})
>>> schema = Schema("who", (Column(name="paid", kind=Kind.NUMBER, step=0.5),))
>>> history = History.from_frame(frame, schema)
>>> history.subjects.to_list(), history.offsets.tolist(), history.codes["paid"][history.order].tolist()
(['a', 'b'], [0, 1, 3], [2, 1, 5])
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Bools, Floats, Ints
from tokumei.data.cell_text import cells_text, parse_values, plain_text, value_text
from tokumei.data.cells import MISSING, Cells, RangeCells, SetCells
from tokumei.data.schema import Field, Kind, Schema, refuse_patterns
from tokumei.errors import ContentError, Finding, InfeasibleError, SchemaError

# A range or a set as releases write them.
_GENERALIZED = re.compile(r"\[[^;]*;[^;]*\]|\{[^;]*(;[^;]*)+\}")
MAX_FINDINGS = 100
_BEYOND = 2**62
# 0001-01-01 and 9999-12-31, in days from 1970-01-01.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """Records of many subjects, integer-coded.

    ``people`` is an optional table with one row per subject (birthday, sex ...): a History of its own, whose subjects
    are coded as here. ``weights`` says how many people of the population every record stands for, if the schema
    declares a column of weights.
    """

    schema: Schema
    subjects: pl.Series
    subject: Ints
    codes: Mapping[str, Ints]
    categories: Mapping[str, pl.Series] = field(default_factory=dict)
    people: History | None = None
    weights: Floats | None = None

    @classmethod
    def from_frame(cls, frame: pl.DataFrame, schema: Schema, *, file: str = "table", first_line: int = 1) -> Self:
        """Code a frame (text or typed columns) after its schema; all unusable cells are reported together."""
        schema.check_against(frame.columns, file)
        names = schema.sources()
        refuse_patterns(names)
        _refuse_unusable_types(frame, names, file)
        _refuse_far_dates(frame, names, file, first_line)
        if schema.row_is_subject:
            width = len(str(max(frame.height, 1)))
            subject_text = pl.Series(np.arange(1, frame.height + 1)).cast(pl.String).str.zfill(width)
        else:
            subject_text = frame[schema.subject].cast(pl.String)
        findings, total = _missing_subjects(subject_text, schema, frame.columns, first_line)
        codes: dict[str, Ints] = {}
        categories: dict[str, pl.Series] = {}
        for spec in schema.fields:
            column = frame[spec.name]
            if spec.nominal:
                text = column.cast(pl.String).fill_null("")
                categories[spec.name] = text.unique().sort().alias(spec.name)
                codes[spec.name] = _dictionary_codes(text, categories[spec.name])
                continue
            codes[spec.name], bad = _ordered_codes(column, spec)
            total += int(bad.sum())
            position = frame.columns.index(spec.name) + 1
            for row in np.flatnonzero(bad)[:MAX_FINDINGS]:
                findings.append(_bad_value(column, spec, int(row), first_line, position))
        weights = None
        if schema.weight:
            weights, wrong = _weights(frame, schema.weight, first_line)
            findings, total = [*findings, *wrong[:MAX_FINDINGS]], total + len(wrong)
        if findings:
            raise ContentError(file, sorted(findings, key=lambda one: (one.line or 0, one.column or 0)), total=total)
        subjects = subject_text.unique().sort().alias(schema.subject)
        return cls(schema, subjects, _dictionary_codes(subject_text, subjects), codes, categories, weights=weights)

    def with_people(self, people: History) -> History:
        """Return the history with a table of people beside it; who stands only there is a subject without records."""
        if len(people) != len(people.subjects):
            message = "a table of people has one row per subject; this one has several rows of a subject"
            raise SchemaError(message)
        subjects = pl.concat([self.subjects, people.subjects.alias(self.subjects.name)]).unique().sort()

        def recoded(history: History) -> History:
            codes = _dictionary_codes(history.subjects, subjects)[history.subject]
            return replace(history, subjects=subjects, subject=codes)

        return replace(recoded(self), people=recoded(people))

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.subject)

    def __repr__(self) -> str:
        """Return the sizes alone: a log must not show people."""
        return f"History({len(self):,} records of {len(self.subjects):,} subjects)"

    @cached_property
    def order(self) -> Ints:
        """Row numbers sorted by subject, then by the record's content, then by file order."""
        keys = [self.subject, *(self.codes[spec.name] for spec in self.schema.fields)]
        return np.lexsort(packed_keys(keys)[::-1]).astype(np.int64)

    @cached_property
    def offsets(self) -> Ints:
        """Where each subject's records begin in ``order``; one more than there are subjects."""
        counts = np.bincount(self.subject, minlength=len(self.subjects))
        return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)

    def counts(self) -> Ints:
        """Return the number of records of each subject."""
        return np.diff(self.offsets)

    def take(self, rows: npt.ArrayLike) -> History:
        """Return the records at these positions, in this order; the subjects stay all."""
        index = np.asarray(rows, dtype=np.int64)
        codes = {name: column[index] for name, column in self.codes.items()}
        weights = None if self.weights is None else self.weights[index]
        return replace(self, subject=self.subject[index], codes=codes, weights=weights)

    def cells(self, name: str) -> Cells:
        """Return a field as plain cells, in file order."""
        if name in self.categories:
            return SetCells.of_values(self.codes[name], self.categories[name])
        return RangeCells.of_values(self.codes[name])

    def text(self, *, literal: bool = False) -> pl.DataFrame:
        """Return the records as canonical text, the subject first, in file order; missing values are empty."""
        subjects = self.subjects.gather(self.subject).alias(self.schema.subject)
        columns = plain_text(self.codes, self.schema.fields, self.categories, literal=literal)
        return pl.DataFrame([subjects, *columns])

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The records as a typed frame, the subject first, in file order."""
        columns = [self.subjects.gather(self.subject).alias(self.schema.subject)]
        columns += [_typed(self, spec) for spec in self.schema.fields]
        return pl.DataFrame(columns)

    def weight(self, rows: npt.ArrayLike | None = None) -> float:
        """Return what these records (default: all) weigh together: their number, unless they have survey weights."""
        index = np.arange(len(self)) if rows is None else np.asarray(rows, dtype=np.int64)
        return float(len(index)) if self.weights is None else math.fsum(self.weights[index].tolist())

    def spread(self, name: str) -> float:
        """Return the population standard deviation of an ordered field, in steps (0 if nothing is present)."""
        codes = self.codes[name]
        present = codes[codes != MISSING]
        return float(np.std(present)) if len(present) else 0.0

    def spreads(self) -> dict[str, float]:
        """Return the spread of every field of the schema."""
        return {spec.name: self.spread(spec.name) for spec in self.schema.fields}


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """What the world sees: one pseudonym and one cell per field for every published record.

    ``people`` is the published table of people, if there is one: a Release of its own, one row per pseudonym.
    ``parameters`` are those of the method, as the manifest states them.
    """

    schema: Schema
    pseudonyms: pl.Series
    cells: Mapping[str, Cells]
    method: str = ""
    people: Release | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a schema whose columns cannot stand beside the pseudonyms."""
        if not self.schema.publishable:
            self.schema.check_publishable()

    def __len__(self) -> int:
        """Return the number of published records."""
        return len(self.pseudonyms)

    def __repr__(self) -> str:
        """Return the sizes alone."""
        return f"Release({len(self):,} records under {self.pseudonyms.n_unique():,} pseudonyms)"

    def take(self, rows: npt.ArrayLike) -> Release:
        """Return the records at these positions, in this order."""
        index = np.asarray(rows, dtype=np.int64)
        cells = {name: column.take(index) for name, column in self.cells.items()}
        return replace(self, pseudonyms=self.pseudonyms.gather(index), cells=cells)

    def as_history(self) -> History:
        """Return the records as a History of pseudonyms; suppressed cells are missing values.

        Raises InfeasibleError if a cell is a range or a set.
        """
        codes: dict[str, Ints] = {}
        categories: dict[str, pl.Series] = {}
        for spec in self.schema.fields:
            cells = self.cells[spec.name]
            if not (cells.plain | cells.suppressed).all():
                message = f"the column '{spec.name}' of the release has ranges or sets, where single values are needed"
                raise InfeasibleError(message, code="generalized")
            if isinstance(cells, RangeCells):
                codes[spec.name] = np.where(cells.suppressed, MISSING, cells.lo)
            else:
                empty = pl.Series([""], dtype=pl.String)
                known = pl.concat([cells.categories.cast(pl.String), empty]).unique(maintain_order=True)
                categories[spec.name] = known.alias(spec.name)
                codes[spec.name] = np.full(len(cells), int(known.index_of("") or 0))
                codes[spec.name][cells.plain] = cells.codes
        names = self.pseudonyms.cast(pl.String)
        subjects = names.unique().sort().alias(self.schema.subject)
        history = History(self.schema, subjects, _dictionary_codes(names, subjects), codes, categories)
        return history if self.people is None else history.with_people(self.people.as_history())

    def text(self, *, literal: bool = False) -> pl.DataFrame:
        """Return the records as canonical text, the pseudonym first."""
        columns = cells_text(self.cells, self.schema.fields, literal=literal)
        return pl.DataFrame([self.pseudonyms.cast(pl.String).alias("pseudonym"), *columns])


@dataclass(frozen=True, eq=False, repr=False)
class Secret:
    """What only the publisher keeps. Its repr says nothing, so that it never enters a log by accident.

    ``owners`` maps pseudonyms to subjects (several rows for a generalized pseudonym); ``rows[i]`` is the row of the
    original from which record i of the release was made, -1 for a dummy record; ``people[i]`` says the same of row i of
    the published table of people. ``report`` is what the method tells its publisher about its steps; it is kept in no
    file.
    """

    owners: pl.DataFrame
    rows: Ints
    key: bytes | None = None
    seed: int | None = None
    people: Ints | None = None
    report: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return a fixed text."""
        return "Secret(…)"

    def take(self, rows: npt.ArrayLike) -> Secret:
        """Return the secret of the release reordered or cut to these positions."""
        return replace(self, rows=self.rows[np.asarray(rows, dtype=np.int64)])


def packed_keys(keys: Sequence[Ints]) -> list[Ints]:
    """Return fewer sort keys of the same order: neighbours share an integer as long as their spans fit into it."""
    packed: list[Ints] = []
    room = 0
    for key in keys:
        present = key[key != MISSING]
        low, high = (int(present.min()), int(present.max())) if len(present) else (0, 0)
        span = high - low + 2
        if span >= 2**62:
            packed.append(key)
            room = 2**63
            continue
        shifted = np.where(key == MISSING, 0, key - (low - 1))
        if packed and room * span < 2**63:
            packed[-1] = packed[-1] * span + shifted
            room *= span
        else:
            packed.append(shifted)
            room = span
    return packed


def _dictionary_codes(text: pl.Series, dictionary: pl.Series) -> Ints:
    """Return the position of every value in its dictionary."""
    if len(dictionary) == 0:
        return np.empty(0, dtype=np.int64)
    return text.cast(pl.Enum(dictionary)).to_physical().cast(pl.Int64).to_numpy().copy()


def _ordered_codes(column: pl.Series, spec: Field) -> tuple[Ints, Bools]:
    """Return the codes of an ordered field (missing ones marked) and which cells cannot be used."""
    if column.dtype == pl.String:
        missing = (column.is_null() | (column == "")).fill_null(value=True).to_numpy()
        codes, bad = parse_values(column, spec)
        bad &= ~missing
    else:
        missing = column.is_null().to_numpy()
        codes, bad = _typed_codes(column, spec)
    # Differences of codes must fit into 64 bits too; the least one stands for what is missing.
    bad |= ~missing & ((codes >= _BEYOND) | (codes <= -_BEYOND))
    return np.where(missing, MISSING, codes), bad


def _typed_codes(column: pl.Series, spec: Field) -> tuple[Ints, Bools]:
    """Return the codes of a typed column; a time with a zone counts as what the clock there shows."""
    if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None:
        column = column.dt.replace_time_zone(None)
    dated = column.dtype == pl.Date or isinstance(column.dtype, pl.Datetime)
    if spec.kind is Kind.DATE and dated:
        codes = column.cast(pl.Date).cast(pl.Int32).cast(pl.Int64)
    elif spec.kind is Kind.DATETIME and dated:
        codes = column.cast(pl.Datetime("ms")).cast(pl.Int64) // 1000
    elif column.dtype.is_integer() and spec.step == 1.0 and spec.kind is Kind.NUMBER:
        codes = column.cast(pl.Int64, strict=False)
        return codes.fill_null(0).to_numpy().copy(), (codes.is_null() & column.is_not_null()).to_numpy()
    elif column.dtype.is_numeric() and spec.kind is Kind.NUMBER:
        scaled = column.cast(pl.Float64) / spec.step
        usable = (scaled.is_finite() & (scaled.abs() < 2.0**53)).fill_null(value=True)
        codes = pl.select(pl.when(usable).then(scaled.round())).to_series().cast(pl.Int64)
        return codes.fill_null(0).to_numpy().copy(), ~usable.to_numpy()
    else:
        return parse_values(column.cast(pl.String), spec)
    return codes.fill_null(0).to_numpy().copy(), np.zeros(len(column), dtype=np.bool_)


def _refuse_unusable_types(frame: pl.DataFrame, names: Sequence[str], file: str) -> None:
    """Raise SchemaError if a column holds lists, bytes or the like (Parquet files may)."""
    for name in names:
        dtype = frame[name].dtype
        if dtype.is_nested() or dtype in (pl.Binary, pl.Duration, pl.Object):
            kind = str(dtype.base_type()).lower()
            message = (
                f"{file}: the column '{name}' holds {kind} data, which no kind describes; "
                f'drop it in the schema ("{name}" = {{ drop = true }}) or convert it to text'
            )
            raise SchemaError(message, file=file)


def _refuse_far_dates(frame: pl.DataFrame, names: Sequence[str], file: str, first_line: int) -> None:
    """Raise ContentError if a typed date lies outside the calendar: polars cannot even write it as text."""
    findings: list[Finding] = []
    total = 0
    for name in names:
        dtype = frame[name].dtype
        if dtype != pl.Date and not isinstance(dtype, pl.Datetime):
            continue
        per_day = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
        unit = per_day[dtype.time_unit or "us"] if isinstance(dtype, pl.Datetime) else 1
        days = frame[name].to_physical().cast(pl.Int64) // unit
        rows = (~days.is_between(_FIRST_DAY, _LAST_DAY)).fill_null(value=False).arg_true().to_list()
        total += len(rows)
        message = "the date lies outside the years 1 to 9999; correct it"
        position = frame.columns.index(name) + 1
        findings += [Finding("bad-value", message, row + first_line, position, name) for row in rows[:MAX_FINDINGS]]
    if findings:
        raise ContentError(file, findings, total=total)


def _weights(frame: pl.DataFrame, name: str, first_line: int) -> tuple[Floats, list[Finding]]:
    """Return the survey weights of the records, and those that are no positive numbers."""
    column = frame[name]
    weights = column.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
    position = frame.columns.index(name) + 1
    message = "a weight must be a number above 0; correct it"
    wrong = np.flatnonzero(~((weights > 0) & np.isfinite(weights))).tolist()
    return weights, [Finding("bad-weight", message, row + first_line, position, name) for row in wrong]


def _missing_subjects(
    subjects: pl.Series, schema: Schema, columns: list[str], first_line: int
) -> tuple[list[Finding], int]:
    """Report records that belong to nobody."""
    rows = np.flatnonzero((subjects.is_null() | (subjects == "")).fill_null(value=True).to_numpy())
    position = None if schema.row_is_subject else columns.index(schema.subject) + 1
    message = "the record has no subject; delete it or fill in whose it is"
    shown = [Finding("missing-subject", message, int(row) + first_line, position) for row in rows[:MAX_FINDINGS]]
    return shown, len(rows)


def _bad_value(column: pl.Series, spec: Field, row: int, first_line: int, position: int) -> Finding:
    """Describe one cell that cannot be read."""
    value = str(column[row])
    shown = value if len(value) <= 40 else value[:37] + "..."
    wanted = f"a {spec.kind}"
    if spec.format:
        wanted += f" of the form {spec.format}"
    elif spec.step != 1.0:
        wanted += f" in steps of {spec.step:.12g}"
    message = f"'{shown}' is not {wanted}; correct the value or the schema"
    if _GENERALIZED.fullmatch(value):
        message = f"'{shown}' is a generalized cell, which only a release has; name the original data instead"
    return Finding("bad-value", message, row + first_line, position, spec.name, value)


def _typed(history: History, spec: Field) -> pl.Series:
    """Return one field as a typed polars column."""
    codes = history.codes[spec.name]
    if spec.nominal:
        return history.categories[spec.name].gather(codes).alias(spec.name)
    missing = pl.Series(codes == MISSING)
    whole = pl.Series(np.where(codes == MISSING, 0, codes))
    if spec.kind is Kind.DATE:
        typed = whole.cast(pl.Int32).cast(pl.Date)
    elif spec.kind is Kind.DATETIME:
        typed = (whole * 1000).cast(pl.Datetime("ms"))
    elif spec.step == 1.0:
        typed = whole
    else:
        typed = value_text(whole.to_numpy(), spec).cast(pl.Float64)
    return pl.select(pl.when(~missing).then(typed)).to_series().alias(spec.name)
