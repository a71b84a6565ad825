"""A file as a History, whether or not somebody has said what its columns mean."""

from __future__ import annotations

from pathlib import Path

from tokumei.data import History, Schema, history_of, open_table
from tokumei.profiles.infer import infer_schema

__all__ = ["read_history"]


def read_history(
    path: str | Path, schema: Schema | None = None, *, header: bool | None = None, subject: str | None = None
) -> History:
    """Return the records of a CSV or Parquet file; without a schema it is inferred, around ``subject`` if it is named.

    Raises ContentError with all unusable cells, SchemaError if the schema names an absent column.
    """
    table = open_table(Path(path), header=header, schema=schema)
    known = schema or infer_schema(table.frame, subject=subject)
    return history_of(table.frame, known, file=str(path), lines=table.lines)
