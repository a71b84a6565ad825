"""The kind of one column, from its values and, where they leave a doubt, from its name.

A column that is meant to hold numbers or dates may still have a few values that are none: they are mistakes, which
`History.from_frame` then reports with their lines. A column of codes (``84879``, ``85123A``, ``POST``) is a category.
"""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl

from tokumei.data import ROUNDED_STEP, Column, Kind, date_format, epoch_format, has_time
from tokumei.profiles.missing_words import has_decimal_comma

_NOMINAL = """id code goods item stock product sku zip postal postcode phone tel invoice region store shop station
category type class sex gender name"""
_MEASURED = """price amount quantity qty count age weight height length distance duration score cost total value bmi
lat latitude lon lng longitude"""
# Whole numbers under such a name may be seconds since 1970.
_TIMES = "time timestamp ts epoch unix unixtime date datetime created updated when at 日時 時刻"
_TIME_NAMES = frozenset(_TIMES.split())
NOMINAL_NAMES, MEASURED_NAMES = frozenset(_NOMINAL.split()), frozenset(_MEASURED.split())
# Share of the values that must be numbers: few mistakes are believed of whole numbers, which may as well be codes.
WHOLE_SHARE, DECIMAL_SHARE = 0.99, 0.5
MAX_DECIMALS = 9
# The step of numbers too small for the step that rounds (`celltext.ROUNDED_STEP`).
TINY_STEP = 1e-12
_LARGEST_CODE = 2.0**53


def name_tokens(name: str) -> list[str]:
    """Return the words of a column name in lower case.

    >>> name_tokens("CustomerID"), name_tokens("home_lat")
    (['customer', 'id'], ['home', 'lat'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\x00-\x7f]+", name)]


def infer_column(values: pl.Series) -> Column:
    """Return the column with the kind that its values, text or typed, are best described by."""
    dtype, name = values.dtype, values.name
    if dtype == pl.String:
        return _infer_text(values)
    if dtype == pl.Date:
        return Column(name=name, kind=Kind.DATE)
    if isinstance(dtype, pl.Datetime):
        return Column(name=name, kind=Kind.DATETIME)
    if dtype.is_numeric():
        step = 1.0 if dtype.is_integer() else _float_step(values.cast(pl.Float64).drop_nulls())
        return _number_or_code(name, values.drop_nulls(), step)
    if dtype.is_nested() or dtype in (pl.Binary, pl.Duration, pl.Object):
        return Column(name=name, drop=True)
    return Column(name=name, kind=Kind.CATEGORY)


def _infer_text(values: pl.Series) -> Column:
    """Return the kind of a text column; empty text is missing."""
    name = values.name
    present = values.filter(values != "") if (values == "").any() else values.drop_nulls()
    if len(present) == 0:
        return Column(name=name, kind=Kind.CATEGORY)
    form = date_format(present)
    if form:
        return Column(name=name, kind=Kind.DATETIME if has_time(form) else Kind.DATE, format=form)
    if has_decimal_comma(present):
        points = present.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
        return replace(_number_or_code(name, points.cast(pl.Float64), number_step(points)), decimal=",")
    numbers = present.cast(pl.Float64, strict=False)
    if numbers.null_count() or not numbers.is_finite().all():
        numbers = numbers.filter(numbers.is_finite().fill_null(value=False))
    if _meant_as_numbers(present, len(numbers), set(name_tokens(name))):
        return _number_or_code(name, numbers, number_step(present))
    return Column(name=name, kind=Kind.CATEGORY)


def _meant_as_numbers(present: pl.Series, numbers: int, words: set[str]) -> bool:
    """Return whether so many of the values are numbers that the others must be mistakes."""
    if numbers < DECIMAL_SHARE * len(present) or present.str.contains(r"^[+-]?0\d").any():
        return False
    if numbers == len(present) or words & MEASURED_NAMES:
        return True
    decimal = present.str.contains(r"^[+-]?\d*\.\d+$").sum()
    if decimal >= DECIMAL_SHARE * len(present):
        return True
    return numbers >= WHOLE_SHARE * len(present) and not words & NOMINAL_NAMES


def _number_or_code(name: str, numbers: pl.Series, step: float) -> Column:
    """Return a number; but whole numbers under the name of a code, and flags 0/1, are categories."""
    words = set(name_tokens(name))
    if step >= 1.0 and words & _TIME_NAMES and (form := epoch_format(numbers)):
        return Column(name=name, kind=Kind.DATETIME, format=form)
    if step >= 1.0 and words & NOMINAL_NAMES and not words & MEASURED_NAMES:
        return Column(name=name, kind=Kind.CATEGORY)
    largest = float(numbers.cast(pl.Float64).abs().max()) if len(numbers) else 0.0  # type: ignore[arg-type]
    if largest / step >= _LARGEST_CODE or 0.0 < largest < step:
        # Numbers so long (of cards, of devices) are names, not amounts: their last digits would be lost. Numbers so
        # small would all become zero.
        return Column(name=name, kind=Kind.CATEGORY)
    if step >= 1.0 and len(numbers) and numbers.min() == 0 and numbers.max() == 1:
        return Column(name=name, kind=Kind.CATEGORY)
    return Column(name=name, kind=Kind.NUMBER, step=step)


def number_step(text: pl.Series) -> float:
    """Return the largest power of ten (at most 1) of which all the written numbers are multiples.

    >>> number_step(pl.Series(["1.69", "2.10", "7"])), number_step(pl.Series(["62.0", "5"]))
    (0.01, 1.0)
    """
    numbers = text.cast(pl.Float64, strict=False)
    if text.str.contains("e", literal=True).any() or text.str.contains("E", literal=True).any():
        return _float_step(numbers.drop_nulls())
    written = text.filter(numbers.is_finite().fill_null(value=False)) if numbers.null_count() else text
    point = written.str.find(".", literal=True)
    if point.null_count() == len(point):
        return 1.0
    trimmed = written.str.strip_chars_end("0").str.len_bytes().cast(pl.Int64)
    decimals = (trimmed - 1 - point.cast(pl.Int64)).max()
    return _fitting_step(int(decimals or 0), numbers)  # type: ignore[arg-type]


def values_step(values: pl.Series) -> float:
    """Return the step of a column of numbers, text or typed, as it is inferred; 1 if it holds none."""
    if values.dtype == pl.String:
        return number_step(values.filter(values != "") if (values == "").any() else values.drop_nulls())
    return 1.0 if values.dtype.is_integer() else _float_step(values.cast(pl.Float64, strict=False).drop_nulls())


def _float_step(numbers: pl.Series) -> float:
    """Return the step of floating-point numbers: up to nine decimals if they have no more, else rounding."""
    finite = numbers.filter(numbers.is_finite())
    # What is far below all others is an error of computing; where all are small, it is their size.
    size = min(float(finite.abs().max() or 0.0), 1.0)  # type: ignore[arg-type]
    for decimals in range(MAX_DECIMALS + 1):
        scaled = finite * 10.0**decimals
        if ((scaled - scaled.round()).abs() <= 1e-9 * (size + scaled.abs())).all():
            return _fitting_step(decimals, finite)
    return _fitting_step(MAX_DECIMALS + 1, finite)


def _fitting_step(decimals: int, numbers: pl.Series) -> float:
    """Return the step of so many decimals, or a rounding one if the codes would be too many or too large."""
    largest = float(numbers.abs().max() or 0.0)  # type: ignore[arg-type]
    if decimals <= MAX_DECIMALS and largest * 10.0**decimals < _LARGEST_CODE:
        return float(f"1e-{decimals}")
    return ROUNDED_STEP if largest >= 1e-3 else TINY_STEP
