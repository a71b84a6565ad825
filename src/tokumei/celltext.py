"""The text of generalized cells: ``value``, ``[lo;hi]``, ``{a;b;c}`` and ``*`` (PWS Cup 2018 files, spec B.3).

Whole columns are read and written at once. Reading has two steps: `read_cells` says what is *written* (form, ends,
number of elements, dictionary codes), including what is wrong with it; `WrittenCells.to_cells` turns faultless text
into the canonical arrays of `tokumei.cells`. Contest programs that look at the written form (a set with a repeated
element, a set in a number column) use the first step alone.

A category that would be mistaken for grammar is escaped (``;`` becomes ``%3B``) unless ``literal`` text is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.cells import Cells, RangeCells, SetCells
from tokumei.schema import Field, Kind

__all__ = ["Fault", "Form", "WrittenCells", "cell_text", "parse_values", "read_cells", "value_text"]

Ints = npt.NDArray[np.int64]
_ESCAPES = {";": "%3B", "{": "%7B", "}": "%7D", "*": "%2A"}
_ESCAPED = "%(25|3B|7B|7D|2A)"
# Nobody writes exact multiples of so small a step: text made from floating-point numbers is rounded to it.
ROUNDED_STEP = 1e-6


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

    form: npt.NDArray[np.uint8]
    fault: npt.NDArray[np.uint8]
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
            return RangeCells.of_ranges(self.lo, self.hi, suppressed=star)
        return SetCells.of_lists(self.offsets, self.codes, categories, suppressed=star)


def read_cells(
    text: pl.Series, field: Field, categories: pl.Series | None = None, *, literal: bool = False
) -> WrittenCells:
    """Read a column of cell texts; nominal fields need the dictionary of their categories."""
    text = text.fill_null("").alias("text")
    if field.nominal:
        if categories is None:
            message = f"column '{field.name}' is nominal: its categories are needed to read it"
            raise ValueError(message)
        return _read_sets(text, categories, literal=literal)
    return _read_ranges(text, field)


def _shape(text: pl.Series) -> pl.DataFrame:
    """Return which cells are ``*``, open with a bracket and close with its counterpart."""
    cell = pl.col("text")
    return text.to_frame().select(
        (cell == "*").alias("star"),
        cell.str.starts_with("[").alias("range"),
        cell.str.starts_with("{").alias("set"),
        (cell.str.starts_with("[") & ~cell.str.ends_with("]")).alias("open_range"),
        (cell.str.starts_with("{") & ~cell.str.ends_with("}")).alias("open_set"),
    )


def _forms(shape: pl.DataFrame) -> npt.NDArray[np.uint8]:
    form = np.full(shape.height, Form.VALUE, dtype=np.uint8)
    for name, member in (("range", Form.RANGE), ("set", Form.SET), ("star", Form.STAR)):
        form[shape[name].to_numpy()] = member
    return form


def _read_ranges(text: pl.Series, field: Field) -> WrittenCells:
    """Read a column of an ordered field."""
    shape = _shape(text)
    form = _forms(shape)
    fault = np.zeros(len(form), dtype=np.uint8)
    is_range, is_set = form == Form.RANGE, form == Form.SET
    size = np.where(form == Form.STAR, 0, 1).astype(np.int64)
    inner = text
    if is_range.any() or is_set.any():
        bracketed = pl.Series(is_range | is_set)
        inside = text.str.slice(1).str.head(-1)
        inner = inside.zip_with(bracketed, text)
        size[is_range | is_set] = inner.filter(bracketed).str.count_matches(";", literal=True).to_numpy() + 1
        fault[(shape["open_range"] | shape["open_set"]).to_numpy()] = Fault.UNCLOSED
        fault[is_range & (size != 2) & (fault == 0)] = Fault.UNCLOSED
    fault[is_set & (fault == 0)] = Fault.WRONG_FORM
    ends = inner.str.split_exact(";", 1).struct.unnest()
    low, low_bad = parse_values(ends["field_0"], field)
    single = form == Form.VALUE
    high, high_bad = low.copy(), np.zeros(len(low), dtype=np.bool_)
    if is_range.any():
        rows = np.flatnonzero(is_range)
        high[rows], high_bad[rows] = parse_values(ends["field_1"].gather(rows), field)
    read = (single | is_range) & (fault == 0)
    fault[read & (low_bad | high_bad)] = Fault.UNPARSABLE
    fault[read & (fault == 0) & (low > high)] = Fault.REVERSED
    unusable = (fault > 0) & (fault != Fault.REVERSED)
    low[unusable | ~(single | is_range)] = 0
    high[unusable | ~(single | is_range)] = 0
    nothing = np.zeros(1, dtype=np.int64)
    return WrittenCells(form, fault, low, high, size, nothing, nothing[:0])


def _read_sets(text: pl.Series, categories: pl.Series, *, literal: bool) -> WrittenCells:
    """Read a column of a category."""
    shape = _shape(text)
    is_set = shape["set"].to_numpy()
    form = np.where(is_set, Form.SET, np.where(shape["star"].to_numpy(), Form.STAR, Form.VALUE)).astype(np.uint8)
    fault = np.where(shape["open_set"].to_numpy(), Fault.UNCLOSED, Fault.NONE).astype(np.uint8)
    size = np.where(form == Form.STAR, 0, 1).astype(np.int64)
    elements = text.filter(pl.Series(form != Form.STAR)) if (form == Form.STAR).any() else text
    if is_set.any():
        inside = text.filter(pl.Series(is_set))
        lists = inside.str.slice(1).str.head(-1).str.split(";")
        size[is_set] = lists.list.len().to_numpy()
        offsets = np.concatenate(([0], np.cumsum(size))).astype(np.int64)
        codes = np.empty(offsets[-1], dtype=np.int64)
        element_in_set = np.repeat(is_set, size)
        codes[element_in_set] = _category_codes(lists.explode(), categories, literal=literal)
        values = text.filter(pl.Series(form == Form.VALUE))
        codes[~element_in_set] = _category_codes(values, categories, literal=literal)
    else:
        offsets = np.concatenate(([0], np.cumsum(size))).astype(np.int64)
        codes = _category_codes(elements, categories, literal=literal)
    unknown = np.repeat(np.arange(len(size)), size)[codes < 0]
    fault[unknown] = np.where(fault[unknown] == 0, Fault.UNKNOWN_CATEGORY, fault[unknown])
    zeros = np.zeros(len(size), dtype=np.int64)
    return WrittenCells(form, fault, zeros, zeros, size, offsets, codes)


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
    """Return category texts that cannot be mistaken for grammar."""
    text = values.str.replace_all(_ESCAPED, "%25${1}")
    text = text.str.replace_all(";", _ESCAPES[";"], literal=True)
    text = text.str.replace(r"^\{", _ESCAPES["{"]).str.replace(r"\}$", _ESCAPES["}"])
    return text.str.replace(r"^\*$", _ESCAPES["*"])


def parse_values(text: pl.Series, field: Field) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Return the codes of plain texts of an ordered field, and which of them cannot be parsed."""
    if field.kind is Kind.DATE:
        parsed = text.str.to_date(_parse_format(field.format), strict=False).cast(pl.Int32).cast(pl.Int64)
    elif field.kind is Kind.DATETIME:
        moments = text.str.to_datetime(_parse_format(field.format), strict=False, time_unit="ms")
        parsed = moments.cast(pl.Int64) // 1000
    else:
        parsed = _parse_numbers(text, field.step)
    return parsed.fill_null(0).to_numpy().copy(), parsed.is_null().to_numpy()


def _parse_numbers(text: pl.Series, step: float) -> pl.Series:
    """Return numbers in steps, null where there is none; steps up to 1e-6 round what is written more finely."""
    if step != 1.0:
        return _parse_decimals(text, step)
    whole = text.cast(pl.Int64, strict=False)
    others = (whole.is_null() & text.is_not_null()).arg_true()
    return whole.scatter(others, _parse_decimals(text.gather(others), step)) if len(others) else whole


def _parse_decimals(text: pl.Series, step: float) -> pl.Series:
    number = text.cast(pl.Float64, strict=False) / step
    steps = number.round()
    slack = 0.5 if step <= ROUNDED_STEP else 1e-6
    fits = ((number - steps).abs() <= slack * (1 + number.abs() * 1e-6)) & (number.abs() < 2.0**53)
    return pl.select(pl.when(fits).then(steps)).to_series().cast(pl.Int64)


def _parse_format(text_format: str) -> str:
    """Return the format that also reads zero-padded text."""
    return text_format.replace("%-", "%")


def value_text(codes: npt.ArrayLike, field: Field) -> pl.Series:
    """Return the shortest text of each code of an ordered field."""
    units = pl.Series("text", np.asarray(codes, dtype=np.int64))
    if field.kind is Kind.DATE:
        return units.cast(pl.Int32).cast(pl.Date).dt.strftime(field.format)
    if field.kind is Kind.DATETIME:
        return (units * 1000).cast(pl.Datetime("ms")).dt.strftime(field.format)
    exponent = Decimal(repr(field.step)).normalize().as_tuple().exponent
    places = max(-int(exponent), 0)
    scaled = units * int(Decimal(repr(field.step)) * 10**places)
    if places == 0:
        return scaled.cast(pl.String)
    whole, rest = scaled.abs() // 10**places, scaled.abs() % 10**places
    fraction = rest.cast(pl.String).str.zfill(places).str.strip_chars_end("0")
    frame = pl.DataFrame({"negative": scaled < 0, "whole": whole.cast(pl.String), "fraction": fraction})
    point = pl.when(pl.col("fraction") == "").then(pl.lit("")).otherwise(pl.lit("."))
    sign = pl.when("negative").then(pl.lit("-")).otherwise(pl.lit(""))
    return frame.select(pl.concat_str(sign, "whole", point, "fraction").alias("text")).to_series()


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
        text = pl.select(pl.when(pl.Series(cells.suppressed)).then(pl.lit("*")).otherwise(text)).to_series()
    return text.alias(field.name)


def _set_text(cells: SetCells, *, literal: bool) -> pl.Series:
    names = cells.categories if literal else _escaped(cells.categories)
    elements = names.gather(cells.codes)
    if len(cells.codes) == len(cells) and not cells.suppressed.any():
        return elements
    frame = pl.DataFrame({"cell": cells.owners(), "element": elements})
    joined = frame.group_by("cell", maintain_order=True).agg(pl.col("element").str.join(";"), pl.len().alias("size"))
    braced = joined.select(
        "cell",
        pl.when(pl.col("size") > 1)
        .then(pl.concat_str(pl.lit("{"), "element", pl.lit("}")))
        .otherwise("element")
        .alias("text"),
    )
    every = pl.DataFrame({"cell": np.arange(len(cells))})
    return every.join(braced, on="cell", how="left", maintain_order="left")["text"].fill_null("*")
