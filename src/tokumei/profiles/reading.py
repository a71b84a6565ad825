"""A file or a frame as a History, whether or not somebody has said what its columns mean."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.data import (
    ROUNDED_STEP,
    Column,
    DataSet,
    History,
    Kind,
    Schema,
    Source,
    Table,
    cleaned,
    history_of,
    input_path,
    open_table,
    read_data,
    said_subject,
    to_polars,
)
from tokumei.profiles.infer import Subject, propose_schema
from tokumei.profiles.infer_kinds import values_step
from tokumei.profiles.subjects import Proposal
from tokumei.words import Message


def read_history(
    data: Any,
    schema: Schema | None = None,
    *,
    header: bool | None = None,
    subject: Subject = None,
    refine: bool = False,
    confirmed: bool = False,
) -> History:
    """Return the records of a file, a folder of parts, a table of a database, or a polars, pandas or Arrow frame.

    ``data`` is where the data is (`tokumei.data.input_path`), a file already read, or the frame. ``schema`` says what
    the columns mean; without one it is inferred, around the column ``subject`` if that is named (several columns name
    a person together). ``header`` says whether the first line of a file names the columns (default: decided by what it
    and the others hold). With ``refine`` the steps of the schema, which may be those of a release, give way to finer
    ones of the data. With ``confirmed`` nobody is taken for the subject who may be somebody else: SchemaError says what
    to decide. Raises ContentError with all unusable cells, SchemaError if the schema names an absent column.
    """
    table, file = _table(data, header, schema)
    subject = subject or _said(data)
    return _coded(table, file, schema, subject=subject, refine=refine, confirmed=confirmed)[0]


def propose_history(
    data: Any, schema: Schema | None = None, *, subject: Subject = None
) -> tuple[History, Proposal | None]:
    """Return what `read_history` does, and who the records seem to be of where nobody said it."""
    table, file = _table(data, None, schema)
    subject = subject or _said(data)
    return _coded(table, file, schema, subject=subject)


def _coded(
    table: Table, file: str, schema: Schema | None, *, subject: Subject, refine: bool = False, confirmed: bool = False
) -> tuple[History, Proposal | None]:
    notes, proposal = table.notes, None
    if schema is None:
        inferred = propose_schema(table.frame, subject=subject)
        proposal = inferred.proposal
        if confirmed and proposal is not None:
            proposal.refuse_doubt(file)
        schema, notes = inferred.schema, (*notes, *inferred.notes)
    elif refine:
        schema = _refined(schema, table.frame)
    else:
        schema = _rounding(schema, table.frame)
        notes += tuple(Message("reading.rounded", {"column": one.name, "step": one.step}) for one in _rounded(schema))
    history = history_of(table.frame, schema, file=file, lines=table.lines)
    return replace(history, notes=(*notes, *_alike(history))), proposal


def _alike(history: History) -> Iterator[Message]:
    """Yield how many ids differ from another in nothing that a person would see: k may count somebody twice."""
    if history.schema.row_is_subject:
        return
    seen = history.subjects.str.normalize("NFKC").str.to_lowercase().str.replace_all(r"\s", "")
    count = len(seen) - seen.n_unique()
    if count:
        yield Message("reading.alike", {"column": history.schema.subject, "count": count})


def _said(data: Any) -> str | None:
    """Return the subject that the data itself names: a file of several tables does."""
    where = data.path if isinstance(data, Source) else input_path(data) if isinstance(data, (str, Path)) else None
    return None if where is None else said_subject(where)


def _table(data: Any, header: bool | None, schema: Schema | None) -> tuple[Table, str]:  # noqa: FBT001
    """Return data as a table with its lines, and what to call it."""
    where = input_path(data) if isinstance(data, (str, Path)) else None
    if where is not None and where.is_dir():
        frame = DataSet.open(where).collect()
        return Table(frame, np.arange(1, frame.height + 1)), str(where)
    if where is not None or isinstance(data, Source):
        source = data if isinstance(data, Source) else read_data(where or "")
        return open_table(source, header=header, schema=schema), str(source.path)
    frame = to_polars(data)
    return Table(frame, np.arange(1, frame.height + 1)), "frame"


def _rounding(schema: Schema, frame: pl.DataFrame) -> Schema:
    """Return the schema with the columns marked that have finer values than their step."""
    frame = cleaned(frame, schema) if set(schema.sources()) <= set(frame.columns) else frame

    def marked(column: Column) -> Column:
        names = [
            field.name for field in column.fields() if field.source.kind is Kind.NUMBER and field.name in frame.columns
        ]
        steps = [values_step(frame[name]) for name in names if _numeric(frame[name])]
        finer = bool(steps) and column.step > ROUNDED_STEP and _common_step([column.step, *steps]) < column.step
        return replace(column, rounded=True) if finer else column

    return replace(schema, columns=tuple(marked(column) for column in schema.columns))


def _rounded(schema: Schema) -> list[Column]:
    return [column for column in schema.columns if column.rounded]


def refined_schema(schema: Schema, data_set: DataSet) -> Schema:
    """Return the schema with the steps of a data set that is not held, as ``refine`` of `read_history` does."""
    schema.check_whole()
    for name in _numbers(schema, data_set):
        # Few values are distinct: only they are held.
        schema = _refined(schema, data_set.scan([name]).unique().collect(engine="streaming"))
    return schema


def rounding_schema(schema: Schema, data_set: DataSet) -> Schema:
    """Return the schema with the columns marked whose values in a data set that is not held are finer than the step."""
    for name in _numbers(schema, data_set):
        schema = _rounding(schema, data_set.scan([name]).unique().collect(engine="streaming"))
    return schema


def _numbers(schema: Schema, data_set: DataSet) -> list[str]:
    return [field.name for field in schema.fields if field.kind is Kind.NUMBER and field.name in data_set.columns]


def _refined(schema: Schema, frame: pl.DataFrame) -> Schema:
    """Return the schema with steps in which both its own and those of the data can be counted.

    A column that was rounded when the release was made stays so.
    """
    frame = cleaned(frame, schema) if set(schema.sources()) <= set(frame.columns) else frame

    def refined(column: Column) -> Column:
        fields = [field for field in column.fields() if field.source.kind is Kind.NUMBER]
        names = [field.name for field in fields if field.name in frame.columns]
        steps = [values_step(frame[name]) for name in names if _numeric(frame[name])]
        return replace(column, step=_common_step([column.step, *steps])) if steps and not column.rounded else column

    return replace(schema, columns=tuple(refined(column) for column in schema.columns))


def _numeric(values: pl.Series) -> bool:
    return values.dtype == pl.String or values.dtype.is_numeric()


def _common_step(steps: Sequence[float]) -> float:
    """Return the largest step of which all of these are multiples."""
    exact = [Decimal(repr(step)) for step in steps]
    unit = min(Decimal(1).scaleb(int(step.normalize().as_tuple().exponent)) for step in exact)
    return float(math.gcd(*(int(step / unit) for step in exact)) * unit)
