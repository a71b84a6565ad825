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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Bools, Floats, Ints
from tokumei.data.cell_text import cells_text, plain_text, value_text
from tokumei.data.cells import MISSING, Cells, RangeCells, SetCells
from tokumei.data.cleaning import subject_text as subject_texts
from tokumei.data.coding import (
    MAX_FINDINGS,
    bad_value,
    dictionary_codes,
    household_codes,
    missing_subjects,
    ordered_codes,
    refuse_far_dates,
    refuse_unusable_types,
    survey_weights,
)
from tokumei.data.column_names import refuse_patterns
from tokumei.data.columns import Field, Kind
from tokumei.data.relative_times import since_first
from tokumei.data.schema import Schema
from tokumei.errors import ContentError, InfeasibleError, SchemaError
from tokumei.words import Message, html_table

if TYPE_CHECKING:
    from tokumei.data.apart import ApartValues


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """Records of many subjects, integer-coded.

    ``people`` is an optional table with one row per subject (birthday, sex ...): a History of its own, whose subjects
    are coded as here. ``weights`` says how many people of the population every record stands for, if the schema
    declares a column of weights. ``households`` has a number for every subject, the same for those who belong together,
    if the schema declares it. ``notes`` say what reading decided or left out, for people to check.
    """

    schema: Schema
    subjects: pl.Series
    subject: Ints
    codes: Mapping[str, Ints]
    categories: Mapping[str, pl.Series] = field(default_factory=dict)
    people: History | None = None
    weights: Floats | None = None
    households: Ints | None = None
    notes: tuple[Message, ...] = ()

    @classmethod
    def from_frame(
        cls, frame: pl.DataFrame, schema: Schema, *, file: str = "table", first_line: int = 1, rounding: bool = False
    ) -> Self:
        """Code a frame (text or typed columns) after its schema; all unusable cells are reported together.

        With ``rounding`` numbers that are written more finely than the step of their column are rounded to it.
        """
        schema.check_against(frame.columns, file)
        names = schema.sources()
        refuse_patterns(names)
        refuse_unusable_types(frame, names, file)
        refuse_far_dates(frame, names, file, first_line)
        if schema.row_is_subject:
            width = len(str(max(frame.height, 1)))
            subject_text = pl.Series(np.arange(1, frame.height + 1)).cast(pl.String).str.zfill(width)
        else:
            subject_text = frame.select(subject_texts(schema)).to_series()
        findings, total = missing_subjects(subject_text, schema, frame.columns, first_line)
        codes: dict[str, Ints] = {}
        categories: dict[str, pl.Series] = {}
        for spec in schema.fields:
            column = frame[spec.name]
            if spec.nominal:
                text = column.cast(pl.String)
                text = text.fill_null("") if text.null_count() else text
                categories[spec.name] = text.unique().sort().alias(spec.name)
                codes[spec.name] = dictionary_codes(text, categories[spec.name])
                continue
            codes[spec.name], bad = ordered_codes(column, spec.source, rounding=rounding)
            total += int(bad.sum())
            position = frame.columns.index(spec.name) + 1
            for row in np.flatnonzero(bad)[:MAX_FINDINGS]:
                findings.append(bad_value(column, spec.source, int(row), first_line, position))
        weights = None
        if schema.weight:
            weights, wrong = survey_weights(frame, schema.weight, first_line)
            findings, total = [*findings, *wrong[:MAX_FINDINGS]], total + len(wrong)
        if findings:
            raise ContentError(file, sorted(findings, key=lambda one: (one.line or 0, one.column or 0)), total=total)
        subjects = subject_text.unique().sort().alias(schema.subject)
        subject, households = dictionary_codes(subject_text, subjects), None
        if schema.household:
            households, wrong = household_codes(frame, schema.household, subject, first_line)
            if wrong:
                raise ContentError(file, wrong[:MAX_FINDINGS], total=len(wrong))
        codes |= {
            spec.name: since_first(subject, codes[spec.name], len(subjects), start=spec.start)
            for spec in schema.fields
            if spec.relative
        }
        return cls(schema, subjects, subject, codes, categories, weights=weights, households=households)

    def with_people(self, people: History) -> History:
        """Return the history with a table of people beside it; who stands only there is a subject without records."""
        if len(people) != len(people.subjects):
            message = "a table of people has one row per subject; this one has several rows of a subject"
            raise SchemaError(message)
        if self.households is not None or people.households is not None:
            message = "households are not supported beside a table of people; drop the column in the schema"
            raise SchemaError(message)
        subjects = pl.concat([self.subjects, people.subjects.alias(self.subjects.name)]).unique().sort()

        def recoded(history: History) -> History:
            codes = dictionary_codes(history.subjects, subjects)[history.subject]
            return replace(history, subjects=subjects, subject=codes, households=None)

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

    def is_value(self, name: str, codes: Ints) -> Bools:
        """Return which codes of a field stand for a value, not for a missing one (of a category the empty text)."""
        if name in self.categories:
            return np.asarray((self.categories[name] != "").to_numpy()[codes], dtype=np.bool_)
        return np.asarray(codes != MISSING, dtype=np.bool_)

    def cells(self, name: str) -> Cells:
        """Return a field as plain cells, in file order."""
        if name in self.categories:
            return SetCells.of_values(self.codes[name], self.categories[name])
        return RangeCells.of_values(self.codes[name])

    def text(self, *, literal: bool = False) -> pl.DataFrame:
        """Return the records as canonical text, the subject first, in file order; missing values are empty."""
        subjects = self.subjects[self.subject].alias(self.schema.subject)
        columns = plain_text(self.codes, self.schema.fields, self.categories, literal=literal)
        return pl.DataFrame([subjects, *columns])

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The records as a typed frame, the subject first, in file order."""
        columns = [self.subjects[self.subject].alias(self.schema.subject)]
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
    ``parameters`` are those of the method, as the manifest states them. ``labels`` says, for fields whose categories
    are told by coarser names, under which name each of the first categories stands: `written` has those names.
    ``apart`` is what groups have in sensitive columns, where it is published beside the records.
    """

    schema: Schema
    pseudonyms: pl.Series
    cells: Mapping[str, Cells]
    method: str = ""
    people: Release | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, pl.Series] = field(default_factory=dict)
    apart: ApartValues | None = None

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

    def _repr_html_(self) -> str:
        """Return sizes and columns for a notebook, no cell."""
        rows = [[spec.name, spec.kind.value] for spec in self.schema.fields]
        return html_table(repr(self), rows, heads=("column", "kind"))

    def take(self, rows: npt.ArrayLike) -> Release:
        """Return the records at these positions, in this order."""
        index = np.asarray(rows, dtype=np.int64)
        cells = {name: column.take(index) for name, column in self.cells.items()}
        return replace(self, pseudonyms=self.pseudonyms[index], cells=cells)

    @cached_property
    def written(self) -> Mapping[str, Cells]:
        """The cells as they are published: sets of the names under which categories are told."""
        cells = dict(self.cells)
        for name, labels in self.labels.items():
            column = cells.get(name)
            if isinstance(column, SetCells):
                own = column.categories[len(labels) :].cast(pl.String)
                names = pl.concat([labels.alias(name), own.alias(name)])
                known = names.unique().sort()
                codes = dictionary_codes(names, known)[column.codes]
                cells[name] = SetCells.of_lists(column.offsets, codes, known, suppressed=column.suppressed)
        return cells

    def as_history(self) -> History:
        """Return the records as a History of pseudonyms; suppressed cells are missing values.

        Raises InfeasibleError if a cell is a range or a set.
        """
        codes: dict[str, Ints] = {}
        categories: dict[str, pl.Series] = {}
        for spec in self.schema.fields:
            cells = self.written[spec.name]
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
        history = History(self.schema, subjects, dictionary_codes(names, subjects), codes, categories)
        return history if self.people is None else history.with_people(self.people.as_history())

    def text(self, *, literal: bool = False) -> pl.DataFrame:
        """Return the records as canonical text, the pseudonym first."""
        columns = cells_text(self.written, self.schema.fields, literal=literal)
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


def _typed(history: History, spec: Field) -> pl.Series:
    """Return one field as a typed polars column."""
    codes = history.codes[spec.name]
    if spec.nominal:
        return history.categories[spec.name][codes].alias(spec.name)
    return typed_codes(codes, spec).alias(spec.name)


def typed_codes(codes: Ints, spec: Field) -> pl.Series:
    """Return codes of an ordered field as values of its type, null where they are missing."""
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
    return pl.select(pl.when(~missing).then(typed)).to_series()
