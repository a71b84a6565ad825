"""Values and generalized cells as text: ``value``, ``[lo;hi]``, ``{a;b;c}`` and ``*`` (PWS Cup 2018 files, spec B.3).

Whole columns are read and written at once. A category that would be mistaken for grammar is escaped (``;`` becomes
``%3B``) unless ``literal`` text is asked for. `tokumei.data.written_cells` reads cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Bools, Ints
from tokumei.data.cells import MISSING, Cells, RangeCells, SetCells
from tokumei.data.columns import Field, Kind
from tokumei.data.date_text import date_text, days_of, moment_text, seconds_of

_ESCAPES = {";": "%3B", "{": "%7B", "}": "%7D", "*": "%2A"}
_ESCAPED = "%(25|3B|7B|7D|2A)"
_MISTAKEN = rf"{_ESCAPED}|;|^\{{|\}}$|^\*$"
# Nobody writes exact multiples of so small a step: text made from floating-point numbers is rounded to it.
ROUNDED_STEP = 1e-6
# A text becomes a float, is divided by a step that is one, and the quotient is rounded: together less than 3 * 2**-53
# of the number, 0.19 steps of 2**49. So a multiple is told from half a step up to there; longer numbers are decimals.
_ROUNDING, _DOUBT, _LONG = 2.0**-51, 0.2, 2.0**49
# Histories repeat their cells: where every text occurs at least so often on average, each is read only once.
WORTHWHILE_REPETITION = 4


def parse_values(text: pl.Series, field: Field, *, rounding: bool = False) -> tuple[Ints, Bools]:
    """Return the codes of plain texts of an ordered field, and which of them cannot be parsed.

    With ``rounding`` a number between two steps is the nearest of them, else it is wrong.
    """
    if field.kind is Kind.NUMBER and field.step != 1.0:
        return _parse_decimals(text, field.step, rounding=rounding)
    if field.kind is Kind.DATE:
        parsed = days_of(text, field.format)
    elif field.kind is Kind.DATETIME:
        parsed = seconds_of(text, field.format)
    else:
        parsed = text.cast(pl.Int64, strict=False)
    if parsed.null_count() == 0:
        return parsed.to_numpy().copy(), np.zeros(len(parsed), dtype=np.bool_)
    bad = parsed.is_null().to_numpy().copy()
    codes = parsed.fill_null(0).to_numpy().copy()
    if field.kind is Kind.NUMBER:
        others = np.flatnonzero(bad)
        codes[others], bad[others] = _parse_decimals(text[others], field.step, rounding=rounding)
    return codes, bad


def _parse_decimals(text: pl.Series, step: float, *, rounding: bool = False) -> tuple[Ints, Bools]:
    """Return numbers in steps; steps up to 1e-6 round what is written more finely, others if they shall."""
    number = text.cast(pl.Float64, strict=False).to_numpy() / step
    steps = np.rint(number)
    slack = 0.5 if rounding or step <= ROUNDED_STEP else 1e-6
    size = np.abs(number)
    with np.errstate(invalid="ignore"):
        bad = ~((np.abs(number - steps) <= slack + np.minimum(size * _ROUNDING, _DOUBT)) & (size < 2.0**53))
        long = np.flatnonzero((size >= _LONG) & (size < 2.0**53))
    if bad.any():
        steps[bad] = 0
    codes = steps.astype(np.int64)
    if len(long):
        codes[long], bad[long] = _parse_long(text[long], step, slack + _DOUBT)
    return codes, bad


def _parse_long(text: pl.Series, step: float, slack: float) -> tuple[Ints, Bools]:
    """Return numbers of which a float cannot tell half a step, by decimals: they are few, and each is read once."""
    distinct = text.unique(maintain_order=True)
    numbers = [Decimal(value.strip()) / Decimal(repr(step)) for value in distinct.to_list()]
    nearest = [number.to_integral_value() for number in numbers]
    off = [abs(number - whole) > Decimal(slack) for number, whole in zip(numbers, nearest, strict=True)]
    place = text.cast(pl.Enum(distinct)).to_physical().to_numpy()
    return np.array([int(whole) for whole in nearest], dtype=np.int64)[place], np.array(off, dtype=np.bool_)[place]


def value_text(codes: npt.ArrayLike, field: Field) -> pl.Series:
    """Return the shortest text of each code of an ordered field."""
    numbers = np.asarray(codes, dtype=np.int64)
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    if (high - low) * WORTHWHILE_REPETITION < len(numbers):
        return _value_text(np.arange(low, high + 1), field)[numbers - low]
    return _value_text(numbers, field)


def _value_text(codes: Ints, field: Field) -> pl.Series:
    if field.kind is Kind.NUMBER and field.step == 1.0:
        return pl.Series("text", codes).cast(pl.String)
    return pl.Series("text", codes).to_frame().select(_text_of(field.kind, field.step, field.format)).to_series()


@lru_cache(maxsize=256)
def _text_of(kind: Kind, step: float, text_format: str) -> pl.Expr:
    """Return the text of the codes in the column ``text`` as one expression.

    Each query has a fixed price that short columns feel, and putting an expression together costs as much again.
    """
    units = pl.col("text")
    if kind is Kind.DATE:
        return date_text(units, text_format)
    if kind is Kind.DATETIME:
        return moment_text(units, text_format)
    exponent = Decimal(repr(step)).normalize().as_tuple().exponent
    places = max(-int(exponent), 0)
    scaled = units * int(Decimal(repr(step)) * 10**places)
    if places == 0:
        return scaled.cast(pl.String)
    whole, rest = scaled.abs() // 10**places, scaled.abs() % 10**places
    fraction = rest.cast(pl.String).str.zfill(places).str.strip_chars_end("0")
    point = pl.when(fraction == "").then(pl.lit("")).otherwise(pl.lit("."))
    sign = pl.when(scaled < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    return pl.concat_str(sign, whole.cast(pl.String), point, fraction).alias("text")


def plain_text(
    codes: Mapping[str, Ints], fields: Sequence[Field], categories: Mapping[str, pl.Series], *, literal: bool = False
) -> list[pl.Series]:
    """Return the text of codes, field by field; missing values are empty."""
    columns = []
    for field in fields:
        values = codes[field.name]
        if field.nominal:
            names = categories[field.name]
            columns.append((names if literal else _escaped(names))[values].alias(field.name))
            continue
        missing = values == MISSING
        text = value_text(np.where(missing, 0, values) if missing.any() else values, field)
        if missing.any():
            text = _put(text, "", missing)
        columns.append(text.alias(field.name))
    return columns


def cells_text(cells: Mapping[str, Cells], fields: Sequence[Field], *, literal: bool = False) -> list[pl.Series]:
    """Return the canonical text of columns, field by field."""
    return [cell_text(cells[field.name], field, literal=literal) for field in fields]


def cell_text(cells: Cells, field: Field, *, literal: bool = False) -> pl.Series:
    """Return the canonical text of a column: plain values bare, set elements in dictionary order."""
    if isinstance(cells, RangeCells):
        text = value_text(cells.lo, field)
        wide = cells.lo != cells.hi
        if wide.any():
            high = value_text(cells.hi, field)
            frame = pl.DataFrame({"lo": text, "hi": high})
            ranges = frame.select(pl.concat_str(pl.lit("["), "lo", pl.lit(";"), "hi", pl.lit("]"))).to_series()
            text = ranges.zip_with(pl.Series(wide), text)
    else:
        text = _set_text(cells, literal=literal)
    if cells.suppressed.any():
        text = _put(text, "*", cells.withheld)
    if isinstance(cells, RangeCells) and cells.missing.any():
        text = _put(text, "", cells.missing)
    return text.alias(field.name)


def _put(text: pl.Series, sign: str, mask: Bools) -> pl.Series:
    """Return the texts with a sign in place of those under the mask."""
    return pl.Series([sign]).zip_with(pl.Series(mask), text)


def sorted_within(cells: SetCells) -> SetCells:
    """Return the cells with the elements of every set in the order of their text."""
    rank = cells.categories.rank("dense").to_numpy()[cells.codes]
    order = np.lexsort((rank, cells.owners()))
    return SetCells(cells.offsets, cells.codes[order], cells.suppressed, cells.categories)


def _set_text(cells: SetCells, *, literal: bool) -> pl.Series:
    names = cells.categories if literal else _escaped(cells.categories)
    if not cells.categories.is_sorted():
        # One set has one text, whatever the order of its dictionary: its elements are sorted as text.
        cells = sorted_within(cells)
    elements = names[cells.codes]
    if len(cells.codes) == len(cells.suppressed) and not cells.suppressed.any():
        return elements
    # Joining finished lists takes an eighth of the time of joining inside the aggregation.
    lists = (
        pl.DataFrame({"cell": cells.owners(), "element": elements}).group_by("cell", maintain_order=True).agg("element")
    )
    element = pl.col("element")
    joined = lists.select(
        pl.when(element.list.len() > 1)
        .then(pl.concat_str(pl.lit("{"), element.list.join(";"), pl.lit("}")))
        .otherwise(element.list.first())
        .alias("text")
    ).to_series()
    filled = cells.sizes() > 0
    position = np.where(filled, np.cumsum(filled) - 1, len(joined))
    return pl.concat([joined, pl.Series("text", ["*"])])[position]


def unescaped(text: pl.Series) -> pl.Series:
    """Return category texts as they are meant."""
    if not text.str.contains(_ESCAPED).any():
        return text
    for plain, escape in _ESCAPES.items():
        text = text.str.replace_all(escape, plain, literal=True)
    return text.str.replace_all("%25", "%", literal=True)


def _escaped(values: pl.Series) -> pl.Series:
    """Return category texts that cannot be mistaken for grammar."""
    if not values.str.contains(_MISTAKEN).any():
        return values
    return values.to_frame().select(escaped(pl.nth(0))).to_series()


def escaped(values: pl.Expr) -> pl.Expr:
    """Return the expression of category texts that cannot be mistaken for grammar."""
    text = values.str.replace_all(_ESCAPED, "%25${1}").str.replace_all(";", _ESCAPES[";"], literal=True)
    text = text.str.replace(r"^\{", _ESCAPES["{"]).str.replace(r"\}$", _ESCAPES["}"])
    return text.str.replace(r"^\*$", _ESCAPES["*"])
