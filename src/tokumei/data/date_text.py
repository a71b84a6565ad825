"""Dates and moments to text and back, in the format that the schema names.

A moment with an offset that differs from record to record is an instant: it is written in UTC. An offset that all
records share stands in the format itself (``%H:%M:%S+09:00``), and what the clock there showed is kept.
"""

from __future__ import annotations

import polars as pl

from tokumei.data.date_directives import EPOCH_MILLISECONDS, EPOCH_SECONDS
from tokumei.data.eras import era_days, era_text, is_era

_UTC = {"%:z": "+00:00", "%z": "+0000"}


def days_of(text: pl.Series, text_format: str) -> pl.Series:
    """Return the days since 1970 of texts in a format, null where one is no date."""
    if is_era(text_format):
        return era_days(text, text_format)
    return text.str.to_date(_reading_format(text_format), strict=False).cast(pl.Int32).cast(pl.Int64)


def seconds_of(text: pl.Series, text_format: str) -> pl.Series:
    """Return the seconds since 1970 of texts in a format, null where one is no moment."""
    if text_format in (EPOCH_SECONDS, EPOCH_MILLISECONDS):
        numbers = text.cast(pl.Int64, strict=False)
        return numbers // 1000 if text_format == EPOCH_MILLISECONDS else numbers
    if text_format.endswith("%:z"):
        # ISO 8601 writes UTC as Z beside offsets of other records.
        text = text.str.replace(r"Z$", _UTC["%:z"])
    moments = text.str.to_datetime(_reading_format(text_format), strict=False, time_unit="ms")
    return moments.cast(pl.Int64) // 1000


def date_text(days: pl.Expr, text_format: str) -> pl.Expr:
    """Return days since 1970 as text."""
    if is_era(text_format):
        return era_text(days, text_format)
    return days.cast(pl.Int32).cast(pl.Date).dt.strftime(text_format)


def moment_text(seconds: pl.Expr, text_format: str) -> pl.Expr:
    """Return seconds since 1970 as text."""
    if text_format in (EPOCH_SECONDS, EPOCH_MILLISECONDS):
        return (seconds * 1000 if text_format == EPOCH_MILLISECONDS else seconds).cast(pl.String)
    for offset, utc in _UTC.items():
        text_format = text_format.replace(offset, utc)
    return (seconds * 1000).cast(pl.Datetime("ms")).dt.strftime(text_format)


def _reading_format(text_format: str) -> str:
    """Return the format that also reads zero-padded text."""
    return text_format.replace("%-", "%")
