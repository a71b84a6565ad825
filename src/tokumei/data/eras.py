"""Dates of Japanese eras (和暦) in text: 令和6年5月3日, R6.5.3; the first year of an era may be written 元年.

An era begins on the day given here (元号法 and the orders of 1868, 1912 and 1926); a date beyond the end of its era
(平成31年5月1日 stood on many forms) is read as counted and written in the era that it really has.
"""

from __future__ import annotations

import re
from datetime import date

import polars as pl

# Letter, name, the year before its first, first day.
_ERAS = (
    ("M", "明治", 1867, date(1868, 1, 25)),
    ("T", "大正", 1911, date(1912, 7, 30)),
    ("S", "昭和", 1925, date(1926, 12, 25)),
    ("H", "平成", 1988, date(1989, 1, 8)),
    ("R", "令和", 2018, date(2019, 5, 1)),
)
_NAMES = "|".join(name for _, name, _, _ in _ERAS)
_SHAPES = {
    "%EC": f"(?P<name>{_NAMES})",
    "%EN": "(?P<letter>[MTSHR])",
    "%Ey": r"(?P<year>元|\d{1,2})",
    "%m": r"(?P<month>\d{1,2})",
    "%d": r"(?P<day>\d{1,2})",
}
FORMS = ("%EC%Ey年%m月%d日", *(f"%EN%Ey{gap}%m{gap}%d" for gap in ("./-")))
ANY = f"^(?:{_NAMES}|[MTSHR])(?:元|\\d)"


def is_era(text_format: str) -> bool:
    """Return whether a format counts years in eras."""
    return "%E" in text_format


def era_shape(text_format: str) -> str:
    """Return the regular expression of texts in this format, with groups for their parts."""
    pattern = re.escape(text_format.replace("%-", "%"))
    for directive, shape in _SHAPES.items():
        pattern = pattern.replace(re.escape(directive), shape)
    return f"^{pattern}$"


def era_days(text: pl.Series, text_format: str) -> pl.Series:
    """Return the days since 1970 of dates in an era; null where a text is none."""
    parts = text.to_frame("text").select(pl.col("text").str.extract_groups(era_shape(text_format)).alias("parts"))
    parts = parts.unnest("parts")
    key, values = ("name", [era[1] for era in _ERAS]) if "%EC" in text_format else ("letter", [era[0] for era in _ERAS])
    before = pl.col(key).replace_strict(values, [era[2] for era in _ERAS], default=None, return_dtype=pl.Int64)
    year = pl.when(pl.col("year") == "元").then(pl.lit("1")).otherwise("year").cast(pl.Int64, strict=False)
    written = pl.concat_str(
        (before + year).cast(pl.String),
        pl.lit("-"),
        pl.col("month").str.zfill(2),
        pl.lit("-"),
        pl.col("day").str.zfill(2),
    )
    return parts.select(written.str.to_date("%Y-%m-%d", strict=False).cast(pl.Int32).cast(pl.Int64)).to_series()


def era_text(days: pl.Expr, text_format: str) -> pl.Expr:
    """Return days since 1970 as dates of the era they lie in."""
    day = days.cast(pl.Int32).cast(pl.Date)

    def by_era(values: list[str] | list[int]) -> pl.Expr:
        chosen = pl.lit(values[0])
        for (_, _, _, first), value in zip(_ERAS[1:], values[1:], strict=True):
            chosen = pl.when(day >= first).then(pl.lit(value)).otherwise(chosen)
        return chosen

    year = day.dt.year().cast(pl.Int64) - by_era([era[2] for era in _ERAS])
    counted = year.cast(pl.String)
    if "%EC" in text_format:
        counted = pl.when(year == 1).then(pl.lit("元")).otherwise(counted)
    text = day.dt.strftime(re.sub(r"%E([CNy])", r"<\1>", text_format))
    text = text.str.replace_all("<C>", by_era([era[1] for era in _ERAS]), literal=True)
    text = text.str.replace_all("<N>", by_era([era[0] for era in _ERAS]), literal=True)
    return text.str.replace_all("<y>", counted, literal=True)
