"""A file or a frame as a History, whether or not somebody has said what its columns mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.data import Column, DataSet, History, Kind, Schema, Source, history_of, open_table, to_polars
from tokumei.profiles.infer import infer_schema
from tokumei.profiles.infer_kinds import values_step


def read_history(
    data: Any,
    schema: Schema | None = None,
    *,
    header: bool | None = None,
    subject: str | None = None,
    refine: bool = False,
) -> History:
    """Return the records of a CSV or Parquet file, of a folder of such parts, or of a polars or pandas frame.

    ``data`` is the path of the file or folder, a file already read, or the frame. ``schema`` says what the columns
    mean; without one it is inferred, around the column ``subject`` if that is named. ``header`` says whether the first
    line of a file names the columns (default: decided by what it and the others hold). With ``refine`` the steps of the
    schema, which may be those of a release, give way to finer ones of the data. Raises ContentError with all unusable
    cells, SchemaError if the schema names an absent column.
    """
    if isinstance(data, (str, Path)) and Path(data).is_dir():
        parts = DataSet.open(Path(data))
        frame, file = parts.collect(), str(data)
        lines = np.arange(1, frame.height + 1)
    elif isinstance(data, (str, Path, Source)):
        source = data if isinstance(data, Source) else Source.read(data)
        table = open_table(source, header=header, schema=schema)
        frame, lines, file = table.frame, table.lines, str(source.path)
    else:
        frame = to_polars(data)
        lines, file = np.arange(1, frame.height + 1), "frame"
    if schema is not None and refine:
        schema = _refined(schema, frame)
    return history_of(frame, schema or infer_schema(frame, subject=subject), file=file, lines=lines)


def refined_schema(schema: Schema, data_set: DataSet) -> Schema:
    """Return the schema with the steps of a data set that is not held, as ``refine`` of `read_history` does."""
    numbers = [field.name for field in schema.fields if field.kind is Kind.NUMBER and field.name in data_set.columns]
    for name in numbers:
        # Few values are distinct: only they are held.
        schema = _refined(schema, data_set.scan([name]).unique().collect(engine="streaming"))
    return schema


def _refined(schema: Schema, frame: pl.DataFrame) -> Schema:
    """Return the schema with steps in which both its own and those of the data can be counted."""

    def refined(column: Column) -> Column:
        names = [field.name for field in column.fields() if field.kind is Kind.NUMBER and field.name in frame.columns]
        steps = [values_step(frame[name]) for name in names if _numeric(frame[name])]
        return replace(column, step=_common_step([column.step, *steps])) if steps else column

    return replace(schema, columns=tuple(refined(column) for column in schema.columns))


def _numeric(values: pl.Series) -> bool:
    return values.dtype == pl.String or values.dtype.is_numeric()


def _common_step(steps: Sequence[float]) -> float:
    """Return the largest step of which all of these are multiples."""
    exact = [Decimal(repr(step)) for step in steps]
    unit = min(Decimal(1).scaleb(int(step.normalize().as_tuple().exponent)) for step in exact)
    return float(math.gcd(*(int(step / unit) for step in exact)) * unit)
