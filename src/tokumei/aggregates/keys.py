"""By what a table is laid out: columns, dates by day, week, month or year, numbers in bands of one width."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from tokumei.data import Field, History, Kind
from tokumei.errors import ParameterError, did_you_mean

_FORMATS = {"day": "%Y-%m-%d", "week": "%Y-%m-%d", "month": "%Y-%m", "year": "%Y"}
_UNITS = {"day": "1d", "week": "1w", "month": "1mo", "year": "1y"}


def key_columns(history: History, by: Sequence[str]) -> pl.DataFrame:
    """Return the key of every record as texts, a column for each of ``by``: ``goods``, ``date:month``, ``price:10``.

    Weeks are told by their Monday, bands of numbers by their lower end.
    """
    if not by:
        message = "name at least one key: a column, a date with a grain (date:month), a number with a width (price:10)"
        raise ParameterError(message)
    columns = [_key(history, text) for text in by]
    names = [column.name for column in columns]
    repeated = [name for place, name in enumerate(names) if name in names[:place]]
    if repeated:
        raise ParameterError(f"the key '{repeated[0]}' is named twice; name it once")
    return pl.DataFrame(columns)


def _key(history: History, text: str) -> pl.Series:
    fields = {field.name: field for field in history.schema.fields}
    name, _, grain = (text, "", "") if text in fields else text.rpartition(":")
    if name not in fields:
        wanted = name or text
        message = f"there is no column '{wanted}'{did_you_mean(wanted, fields)}; the data has {', '.join(fields)}"
        raise ParameterError(message)
    column = history.frame[name]
    if fields[name].kind in (Kind.DATE, Kind.DATETIME):
        key = _by_date(column, grain or "month", text)
    elif fields[name].nominal:
        if grain:
            raise ParameterError(f"'{text}': a category has no grain; write '{name}'")
        key = column
    else:
        key = _by_number(column, grain, fields[name])
    return key.cast(pl.String).fill_null("").alias(name)


def _by_date(column: pl.Series, grain: str, text: str) -> pl.Series:
    if grain not in _FORMATS:
        raise ParameterError(f"'{text}': the grain of a date must be one of {', '.join(_FORMATS)}")
    return column.dt.truncate(_UNITS[grain]).dt.strftime(_FORMATS[grain])


def _by_number(column: pl.Series, width: str, field: Field) -> pl.Series:
    try:
        step = float(width)
        if not 0 < step < float("inf"):
            raise ValueError
    except ValueError:
        message = f"'{field.name}' is a number: say how wide its bands are, as '{field.name}:10'"
        raise ParameterError(message) from None
    lower = (column.cast(pl.Float64) / step).floor() * step
    return lower.cast(pl.Int64).cast(pl.String) if step.is_integer() else lower.round(9).cast(pl.String)
