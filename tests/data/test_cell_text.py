"""Cells to text and back, and what is said about text that is none."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokumei.data.cell_text import cell_text, parse_values, value_text
from tokumei.data.cells import RangeCells, SetCells
from tokumei.data.columns import ISO_DATETIME, SLASH_DATE, Field, Kind
from tokumei.data.written_cells import Fault, Form, WrittenCells, read_cells

UNITS = Field("units", Kind.NUMBER)
PRICE = Field("price", Kind.NUMBER, 0.01)
HALVES = Field("halves", Kind.NUMBER, 0.5)
DOZENS = Field("dozens", Kind.NUMBER, 12.0)
DEGREES = Field("degrees", Kind.NUMBER, 1e-6)
DATE = Field("date", Kind.DATE, 1.0, SLASH_DATE)
MOMENT = Field("moment", Kind.DATETIME, 1.0, ISO_DATETIME)
GOODS = Field("goods", Kind.CATEGORY)
LETTERS = pl.Series("goods", ["a", "b", "c"])

ordered_fields = st.sampled_from([UNITS, PRICE, HALVES, DOZENS, DEGREES, DATE, MOMENT])
codes = st.integers(-25_000, 100_000)
range_lists = st.lists(st.one_of(st.none(), st.tuples(codes, codes).map(sorted)), max_size=8)
# Everything that the grammar, or its escapes, could be mistaken for.
awkward = st.text(alphabet="ab;{}*%[]2357ABDé ", max_size=4)
grammar = st.text(alphabet="[]{};*ab1", max_size=7)


def read_texts(texts: list[str | None], field: Field, categories: pl.Series | None = None) -> WrittenCells:
    return read_cells(pl.Series(texts, dtype=pl.String), field, categories)


@pytest.mark.half_second
@given(ordered_fields, range_lists, st.sampled_from([1, 4]))
def test_ranges_survive_the_way_through_text(field: Field, model: list[list[int] | None], times: int) -> None:
    """Both ways of reading are taken: repeated texts are read once, others one by one."""
    model *= times
    lo, hi = [pair[0] if pair else 0 for pair in model], [pair[1] if pair else 0 for pair in model]
    cells = RangeCells.of_ranges(lo, hi, suppressed=[pair is None for pair in model])
    text = cell_text(cells, field)
    back = read_cells(text, field).to_cells(field)
    assert isinstance(back, RangeCells)
    assert back.lo.tolist() == cells.lo.tolist()
    assert back.hi.tolist() == cells.hi.tolist()
    assert back.suppressed.tolist() == cells.suppressed.tolist()
    assert cell_text(back, field).to_list() == text.to_list()


@pytest.mark.half_second
@given(st.lists(awkward, min_size=1, max_size=6, unique=True), st.data())
def test_sets_of_any_categories_survive_the_way_through_text(names: list[str], data: st.DataObject) -> None:
    categories = pl.Series("goods", sorted(names))
    subsets = st.one_of(st.none(), st.lists(st.sampled_from(names), min_size=1, unique=True))
    cells = SetCells.of_sets(data.draw(st.lists(subsets, max_size=8)), categories)
    text = cell_text(cells, GOODS)
    back = read_cells(text, GOODS, categories).to_cells(GOODS, categories)
    assert isinstance(back, SetCells)
    assert back.equals(cells).all()
    assert cell_text(back, GOODS).to_list() == text.to_list()


@pytest.mark.half_second
@given(st.lists(grammar, max_size=12))
def test_categories_are_read_as_a_plain_reader_reads_them(texts: list[str]) -> None:
    cells = read_cells(pl.Series(texts, dtype=pl.String), GOODS, LETTERS, literal=True)
    for row, text in enumerate(texts):
        elements, form, fault = [text], Form.VALUE, Fault.NONE
        if text == "*":
            elements, form = [], Form.STAR
        elif text.startswith("{"):
            elements, form = text[1:][:-1].split(";"), Form.SET
            fault = Fault.NONE if text.endswith("}") else Fault.UNCLOSED
        known = [LETTERS.to_list().index(one) if one in LETTERS else -1 for one in elements]
        if fault is Fault.NONE and -1 in known:
            fault = Fault.UNKNOWN_CATEGORY
        assert (cells.form[row], cells.fault[row], cells.size[row]) == (form, fault, len(elements))
        assert cells.codes[cells.offsets[row] : cells.offsets[row + 1]].tolist() == known


@given(st.lists(grammar, max_size=12), st.sampled_from([1, 4]))
def test_ranges_are_read_as_a_plain_reader_reads_them(texts: list[str], times: int) -> None:
    texts *= times
    cells = read_cells(pl.Series(texts, dtype=pl.String), UNITS, literal=True)
    for row, text in enumerate(texts):
        form, fault, lo, hi = plain_range(text)
        assert (cells.form[row], cells.fault[row], cells.lo[row], cells.hi[row]) == (form, fault, lo, hi)


def plain_range(text: str) -> tuple[Form, Fault, int, int]:
    """Return what a cell of whole numbers says."""
    if text == "*":
        return Form.STAR, Fault.NONE, 0, 0
    if text.startswith("{"):
        return Form.SET, Fault.WRONG_FORM if text.endswith("}") else Fault.UNCLOSED, 0, 0
    form, parts = Form.VALUE, [text]
    if text.startswith("["):
        form, parts = Form.RANGE, text[1:][:-1].split(";")
        if not text.endswith("]") or len(parts) != 2:
            return form, Fault.UNCLOSED, 0, 0
    if not all(part.isdigit() for part in parts):
        return form, Fault.UNPARSABLE, 0, 0
    lo, hi = int(parts[0]), int(parts[-1])
    return form, Fault.REVERSED if lo > hi else Fault.NONE, lo, hi


@pytest.mark.parametrize(
    ("field", "text", "fault", "reason"),
    [
        (PRICE, "[1;2", Fault.UNCLOSED, "the bracket is not closed"),
        (PRICE, "[1]", Fault.UNCLOSED, r"too few parts; write \[lo;hi\]"),
        (PRICE, "[1;2;3]", Fault.UNCLOSED, "too many or too few parts"),
        (PRICE, "{1;2}", Fault.WRONG_FORM, r"a number column takes a value, \[lo;hi\] or \*"),
        (PRICE, "1.005", Fault.UNPARSABLE, "this is no number in steps of 0.01"),
        (PRICE, "1;2", Fault.UNPARSABLE, "this is no number"),
        (PRICE, "inf", Fault.UNPARSABLE, "this is no number"),
        (PRICE, "nan", Fault.UNPARSABLE, "this is no number"),
        (DATE, "2011/2/29", Fault.UNPARSABLE, "this is no date of the form %Y/%-m/%-d"),
        (DATE, "[2011/2/2;2011/2/1]", Fault.REVERSED, "exchange them"),
        (GOODS, "{a;b", Fault.UNCLOSED, r"write \{a;b\}"),
        (GOODS, "{a;z}", Fault.UNKNOWN_CATEGORY, "does not occur in the original data"),
        (GOODS, "[a;b]", Fault.UNKNOWN_CATEGORY, "does not occur"),
        (GOODS, "{}", Fault.UNKNOWN_CATEGORY, "does not occur"),
    ],
)
def test_a_faulty_cell_is_named_with_what_to_write(field: Field, text: str, fault: Fault, reason: str) -> None:
    categories = LETTERS if field.nominal else None
    cells = read_texts([text], field, categories)
    assert Fault(int(cells.fault[0])) is fault
    assert pl.Series([fault.reason(field)]).str.contains(reason).all()
    with pytest.raises(ValueError, match=f"column '{field.name}' has 1 faulty cells"):
        cells.to_cells(field, categories)


@pytest.mark.parametrize(
    ("field", "text", "code"),
    [
        (PRICE, "2", 200),
        (PRICE, "2.10", 210),
        (PRICE, "-0.5", -50),
        (UNITS, "7.0", 7),
        (UNITS, "9007199254740993", 9007199254740993),
        (DATE, "2011/01/05", 14979),
        (DATE, "2011/1/5", 14979),
        (MOMENT, "1970-01-01 00:01:00", 60),
        (DEGREES, "35.68123449", 35681234),
    ],
)
def test_values_are_read_in_steps(field: Field, text: str, code: int) -> None:
    assert [array.tolist() for array in parse_values(pl.Series([text]), field)] == [[code], [False]]


@given(st.integers(-(10**9), 10**9), st.sampled_from(["0.01", "0.5", "0.25", "10", "1"]))
def test_values_are_written_without_surplus_zeros(code: int, step: str) -> None:
    text = value_text([code], Field("x", Kind.NUMBER, float(step)))[0]
    assert Decimal(text) == code * Decimal(step)
    assert text == format(Decimal(text).normalize() + 0, "f")


def test_long_numbers_are_multiples_of_their_step_or_wrong() -> None:
    """From 1e12 steps on half a step was accepted and rounded; from 2**51 on a float cannot even hold it."""
    random = np.random.default_rng(11)
    for step in ("1", "0.1", "0.01", "0.25", "0.001", "50"):
        field = Field("x", Kind.NUMBER, float(step))
        codes = [int(10.0**power) + int(random.integers(0, 999)) for power in np.linspace(1, 15.9, 60)]
        texts = [f"{Decimal(step) * code:f}" for code in codes]
        found, bad = parse_values(pl.Series(texts), field)
        assert found.tolist() == codes
        assert not bad.any()
        for part in ("0.5", "0.3", "0.75"):
            between = pl.Series([f"{Decimal(step) * (code + Decimal(part)):f}" for code in codes])
            assert parse_values(between, field)[1].all()
            found, bad = parse_values(between, field, rounding=True)
            assert not bad.any()
            assert (np.abs(found - np.array(codes)) <= 1).all()
    assert parse_values(pl.Series(["9007199254740993"] * 2), Field("x", Kind.NUMBER, 0.5))[1].all()


def test_nothing_is_read_as_the_empty_text() -> None:
    cells = read_texts([None, "a"], GOODS, pl.Series(["", "a"]))
    assert (cells.codes.tolist(), cells.fault.tolist()) == ([0, 1], [0, 0])


def test_literal_text_has_no_escapes() -> None:
    categories = pl.Series(["%3B", "a;b"])
    cells = SetCells.of_values([0, 1], categories)
    assert cell_text(cells, GOODS, literal=True).to_list() == ["%3B", "a;b"]
    assert cell_text(cells, GOODS).to_list() == ["%253B", "a%3Bb"]
    assert read_cells(pl.Series(["%3B"]), GOODS, categories, literal=True).codes.tolist() == [0]


def test_repeated_elements_are_counted_as_written() -> None:
    cells = read_texts(["{b;a;b}"], GOODS, LETTERS)
    assert (cells.size.tolist(), cells.codes.tolist()) == ([3], [1, 0, 1])
    assert cell_text(cells.to_cells(GOODS, LETTERS), GOODS).to_list() == ["{a;b}"]


def test_columns_without_rows_or_categories_are_read() -> None:
    empty = pl.Series([], dtype=pl.String)
    for field in (DATE, PRICE, UNITS, MOMENT):
        assert len(read_cells(empty, field)) == 0
    assert read_texts(["a", "*"], GOODS, empty).codes.tolist() == [-1]


def test_a_category_needs_its_dictionary() -> None:
    with pytest.raises(ValueError, match="column 'goods' is nominal: its categories are needed"):
        read_texts(["a"], GOODS)


def test_arrays_can_be_written_to() -> None:
    """Whoever reads owns the result; polars' own memory is never handed out."""
    cells = read_texts(["1", "2"], UNITS)
    cells.lo[0] = 5
    codes, bad = parse_values(pl.Series(["1", "x"]), UNITS)
    codes[0], bad[0] = 5, True
    assert np.array_equal(codes, [5, 0])
