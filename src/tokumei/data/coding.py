"""From a table to integer codes: the codes of every column, and which cells, types and dates cannot be used."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Floats, Ints
from tokumei.data.cell_text import parse_values
from tokumei.data.cells import MISSING
from tokumei.data.columns import Field, Kind
from tokumei.data.schema import Schema
from tokumei.errors import ContentError, Finding, SchemaError

# A range or a set as releases write them.
_GENERALIZED = re.compile(r"\[[^;]*;[^;]*\]|\{[^;]*(;[^;]*)+\}")
MAX_FINDINGS = 100
_BEYOND = 2**62
# 0001-01-01 and 9999-12-31, in days from 1970-01-01.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896


def dictionary_codes(text: pl.Series, dictionary: pl.Series) -> Ints:
    """Return the position of every value in its dictionary."""
    if len(dictionary) == 0:
        return np.empty(0, dtype=np.int64)
    return text.cast(pl.Enum(dictionary)).to_physical().cast(pl.Int64).to_numpy().copy()


def ordered_codes(column: pl.Series, spec: Field, *, rounding: bool = False) -> tuple[Ints, Bools]:
    """Return the codes of an ordered field (missing ones marked) and which cells cannot be used."""
    if column.dtype == pl.String:
        missing = empty_mask(column)
        codes, bad = parse_values(column, spec, rounding=rounding)
        bad &= ~missing
    else:
        missing = null_mask(column)
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
        return _or_zero(codes), null_mask(codes) & ~null_mask(column)
    elif column.dtype.is_numeric() and spec.kind is Kind.NUMBER:
        scaled = column.cast(pl.Float64) / spec.step
        usable = (scaled.is_finite() & (scaled.abs() < 2.0**53)).fill_null(value=True)
        codes = pl.select(pl.when(usable).then(scaled.round())).to_series().cast(pl.Int64)
        return _or_zero(codes), ~usable.to_numpy()
    else:
        return parse_values(column.cast(pl.String), spec)
    return _or_zero(codes), np.zeros(len(column), dtype=np.bool_)


def null_mask(column: pl.Series) -> Bools:
    """Return which cells are null (most columns know that they have none, which spares them a query)."""
    return column.is_null().to_numpy() if column.null_count() else np.zeros(len(column), dtype=np.bool_)


def empty_mask(column: pl.Series) -> Bools:
    """Return which cells of a text column are empty or null."""
    empty = column == ""
    return (empty.fill_null(value=True) if empty.null_count() else empty).to_numpy()


def _or_zero(codes: pl.Series) -> Ints:
    """Return codes, 0 where there is none."""
    return (codes.fill_null(0) if codes.null_count() else codes).to_numpy().copy()


def refuse_unusable_types(frame: pl.DataFrame, names: Sequence[str], file: str) -> None:
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


def refuse_far_dates(frame: pl.DataFrame, names: Sequence[str], file: str, first_line: int) -> None:
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


def survey_weights(frame: pl.DataFrame, name: str, first_line: int) -> tuple[Floats, list[Finding]]:
    """Return the survey weights of the records, and those that are no positive numbers."""
    column = frame[name]
    weights = column.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy()
    position = frame.columns.index(name) + 1
    message = "a weight must be a number above 0; correct it"
    wrong = np.flatnonzero(~((weights > 0) & np.isfinite(weights))).tolist()
    return weights, [Finding("bad-weight", message, row + first_line, position, name) for row in wrong]


def household_codes(frame: pl.DataFrame, name: str, subject: Ints, first_line: int) -> tuple[Ints, list[Finding]]:
    """Return the household of every subject as a number, and the records that name another one than the first did.

    Who has none is a household alone.
    """
    text = frame[name].cast(pl.String).fill_null("")
    code = text.rank("dense").to_numpy().astype(np.int64)
    count = int(subject.max(initial=-1)) + 1
    first = np.full(count, -1, dtype=np.int64)
    order = np.arange(len(subject))[::-1]
    first[subject[order]] = code[order]
    position = frame.columns.index(name) + 1
    message = "another record of this person names another household; give every person one"
    wrong = np.flatnonzero(code != first[subject]).tolist()
    empty = np.zeros(count, dtype=np.bool_)
    empty[subject] = (text == "").to_numpy()
    houses = np.where(empty, np.arange(count) + int(code.max(initial=0)) + 1, first)
    return houses, [Finding("two-households", message, row + first_line, position, name) for row in wrong]


def missing_subjects(
    subjects: pl.Series, schema: Schema, columns: list[str], first_line: int
) -> tuple[list[Finding], int]:
    """Report records that belong to nobody."""
    rows = np.flatnonzero(empty_mask(subjects))
    names = schema.subject_parts or (schema.subject,)
    position = None if schema.row_is_subject else columns.index(names[0]) + 1
    message = "the record has no subject; delete it or fill in whose it is"
    shown = [Finding("missing-subject", message, int(row) + first_line, position) for row in rows[:MAX_FINDINGS]]
    return shown, len(rows)


def bad_value(column: pl.Series, spec: Field, row: int, first_line: int, position: int) -> Finding:
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
