"""What is written in generalized cells: ``value``, ``[lo;hi]``, ``{a;b;c}`` and ``*`` (PWS Cup 2018 files, spec B.3).

An empty text is a value that is missing in the original; in contest files (``literal``) it is one only in categories.

Whole columns are read at once, in two steps: `read_cells` says what is *written* (form, ends, number of elements,
dictionary codes), including what is wrong with it; `WrittenCells.to_cells` turns faultless text into the canonical
arrays of `tokumei.data.cells`. Contest programs that look at the written form (a set with a repeated element, a set in
a number column) use the first step alone. `tokumei.data.cell_text` is the way back.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Bools, Bytes, Ints
from tokumei.data.cell_text import WORTHWHILE_REPETITION, parse_values, unescaped
from tokumei.data.cells import MISSING, Cells, RangeCells, SetCells
from tokumei.data.columns import Field, Kind

_CELL = pl.col("text")
_SHAPES = (
    (_CELL == "*").alias("star"),
    _CELL.str.starts_with("[").alias("range"),
    _CELL.str.starts_with("{").alias("set"),
)
_PARTS = (
    _CELL.str.slice(1).str.head(-1).str.split(";").alias("parts"),
    _CELL.str.ends_with("]").alias("closed_range"),
    _CELL.str.ends_with("}").alias("closed_set"),
)


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
    shape = text.to_frame().select(_SHAPES)
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
        parts = text.to_frame().select(_PARTS)
        size = parts["parts"].list.len().to_numpy().astype(np.int64)
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
    return unescaped(pl.concat([values, elements.alias("text")])).unique().sort().alias(text.name)


def _interleaved(one: Ints, other: Ints, from_other: Bools) -> Ints:
    """Return both arrays in one, each in its order, where the mask says which of them is next."""
    merged = np.empty(len(from_other), dtype=np.int64)
    merged[~from_other], merged[from_other] = one, other
    return merged


def _picked(text: pl.Series, rows: npt.NDArray[np.intp]) -> pl.Series:
    """Return the texts of these ascending rows."""
    return text if len(rows) == len(text) else text[rows]


def _category_codes(text: pl.Series, categories: pl.Series, *, literal: bool) -> Ints:
    """Return dictionary codes, -1 where the value is not in the dictionary."""
    if not literal:
        text = unescaped(text)
    if len(categories) == 0:
        return np.full(len(text), -1, dtype=np.int64)
    codes = text.cast(pl.Enum(categories), strict=False).to_physical()
    return codes.cast(pl.Int64).fill_null(-1).to_numpy()
