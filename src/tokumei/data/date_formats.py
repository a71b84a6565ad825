"""The format in which a text column writes its dates or moments, found from the text itself.

A format is found in three steps: the shape that most values have (year first or last, separators, time of day),
the reading that most values allow where the shape leaves several (day or month first; day first if both do), and
whether numbers are padded with zeros. Formats are those of `tokumei.data.date_directives`.

>>> date_format(pl.Series(["2011/2/17", "2011/12/1"]))
'%Y/%-m/%-d'
>>> date_format(pl.Series(["17.02.2011 09:05"]))
'%d.%m.%Y %H:%M'
>>> date_format(pl.Series(["令和6年5月3日", "R6.5.3"])), date_format(pl.Series(["令和6年5月3日"]))
('', '%EC%Ey年%-m月%-d日')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import polars as pl

from tokumei.data.date_directives import EPOCH_MILLISECONDS, EPOCH_SECONDS, has_time
from tokumei.data.date_text import days_of, seconds_of
from tokumei.data.eras import ANY as ANY_ERA
from tokumei.data.eras import FORMS as ERA_FORMS
from tokumei.data.eras import era_shape

_SHAPES = {
    "%Y": r"\d{4}",
    "%y": r"\d{2}",
    "%m": r"\d{1,2}",
    "%d": r"\d{1,2}",
    "%H": r"\d{1,2}",
    "%I": r"\d{1,2}",
    "%M": r"\d{2}",
    "%S": r"\d{2}",
    "%.f": r"(?:\.\d+)?",
    "%b": r"[A-Za-z]{3}",
    "%B": r"[A-Za-z]{3,9}",
    "%p": r"[AaPp][Mm]",
    "%:z": r"(?:Z|[+-]\d{2}:\d{2})",
    "%z": r"[+-]\d{4}",
}
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
    *(f"{form}" for name in ("%b", "%B") for form in (f"%d-{name}-%Y", f"%d {name} %Y", f"{name} %d, %Y")),
    *(f"{form}" for name in ("%b", "%B") for form in (f"{name} %d %Y", f"%d/{name}/%Y", f"%Y-{name}-%d")),
)
# A year of two digits is believed only where every value is such a date: much else is written like that.
_SHORT_DATES = (
    *(form.replace("-", gap) for gap in "/-." for form in ("%d-%m-%y", "%m-%d-%y", "%y-%m-%d")),
    *(f"%d{gap}%b{gap}%y" for gap in "- /"),
)
# Every date above begins so: one look excludes most columns that hold none.
_ANY_DATE = r"^(?:\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}|\d{1,4}[- /][A-Za-z]{3}|[A-Za-z]{3,9} \d{1,2},? \d{4})"
_COMPACT = {8: "%Y%m%d", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}
_COMPACT_SHAPE = r"^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])?(?:[0-5]\d){0,2}$"
_CLOCKS = ("%H:%M", "%H:%M:%S", "%H:%M:%S%.f")
_TIMES = (
    "",
    *(f"{gap}{time}{zone}" for gap in (" ", "T") for time in _CLOCKS for zone in ("", "Z", "%:z", "%z")),
    *(f" {time}{gap}%p" for time in ("%I:%M", "%I:%M:%S") for gap in (" ", "")),
)
# A column where at least half of the values are dates is meant to hold dates; the others are mistakes to report.
DATE_SHARE = 0.5
# Seconds since 1970 are believed from 1990 to 2050.
_FIRST_SECOND, _LAST_SECOND = 631_152_000, 2_524_608_000


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
    if compact := _compact(text):
        return compact
    if text.str.contains(ANY_ERA).all():
        return _with_padding(text, next((form for form in ERA_FORMS if _all_parsed(text, form)), ""))
    if text.str.contains(_ANY_DATE).sum() < DATE_SHARE * len(text):
        return ""
    return _best(text, _DATES, DATE_SHARE) or _best(text, _SHORT_DATES, 1.0)


def epoch_format(numbers: pl.Series) -> str:
    """Return the format of whole numbers that can be seconds or milliseconds since 1970; empty if they cannot."""
    if len(numbers) == 0:
        return ""
    low, high = int(numbers.min()), int(numbers.max())  # type: ignore[arg-type]
    for form, unit in ((EPOCH_SECONDS, 1), (EPOCH_MILLISECONDS, 1000)):
        if _FIRST_SECOND * unit <= low and high <= _LAST_SECOND * unit:
            return form
    return ""


def _best(text: pl.Series, dates: Sequence[str], share: float) -> str:
    """Return the form that most texts have, if so large a share of them has it and can be read in it."""
    date = _commonest(text, dates, share, end="")
    form = _commonest(text, [date + time for time in _TIMES], share, end="$") if date else ""
    if not form:
        return ""
    readings = [other + form.removeprefix(date) for other in dates if _shape(other) == _shape(date)]
    parsed = [_parsed_count(text, reading) for reading in readings]
    if max(parsed) < share * len(text):
        return ""
    return _with_padding(text, _with_offset(text, readings[parsed.index(max(parsed))]))


def _compact(text: pl.Series) -> str:
    """Return the form of dates or moments in digits alone; with a single exception they are numbers."""
    lengths = text.str.len_bytes()
    form = _COMPACT.get(int(lengths[0] or 0), "")
    if not form or (lengths != lengths[0]).any() or not text.str.contains(_COMPACT_SHAPE).all():
        return ""
    return form if _all_parsed(text, form) else ""


def _shape(form: str) -> str:
    """Return the regular expression of texts in this form."""
    if "%E" in form:
        return era_shape(form).removeprefix("^").removesuffix("$")
    pattern = re.escape(form)
    for code, digits in _SHAPES.items():
        pattern = pattern.replace(re.escape(code), digits)
    return pattern


def _commonest(text: pl.Series, forms: Sequence[str], share: float, *, end: str) -> str:
    """Return the first of the forms that most texts have, if so large a share of them has it."""
    counts = {}
    for form in forms:
        # A year of two digits is not the beginning of one of four.
        stop = end or (r"(?:\D|$)" if form.endswith("%y") else "")
        counts[form] = int(text.str.contains(f"^{_shape(form)}{stop}").sum())
        if counts[form] == len(text):
            return form
    best = max(counts, key=lambda form: counts[form])
    return best if counts[best] >= share * len(text) else ""


def _parsed_count(text: pl.Series, form: str) -> int:
    read = seconds_of if has_time(form) else days_of
    return len(text) - read(text, form).null_count()


def _all_parsed(text: pl.Series, form: str) -> bool:
    return _parsed_count(text, form) == len(text)


def _with_offset(text: pl.Series, form: str) -> str:
    """Return the form with the offset that all texts have in place of the directive, if they have one."""
    for directive in ("%:z", "%z"):
        if form.endswith(directive):
            offsets = text.filter(text.str.contains(f"^{_shape(form)}$")).str.extract(f"({_SHAPES[directive]})$")
            return form.removesuffix(directive) + str(offsets[0]) if offsets.n_unique() == 1 else form
    return form


def _with_padding(text: pl.Series, form: str) -> str:
    """Return the form with ``%-m``, ``%-d``, ``%-H`` if some text lacks the zeros that padding asks for."""
    if not form:
        return ""
    dated = text.filter(text.str.contains(f"^{_shape(form)}$"))
    day_part, gap, time_part = re.fullmatch(r"(.*?)([ T]?)(%[HI].*)?", form).groups(default="")  # type: ignore[union-attr]
    two_digits = re.sub(r"(\?P<\w+>)?\\d\{1,2\}", r"\\d{2}", _shape(day_part)).replace(r"元|\d{2}", r"元|\d{1,2}")
    if not dated.str.contains(f"^{two_digits}").all():
        day_part = day_part.replace("%m", "%-m").replace("%d", "%-d")
    if time_part and not dated.str.contains(r"[ T]\d{2}:").all():
        time_part = time_part.replace("%H", "%-H").replace("%I", "%-I")
    return day_part + gap + time_part
