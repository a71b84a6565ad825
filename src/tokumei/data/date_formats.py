"""The format in which a text column writes its dates or moments, found from the text itself.

A format is found in three steps: the shape that most values have (year first or last, separators, time of day),
the reading that most values allow where the shape leaves two (day or month first; day first if both do), and whether
numbers are padded with zeros. Formats are those of chrono, with ``%-m`` for a month without padding.

>>> date_format(pl.Series(["2011/2/17", "2011/12/1"]))
'%Y/%-m/%-d'
>>> date_format(pl.Series(["17.02.2011 09:05"]))
'%d.%m.%Y %H:%M'
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

_NUMBER = {"%Y": r"\d{4}", "%m": r"\d{1,2}", "%d": r"\d{1,2}", "%H": r"\d{1,2}"}
_FIXED = {"%M": r"\d{2}", "%S": r"\d{2}", "%.f": r"(?:\.\d+)?"}
_DATES = (
    "%Y/%m/%d",
    "%Y-%m-%d",
    "%Y.%m.%d",
    "%Y年%m月%d日",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d.%m.%Y",
)
# Every date above begins so: one look excludes most columns that hold none.
_ANY_DATE = r"^\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}"
_COMPACT = "%Y%m%d"
_COMPACT_SHAPE = r"^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$"
_TIMES = (
    "",
    *(
        f"{gap}{time}{zone}"
        for gap in (" ", "T")
        for time in ("%H:%M", "%H:%M:%S", "%H:%M:%S%.f")
        for zone in ("", "Z")
    ),
)
# A column where at least half of the values are dates is meant to hold dates; the others are mistakes to report.
DATE_SHARE = 0.5


def has_time(text_format: str) -> bool:
    """Return whether a format tells the time of day."""
    return "H" in text_format


def hold_values(columns: Iterable[pl.Series]) -> bool:
    """Return whether at least half of the texts of some column, empty ones left out, are numbers or dates."""
    for column in columns:
        present = column.filter(column != "")
        numbers = present.cast(pl.Float64, strict=False).is_finite().sum()
        if len(present) and (numbers >= 0.5 * len(present) or date_format(present)):
            return True
    return False


def date_format(text: pl.Series) -> str:
    """Return the format of the dates or moments in a text column without missing values; empty if it has none."""
    if len(text) == 0:
        return ""
    if _all_compact(text):
        return _COMPACT
    if text.str.contains(_ANY_DATE).sum() < DATE_SHARE * len(text):
        return ""
    date = _commonest(text, _DATES, end="")
    form = _commonest(text, [date + time for time in _TIMES], end="$") if date else ""
    if not form:
        return ""
    readings = [other + form.removeprefix(date) for other in _DATES if _shape(other) == _shape(date)]
    parsed = [_parsed_count(text, reading) for reading in readings]
    if max(parsed) < DATE_SHARE * len(text):
        return ""
    return _with_padding(text, readings[parsed.index(max(parsed))])


def _all_compact(text: pl.Series) -> bool:
    """Return whether all texts are dates of eight digits; with a single exception they are numbers."""
    if (text.str.len_bytes() != len("20111201")).any() or not text.str.contains(_COMPACT_SHAPE).all():
        return False
    return text.str.to_date(_COMPACT, strict=False).null_count() == 0


def _shape(form: str) -> str:
    """Return the regular expression of texts in this form."""
    pattern = re.escape(form)
    for code, digits in (_NUMBER | _FIXED).items():
        pattern = pattern.replace(re.escape(code), digits)
    return pattern


def _commonest(text: pl.Series, forms: tuple[str, ...] | list[str], *, end: str) -> str:
    """Return the first of the forms that most texts have, if at least half of them have it."""
    counts = {}
    for form in forms:
        counts[form] = int(text.str.contains(f"^{_shape(form)}{end}").sum())
        if counts[form] == len(text):
            return form
    best = max(counts, key=lambda form: counts[form])
    return best if counts[best] >= DATE_SHARE * len(text) else ""


def _parsed_count(text: pl.Series, form: str) -> int:
    if has_time(form):
        return len(text) - text.str.to_datetime(form, strict=False, time_unit="ms").null_count()
    return len(text) - text.str.to_date(form, strict=False).null_count()


def _with_padding(text: pl.Series, form: str) -> str:
    """Return the form with ``%-m``, ``%-d`` and ``%-H`` if some text lacks the zeros that padding asks for."""
    dated = text.filter(text.str.contains(f"^{_shape(form)}$"))
    day_part, gap, time_part = re.fullmatch(r"(.*?)([ T]?)(%H.*)?", form).groups(default="")  # type: ignore[union-attr]
    two_digits = _shape(day_part).replace(r"\d{1,2}", r"\d{2}")
    if not dated.str.contains(f"^{two_digits}").all():
        day_part = day_part.replace("%m", "%-m").replace("%d", "%-d")
    if time_part and not dated.str.contains(r"[ T]\d{2}:").all():
        time_part = time_part.replace("%H", "%-H")
    return day_part + gap + time_part
