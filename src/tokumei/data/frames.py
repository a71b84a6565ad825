"""Frames of polars, pandas or Arrow in, of polars or pandas out; neither pandas nor pyarrow is imported here."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

import numpy as np
import polars as pl

from tokumei.arguments import check_choice
from tokumei.data.cleaning import plain_floats
from tokumei.errors import InputError, ParameterError


def library_of(data: Any) -> str:
    """Return the library of a frame; polars for what is none."""
    return "pandas" if type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "columns") else "polars"


def to_polars(data: Any) -> pl.DataFrame:
    """Return a frame of any of these libraries as polars, with what is not a number as missing."""
    if isinstance(data, pl.LazyFrame):
        data = data.collect()
    if library_of(data) == "pandas":
        names = [str(name) for name in data.columns]
        twice = next((name for position, name in enumerate(names) if name in names[:position]), None)
        if twice is not None:
            message = f"the frame has two columns named '{twice}'; rename one of them"
            raise InputError(message, code="duplicate-name")
        data = pl.DataFrame([_column(name, data.iloc[:, position]) for position, name in enumerate(names)])
    if not isinstance(data, pl.DataFrame) and hasattr(data, "__arrow_c_stream__"):
        data = pl.DataFrame(data)
    if not isinstance(data, pl.DataFrame):
        message = f"data must be a polars, pandas or Arrow frame or the path of a file, got {type(data).__name__}"
        raise ParameterError(message)
    return data.with_columns(plain_floats())


def _column(name: str, values: Any) -> pl.Series:
    """Return a pandas column as polars: by its numbers where it has them, else by its values.

    Of a time with a zone what the clock there shows is kept.
    """
    if getattr(values.dtype, "tz", None) is not None:
        values = values.dt.tz_localize(None)
    kind = values.dtype.kind if isinstance(values.dtype, np.dtype) else "O"
    if kind in "iufb":
        return pl.Series(name, values.to_numpy())
    if kind == "M":
        return pl.Series(name, values.to_numpy().astype("datetime64[ms]"))
    missing = values.isna().to_numpy(dtype=bool)
    objects = values.to_numpy(dtype=object).copy()
    objects[missing] = None
    plain = objects.tolist()
    if any(getattr(value, "tzinfo", None) is not None for value in plain):
        plain = [value if getattr(value, "tzinfo", None) is None else value.replace(tzinfo=None) for value in plain]
    with suppress(TypeError, OverflowError, pl.exceptions.PolarsError):
        found = pl.Series(name, plain)
        if found.dtype != pl.Object:
            return found
    # Values of several types, or of types that only pandas knows: as a file would have them, as text.
    return pl.Series(name, [None if value is None else str(value) for value in plain], dtype=pl.String)


def frame_of_library(frame: pl.DataFrame, library: str) -> Any:
    """Return a frame as that of a library: polars or pandas."""
    check_choice("library", library, ("polars", "pandas"))
    if library == "polars":
        return frame
    return sys.modules["pandas"].DataFrame(frame.to_dict(as_series=False), columns=frame.columns)
