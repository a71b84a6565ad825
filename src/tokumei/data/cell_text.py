"""The text of generalized cells: ``value``, ``[lo;hi]``, ``{a;b;c}`` and ``*`` (PWS Cup 2018 files, spec B.3).

An empty text is a value that is missing in the original; in contest files (``literal``) it is one only in categories.

Whole columns are read and written at once. Reading has two steps: `read_cells` says what is *written* (form, ends,
number of elements, dictionary codes), including what is wrong with it; `WrittenCells.to_cells` turns faultless text
into the canonical arrays of `tokumei.data.cells`. Contest programs that look at the written form (a set with a repeated
element, a set in a number column) use the first step alone.

A category that would be mistaken for grammar is escaped (``;`` becomes ``%3B``) unless ``literal`` text is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Bools, Bytes, Ints
from tokumei.data.cells import MISSING, Cells, RangeCells, SetCells
from tokumei.data.columns import Field, Kind
from tokumei.data.date_text import date_text, days_of, moment_text, seconds_of

_ESCAPES = {";": "%3B", "{": "%7B", "}": "%7D", "*": "%2A"}
_ESCAPED = "%(25|3B|7B|7D|2A)"
# Nobody writes exact multiples of so small a step: text made from floating-point numbers is rounded to it.
ROUNDED_STEP = 1e-6
# Histories repeat their cells: where every text occurs at least so often on average, each is read only once.
WORTHWHILE_REPETITION = 4


class Form(IntEnum):
    """How a cell is written."""

    VALUE = 0
    RANGE = 1
    SET = 2
    STAR = 3


class Fault(IntEnum):
    """What is wrong with a written cell; the first fault that applies."""

    NONE = 0
    UNCLOSED = 1
    WRONG_FORM = 2
    UNPARSABLE = 3
    REVERSED = 4
    UNKNOWN_CATEGORY = 5

    def reason(self, field: Field) -> str:
        """Return the fault in words, with what to write instead."""
        shape = "{a;b}" if field.nominal else "[lo;hi]"
        return {
            Fault.NONE: "nothing is wrong",
            Fault.UNCLOSED: f"the bracket is not closed, or the cell has too many or too few parts; write {shape}",
            Fault.WRONG_FORM: f"a {field.kind} column takes a value, {shape} or *",
            Fault.UNPARSABLE: f"this is no {field.kind}{_example(field)}",
            Fault.REVERSED: "the lower end of the range is above its upper end; exchange them",
            Fault.UNKNOWN_CATEGORY: "this value does not occur in the original data",
        }[self]


def _example(field: Field) -> str:
    if field.kind is Kind.NUMBER:
        return f" in steps of {field.step:.12g}"
    if field.kind in (Kind.DATE, Kind.DATETIME):
        return f" of the form {field.format}"
    return ""


@dataclass(frozen=True, eq=False, slots=True)
class WrittenCells:
    """A column of cells as written: form, ends in steps (ordered fields) or element codes (categories), faults."""

    form: Bytes
    fault: Bytes
    lo: Ints
    hi: Ints
    size: Ints
    offsets: Ints
    codes: Ints

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.form)

    def to_cells(self, field: Field, categories: pl.Series | None = None) -> Cells:
        """Return the canonical cells of a column without faults."""
        if self.fault.any():
            message = f"column '{field.name}' has {int((self.fault > 0).sum())} faulty cells"
            raise ValueError(message)
        star = self.form == Form.STAR
        if categories is None:
            return RangeCells.of_ranges(self.lo, self.hi, suppressed=star, missing=self.lo == MISSING)
        return SetCells.of_lists(self.offsets, self.codes, categories, suppressed=star)


def read_cells(
    text: pl.Series, field: Field, categories: pl.Series | None = None, *, literal: bool = False
) -> WrittenCells:
    """Read a column of cell texts; nominal fields need the dictionary of their categories."""
    text = (text.fill_null("") if text.null_count() else text).alias("text")
    if field.nominal:
        if categories is None:
            message = f"column '{field.name}' is nominal: its categories are needed to read it"
            raise ValueError(message)
        return _read_sets(text, categories, literal=literal)
    distinct = text.unique()
    if len(distinct) * WORTHWHILE_REPETITION >= len(text):
        return _read_ranges(text, field, literal=literal)
    cells = _read_ranges(distinct, field, literal=literal)
    which = text.cast(pl.Enum(distinct)).to_physical().to_numpy().astype(np.intp)
    per_cell = (cells.form, cells.fault, cells.lo, cells.hi, cells.size)
    form, fault, lo, hi, size = (values[which] for values in per_cell)
    return WrittenCells(form, fault, lo, hi, size, cells.offsets, cells.codes)


def _forms(text: pl.Series) -> Bytes:
    """Return how the cells are written (one query, since each has a fixed price that short columns feel)."""
    cell = pl.col("text")
    shape = text.to_frame().select(
        (cell == "*").alias("star"), cell.str.starts_with("[").alias("range"), cell.str.starts_with("{").alias("set")
    )
    form = np.full(len(text), Form.VALUE, dtype=np.uint8)
    for name, member in (("range", Form.RANGE), ("set", Form.SET), ("star", Form.STAR)):
        form[shape[name].to_numpy()] = member
    return form


@dataclass(frozen=True, eq=False, slots=True)
class _Parts:
    """What stands between the brackets of some cells: all parts one after the other, and how many each cell has."""

    flat: pl.Series
    size: Ints
    closed_range: Bools
    closed_set: Bools

    @classmethod
    def of_text(cls, text: pl.Series) -> _Parts:
        cell = pl.col("text")
        parts = text.to_frame().select(
            cell.str.slice(1).str.head(-1).str.split(";").alias("parts"),
            cell.str.ends_with("]").alias("closed_range"),
            cell.str.ends_with("}").alias("closed_set"),
        )
        size = parts.select(pl.col("parts").list.len().cast(pl.Int64)).to_series().to_numpy()
        return cls(parts["parts"].explode(), size, parts["closed_range"].to_numpy(), parts["closed_set"].to_numpy())


def _read_ranges(text: pl.Series, field: Field, *, literal: bool) -> WrittenCells:
    """Read a column of an ordered field."""
    form = _forms(text)
    fault = np.where(form == Form.SET, Fault.WRONG_FORM, Fault.NONE).astype(np.uint8)
    size = np.where(form == Form.STAR, 0, 1)
    low, high = np.zeros((2, len(form)), dtype=np.int64)
    bad = np.zeros(len(form), dtype=np.bool_)
    values = np.flatnonzero(form == Form.VALUE)
    if len(values):
        low[values], bad[values] = parse_values(_picked(text, values), field)
        high[values] = low[values]
    bracketed = np.flatnonzero((form == Form.RANGE) | (form == Form.SET))
    if len(bracketed):
        parts = _Parts.of_text(_picked(text, bracketed))
        size[bracketed] = parts.size
        is_range = form[bracketed] == Form.RANGE
        closed = np.where(is_range, parts.closed_range & (parts.size == 2), parts.closed_set)
        fault[bracketed[~closed]] = Fault.UNCLOSED
        ends, ends_bad = parse_values(parts.flat, field)
        first = (np.cumsum(parts.size) - parts.size)[is_range & closed]
        rows = bracketed[is_range & closed]
        low[rows], high[rows], bad[rows] = ends[first], ends[first + 1], ends_bad[first] | ends_bad[first + 1]
    fault[bad] = Fault.UNPARSABLE
    low[bad] = 0
    high[bad] = 0
    fault[low > high] = Fault.REVERSED
    if not literal:
        absent = (text == "").to_numpy()
        low[absent], high[absent], fault[absent] = MISSING, MISSING, Fault.NONE
    nothing = np.zeros(1, dtype=np.int64)
    return WrittenCells(form, fault, low, high, size, nothing, nothing[:0])


def _read_sets(text: pl.Series, categories: pl.Series, *, literal: bool) -> WrittenCells:
    """Read a column of a category; a text in square brackets is a value like any other."""
    form = _forms(text)
    form[form == Form.RANGE] = Form.VALUE
    fault = np.zeros(len(form), dtype=np.uint8)
    size = np.where(form == Form.STAR, 0, 1)
    values, sets = np.flatnonzero(form == Form.VALUE), np.flatnonzero(form == Form.SET)
    codes = _category_codes(_picked(text, values), categories, literal=literal)
    if len(sets):
        parts = _Parts.of_text(_picked(text, sets))
        size[sets] = parts.size
        fault[sets[~parts.closed_set]] = Fault.UNCLOSED
        elements = _category_codes(parts.flat, categories, literal=literal)
        codes = _interleaved(codes, elements, np.repeat(form == Form.SET, size)) if len(values) else elements
    offsets = np.concatenate(([0], np.cumsum(size)))
    if codes.min(initial=0) < 0:
        unknown = np.repeat(np.arange(len(size)), size)[codes < 0]
        fault[unknown] = np.where(fault[unknown] == 0, Fault.UNKNOWN_CATEGORY, fault[unknown])
    zeros = np.zeros(len(size), dtype=np.int64)
    return WrittenCells(form, fault, zeros, zeros, size, offsets, codes)


def written_categories(text: pl.Series) -> pl.Series:
    """Return the sorted dictionary of a column of category cells: every value that stands alone or in a set."""
    distinct = text.fill_null("").unique().alias("text")
    form = _forms(distinct)
    values = _picked(distinct, np.flatnonzero((form == Form.VALUE) | (form == Form.RANGE)))
    elements = _Parts.of_text(_picked(distinct, np.flatnonzero(form == Form.SET))).flat
    return _unescaped(pl.concat([values, elements.alias("text")])).unique().sort().alias(text.name)


def _interleaved(one: Ints, other: Ints, from_other: Bools) -> Ints:
    """Return both arrays in one, each in its order, where the mask says which of them is next."""
    merged = np.empty(len(from_other), dtype=np.int64)
    merged[~from_other], merged[from_other] = one, other
    return merged


def _picked(text: pl.Series, rows: npt.NDArray[np.intp]) -> pl.Series:
    """Return the texts of these ascending rows."""
    return text if len(rows) == len(text) else text.gather(rows)


def _category_codes(text: pl.Series, categories: pl.Series, *, literal: bool) -> Ints:
    """Return dictionary codes, -1 where the value is not in the dictionary."""
    if not literal:
        text = _unescaped(text)
    if len(categories) == 0:
        return np.full(len(text), -1, dtype=np.int64)
    codes = text.cast(pl.Enum(categories), strict=False).to_physical()
    return codes.cast(pl.Int64).fill_null(-1).to_numpy()


def _unescaped(text: pl.Series) -> pl.Series:
    if not text.str.contains(_ESCAPED).any():
        return text
    for plain, escape in _ESCAPES.items():
        text = text.str.replace_all(escape, plain, literal=True)
    return text.str.replace_all("%25", "%", literal=True)


def _escaped(values: pl.Series) -> pl.Series:
    """Return category texts that cannot be mistaken for grammar (one query: see `_forms`)."""
    return values.to_frame().select(escaped(pl.nth(0))).to_series()


def escaped(values: pl.Expr) -> pl.Expr:
    """Return the expression of category texts that cannot be mistaken for grammar."""
    text = values.str.replace_all(_ESCAPED, "%25${1}").str.replace_all(";", _ESCAPES[";"], literal=True)
    text = text.str.replace(r"^\{", _ESCAPES["{"]).str.replace(r"\}$", _ESCAPES["}"])
    return text.str.replace(r"^\*$", _ESCAPES["*"])


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
        codes[others], bad[others] = _parse_decimals(text.gather(others), field.step, rounding=rounding)
    return codes, bad


def _parse_decimals(text: pl.Series, step: float, *, rounding: bool = False) -> tuple[Ints, Bools]:
    """Return numbers in steps; steps up to 1e-6 round what is written more finely, others if they shall."""
    number = text.cast(pl.Float64, strict=False).to_numpy() / step
    steps = np.rint(number)
    slack = 0.5 if rounding or step <= ROUNDED_STEP else 1e-6
    size = np.abs(number)
    with np.errstate(invalid="ignore"):
        bad = ~((np.abs(number - steps) <= slack * (1 + size * 1e-6)) & (size < 2.0**53))
    if bad.any():
        steps[bad] = 0
    return steps.astype(np.int64), bad


def value_text(codes: npt.ArrayLike, field: Field) -> pl.Series:
    """Return the shortest text of each code of an ordered field."""
    numbers = np.asarray(codes, dtype=np.int64)
    low, high = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    if (high - low) * WORTHWHILE_REPETITION < len(numbers):
        return _value_text(np.arange(low, high + 1), field).gather(numbers - low)
    return _value_text(numbers, field)


def _value_text(codes: Ints, field: Field) -> pl.Series:
    return pl.DataFrame({"text": codes}).select(_text_of(pl.col("text"), field)).to_series()


def _text_of(units: pl.Expr, field: Field) -> pl.Expr:
    """Return the text of codes as one expression: each query has a fixed price that short columns feel."""
    if field.kind is Kind.DATE:
        return date_text(units, field.format)
    if field.kind is Kind.DATETIME:
        return moment_text(units, field.format)
    exponent = Decimal(repr(field.step)).normalize().as_tuple().exponent
    places = max(-int(exponent), 0)
    scaled = units * int(Decimal(repr(field.step)) * 10**places)
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
            columns.append((names if literal else _escaped(names)).gather(values).alias(field.name))
            continue
        missing = values == MISSING
        text = value_text(np.where(missing, 0, values) if missing.any() else values, field)
        if missing.any():
            text = pl.select(pl.when(~pl.Series(missing)).then(text).otherwise(pl.lit(""))).to_series()
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
        text = pl.select(pl.when(pl.Series(cells.withheld)).then(pl.lit("*")).otherwise(text)).to_series()
    if isinstance(cells, RangeCells) and cells.missing.any():
        text = pl.select(pl.when(pl.Series(cells.missing)).then(pl.lit("")).otherwise(text)).to_series()
    return text.alias(field.name)


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
    elements = names.gather(cells.codes)
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
    return pl.concat([joined, pl.Series("text", ["*"])]).gather(position)
