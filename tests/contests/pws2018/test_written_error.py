"""The utility U of written files: worked example, official oddities, strict figures, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from tokumei.contests.pws2018 import written_error
from tokumei.contests.pws2018.files import FILES, SCHEMA
from tokumei.contests.pws2018.written_error import written_utility
from tokumei.contests.reading import read_contest
from tokumei.data.history import History
from tokumei.data.results import Score
from tokumei.errors import ContentError, InfeasibleError

FIELDS = ("date", "goods", "price", "quantity")
# Spec B.4 and B.8.
T_OF_B4: tuple[str, ...] = (
    "1,2010/12/1,A,1.00,1",
    "1,2010/12/3,B,2.50,5",
    "2,2010/12/11,A,10,3",
    "3,2011/1/10,C,0.5,7",
)
A_OF_B8 = (
    "101,[2010/12/1;2010/12/3],{A;B},[1;2.5],[1;5]",
    "101,2010/12/3,B,2.50,5",
    "102,*,{A;B;C},10,[2;4]",
    "*,*,*,*,*",
)


def history_of(lines: tuple[str, ...]) -> History:
    rows = [line.split(",") for line in lines]
    return History.from_frame(pl.DataFrame(rows, schema=["customer", *FIELDS], orient="row"), SCHEMA)


def utility(t: tuple[str, ...], a: tuple[str, ...], *, strict: bool = False) -> Score:
    columns = list(zip(*(line.split(",")[1:] for line in a), strict=True))
    written = {name: pl.Series(name, column) for name, column in zip(FIELDS, columns, strict=True)}
    return written_utility(history_of(t), written, strict=strict)


def changed(line: int, cell: int, text: str) -> tuple[str, ...]:
    """Return T as A, with one cell changed (line and cell from 1)."""
    cells = T_OF_B4[line - 1].split(",")
    cells[cell - 1] = text
    return (*T_OF_B4[: line - 1], ",".join(cells), *T_OF_B4[line:])


@pytest.mark.parametrize("strict", [False, True])
def test_the_worked_example_of_the_specification(*, strict: bool) -> None:
    score = utility(T_OF_B4, A_OF_B8, strict=strict)
    assert score.value == pytest.approx(0.4761081672474949, rel=1e-14)
    expected = {"date": 0.5155946, "goods": 0.5416667, "price": 0.2990290, "quantity": 0.5481424}
    assert score.parts == pytest.approx(expected, abs=1e-7)
    assert score.warnings == ()


def test_an_unchanged_file_costs_nothing() -> None:
    assert utility(T_OF_B4, T_OF_B4).value == 0.0


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_reading_in_batches_changes_nothing(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    a = (*changed(2, 5, "6")[:2], *A_OF_B8[2:])
    whole = utility(T_OF_B4, a)
    monkeypatch.setattr(written_error, "BATCH_ROWS", rows)
    assert utility(T_OF_B4, a) == whole
    assert "(first in line 2;" in str(whole.warnings[0])


# Quantities of T are 1, 5, 3, 7: their standard deviation is the root of 5.
ROOT = 5**0.5


@pytest.mark.parametrize(
    ("cell", "text", "oddity", "official", "strict"),
    [
        (5, "6", "1 cell with a plain value other than the original, which costs 0", 0.0, 1 / ROOT),
        (3, "C", "1 cell with a plain value other than the original, which costs 0", 0.0, 1.0),
        (3, "Z", "1 cell with a plain value other than the original, which costs 0", 0.0, 1.0),
        (3, "{B;A;B}", "1 cell with a set with repeated elements, each counted", 2 / 3, 1 / 2),
        (3, "{A;C}", "1 cell with a set without the original value, which costs 1 - 1/m", 1 / 2, 1.0),
        (5, "[6;8]", "1 cell with a range without the original value, put into the same formula", 2 / ROOT, 2 / ROOT),
        (5, "[8;6]", "1 cell with a range without the original value", -4 / ROOT, 2 / ROOT),
    ],
)
def test_official_oddities_are_named_and_strict_figures_are_the_defined_ones(
    cell: int, text: str, oddity: str, official: float, strict: float
) -> None:
    """Spec F-B1. The official formula for [6;8] and x = 5: (1 + 9 + 2) / (2 * 3); for [8;6]: (9 + 1 - 2) / (2 * -1)."""
    a, name = changed(2, cell, text), FIELDS[cell - 2]
    score = utility(T_OF_B4, a)
    assert score.parts[name] == pytest.approx(official / 4)
    assert len(score.warnings) == 1
    warning = str(score.warnings[0])
    assert warning.startswith(f"column '{name}': {oddity}")
    assert warning.endswith("in the official program (first in line 2; --strict gives the defined error)")
    defined = utility(T_OF_B4, a, strict=True)
    assert defined.parts[name] == pytest.approx(strict / 4)
    assert defined.warnings == ()


def test_a_set_in_an_ordered_column_has_no_defined_error() -> None:
    a = changed(3, 5, "{3;4}")
    score = utility(T_OF_B4, a)
    assert score.parts["quantity"] == pytest.approx(0.5 / 4)
    assert "a set in an ordered column, which costs 1 - 1/m" in str(score.warnings[0])
    with pytest.raises(InfeasibleError, match=r"A, line 3: a set in the number column 'quantity' has no defined error"):
        utility(T_OF_B4, a, strict=True)


@pytest.mark.parametrize(
    ("cell", "text", "code", "message"),
    [
        (4, "[1;x]", "bad-range", r"A, line 2, column 4 \(price\): '\[1;x\]': this is no number in steps of 0.01"),
        (2, "[2010/12/1;2010/12/3", "bad-range", r"line 2, column 2 \(date\): .*: the bracket is not closed"),
    ],
)
def test_a_range_that_cannot_be_read_is_refused(cell: int, text: str, code: str, message: str) -> None:
    with pytest.raises(ContentError, match=message) as caught:
        utility(T_OF_B4, changed(2, cell, text))
    assert (caught.value.code, caught.value.line) == (code, 2)


@pytest.mark.parametrize(
    ("cell", "text", "code", "message"),
    [
        (4, "dear", "bad-value", r"line 2, column 4 \(price\): 'dear': this is no number"),
        (3, "{B;C", "bad-set", r"line 2, column 3 \(goods\): '\{B;C': the bracket is not closed"),
    ],
)
def test_strict_figures_need_every_cell_to_be_readable(cell: int, text: str, code: str, message: str) -> None:
    a = changed(2, cell, text)
    assert utility(T_OF_B4, a).value >= 0.0
    with pytest.raises(ContentError, match=message) as caught:
        utility(T_OF_B4, a, strict=True)
    assert caught.value.code == code


def test_all_unreadable_ranges_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written_error, "BATCH_ROWS", 3)
    a = tuple(line.rsplit(",", 1)[0] + ",[1;" for line in T_OF_B4)
    with pytest.raises(ContentError, match=r"line 1, column 5 .* \(3 more such findings\)") as caught:
        utility(T_OF_B4, a)
    assert [finding.line for finding in caught.value.findings] == [1, 2, 3, 4]


def test_a_range_that_ends_just_below_its_start_is_refused() -> None:
    """The official program would divide by zero."""
    with pytest.raises(InfeasibleError, match="'quantity' ends one step below its start; exchange its ends"):
        utility(T_OF_B4, changed(2, 5, "[6;5]"))


CONSTANT = ("1,2010/12/1,A,1.00,4", "2,2010/12/3,B,2.50,4")


def test_a_range_in_a_constant_column_is_refused_with_the_reason() -> None:
    a = (CONSTANT[0], "2,2010/12/3,B,2.50,[4;5]")
    with pytest.raises(InfeasibleError, match=r"'quantity' has a range, .* standard deviation, which is 0") as caught:
        utility(CONSTANT, a)
    assert (caught.value.code, caught.value.line) == ("zero-spread", 2)


@pytest.mark.parametrize(
    ("text", "error"), [("4", 0.0), ("[4;4]", 0.0), ("[4;5]", 1.0), ("[6;7]", 1.0), ("*", 1.0), ("9", 1.0)]
)
def test_strict_errors_of_a_constant_column(text: str, error: float) -> None:
    """Spec F-B5."""
    a = (CONSTANT[0], f"2,2010/12/3,B,2.50,{text}")
    assert utility(CONSTANT, a, strict=True).parts["quantity"] == error / 2


def test_files_of_different_length_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="A has 3 rows, the original 4; both must have the same rows in order"):
        utility(T_OF_B4, A_OF_B8[:3])


def golden_score(golden: Path, case: str, *, strict: bool) -> tuple[Score, dict[str, float]]:
    """Return U of a golden case with the official figures."""
    folder = golden / "pws2018" / case
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    t, a = (folder / expected["inputs"][name] for name in "TA")
    history = History.from_frame(read_contest(t, FILES["T"]), SCHEMA)
    frame = read_contest(a, FILES["A"])
    columns = {name: frame[name] for name in FIELDS}
    return written_utility(history, columns, strict=strict), expected["utility"]


@pytest.mark.parametrize(
    ("case", "oddities"),
    [
        (
            "u17_unchecked_values",
            ["a set in an ordered column", "a plain value other than the original", "a set with repeated elements"],
        ),
        ("u18_range_not_containing", ["a range without the original value"]),
    ],
)
def test_golden_oddities_give_the_official_figure_and_a_warning(golden: Path, case: str, oddities: list[str]) -> None:
    score, official = golden_score(golden, case, strict=False)
    assert score.value == pytest.approx(official["U"], rel=1e-12)
    for oddity in oddities:
        assert any(oddity in str(warning) for warning in score.warnings)


def test_golden_ranges_that_miss_the_value_have_a_defined_error(golden: Path) -> None:
    """A range that holds the value costs the same in both; elsewhere the official formula says more."""
    strict, official = golden_score(golden, "u18_range_not_containing", strict=True)
    assert strict.parts["date"] == pytest.approx(official["il_date"], rel=1e-12)
    assert 0 < strict.parts["quantity"] <= official["il_quantity"]
    assert strict.warnings == ()
