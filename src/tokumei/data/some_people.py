"""All records of some people of a data set that is not held, as a small history of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.cleaning import subject_text
from tokumei.data.data_set import DataSet
from tokumei.data.history import History
from tokumei.data.survey import Survey
from tokumei.data.tables import history_of

# No text has this byte: it is the name of no column.
_ROW = "\x00row"


def records_of(data_set: DataSet, survey: Survey, names: pl.Series) -> tuple[History, Ints]:
    """Return all records of these subjects, coded with the categories of the whole, and their row numbers there."""
    schema = survey.schema
    width = len(str(max(survey.records, 1)))
    numbered = (pl.col(_ROW).cast(pl.Int64) + 1).cast(pl.String).str.zfill(width)
    subject = numbered if schema.row_is_subject else subject_text(schema, data_set.columns)
    table = data_set.scan(schema.sources()).with_row_index(_ROW).filter(subject.is_in(names.implode()))
    found = table.collect(engine="streaming").sort(_ROW)
    data_set.refuse_changed()
    rows = found[_ROW].to_numpy().astype(np.int64)
    history = history_of(found.drop(_ROW), schema, file=str(data_set.path), lines=rows + 1)
    if schema.row_is_subject:
        history = replace(history, subjects=found.select(numbered).to_series().alias(schema.subject))
    coded = survey.coded(history)
    return replace(coded, subjects=history.subjects, subject=history.subject), rows
