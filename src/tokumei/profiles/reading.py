"""A file or a frame as a History, whether or not somebody has said what its columns mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tokumei.data import History, Schema, Source, history_of, open_table, to_polars
from tokumei.profiles.infer import infer_schema


def read_history(
    data: Any, schema: Schema | None = None, *, header: bool | None = None, subject: str | None = None
) -> History:
    """Return the records of a CSV or Parquet file, or of a polars or pandas frame.

    ``data`` is the path of the file, a file already read, or the frame. ``schema`` says what the columns mean; without
    one it is inferred, around the column ``subject`` if that is named. ``header`` says whether the first line of a file
    names the columns (default: decided by what it and the others hold). Raises ContentError with all unusable cells,
    SchemaError if the schema names an absent column.
    """
    if isinstance(data, (str, Path, Source)):
        source = data if isinstance(data, Source) else Source.read(data)
        table = open_table(source, header=header, schema=schema)
        frame, lines, file = table.frame, table.lines, str(source.path)
    else:
        frame = to_polars(data)
        lines, file = np.arange(1, frame.height + 1), "frame"
    return history_of(frame, schema or infer_schema(frame, subject=subject), file=file, lines=lines)
