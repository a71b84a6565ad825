"""Words that people write where there is no value, found in columns that otherwise hold numbers or dates."""

from __future__ import annotations

import polars as pl

from tokumei.data import date_format

WORDS = (
    "NA",
    "N/A",
    "n/a",
    "na",
    "NaN",
    "nan",
    "NULL",
    "null",
    "None",
    "none",
    "#N/A",
    "-",
    "--",
    ".",
    "?",
    "不明",
    "無し",
)
_DECIMAL_COMMA = r"^[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$"
_GROUPS_ONLY = r"^[+-]?\d{1,3}(?:,\d{3})+$|^[+-]?\d{1,3}$"


def missing_words(frame: pl.DataFrame) -> tuple[str, ...]:
    """Return the words that can only mean that a value is missing, because all other values of a column measure.

    A word in a column of names says nothing: ``NA`` may be Namibia.
    """
    found: set[str] = set()
    for column in frame.get_columns():
        if column.dtype != pl.String:
            continue
        distinct = column.unique()
        words = distinct.filter(distinct.is_in(WORDS)).to_list()
        if words and _measures(distinct.filter(~distinct.is_in([*WORDS, ""]))):
            found |= set(words)
    return tuple(word for word in WORDS if word in found)


def _measures(present: pl.Series) -> bool:
    """Return whether all values are numbers (with a decimal comma, too) or dates."""
    if len(present) < 2:
        return False
    numbers = present.cast(pl.Float64, strict=False)
    coded = bool(present.str.contains(r"^[+-]?0\d").any())
    return (numbers.null_count() == 0 and not coded) or has_decimal_comma(present) or bool(date_format(present))


def has_decimal_comma(present: pl.Series) -> bool:
    """Return whether all values are numbers, some with a decimal comma; commas before three digits may group them."""
    if not present.str.contains(",", literal=True).any() or not present.str.contains(_DECIMAL_COMMA).all():
        return False
    return not present.str.contains(_GROUPS_ONLY).all()
