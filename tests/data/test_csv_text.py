"""CSV text: the same cells as Python's reader finds, and every line of a wrong length reported."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.data.csv_text import parse_csv
from tokumei.errors import ContentError, UnreadableError

CELL = st.text(st.sampled_from('ab",\n\r é日;1'), max_size=5)
BARE = st.text(st.sampled_from('ab" é日;1'), max_size=5)


def rows_of(text: bytes, **options: bool | int) -> list[tuple[str, ...]]:
    return parse_csv(text, "f", **options).frame.rows()  # type: ignore[arg-type]


@settings(max_examples=examples(40))
@given(st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1)))
def test_quoted_text_round_trips_with_its_lines(table: list[list[str]]) -> None:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    lines = []
    for row in table:
        lines.append(out.getvalue().count("\n") + 1)
        writer.writerow(row)
    records = parse_csv(out.getvalue().encode(), "f")
    assert records.frame.rows() == [tuple(row) for row in table]
    assert records.lines.tolist() == lines


@settings(max_examples=examples(40))
@given(st.lists(st.lists(BARE, min_size=2, max_size=2), min_size=1), st.sampled_from(["\n", "\r\n"]))
def test_without_quoting_a_mark_is_a_character(table: list[list[str]], end: str) -> None:
    text = end.join(",".join(row) for row in table) + end
    assert rows_of(text.encode(), quoting=False, width=2) == [tuple(row) for row in table]


def test_marks_inside_bare_cells_are_content() -> None:
    records = parse_csv(b'12" RULER,3\n"a\nb",4\nc,5\n', "f")
    assert records.frame.rows() == [('12" RULER', "3"), ("a\nb", "4"), ("c", "5")]
    assert records.lines.tolist() == [1, 2, 4]


def test_blank_lines_at_the_end_are_ignored() -> None:
    assert rows_of(b"a,b\n1,2\n\n\r\n") == [("a", "b"), ("1", "2")]
    assert parse_csv(b"\n\n", "f", width=2).frame.shape == (0, 2)
    assert parse_csv(b"", "f").frame.shape == (0, 0)


def test_missing_cells_are_empty_text() -> None:
    assert rows_of(b'a,,\n,"",b\n') == [("a", "", ""), ("", "", "b")]


@pytest.mark.parametrize(
    ("text", "lines", "message"),
    [
        (b"a,b\n1\n2,3\n4,5,6\n", [2, 4], "f, line 2: the line has 1 cell, but 2 are expected; add what is missing"),
        (b"a,b\n1,2,3\n4,5\n", [2], "the line has 3 cells, but 2 are expected; delete the surplus or put cells"),
        (b"title\na,b\n1,2\n", [1], "line 1: the line has 1 cell, but 2 are expected"),
        (b"a,b\n\n1,2\n", [2], "line 2: the line has 1 cell"),
        (b'a,"b\nc"\n1\n"2,3",4\n', [3], "line 3: the line has 1 cell"),
        (b'5" R,a\n1\n2,3\n', [2], "line 2: the line has 1 cell"),
        (b"a,b\n1,2,3\n4\n", [2, 3], r"line 2: the line has 3 cells, .* \(1 more such finding\)"),
    ],
)
def test_lines_of_a_wrong_length_are_all_reported(text: bytes, lines: list[int], message: str) -> None:
    with pytest.raises(ContentError, match=message) as caught:
        parse_csv(text, "f")
    assert [one.line for one in caught.value.findings] == lines
    assert caught.value.code == "column-count"


def test_a_hundred_faults_are_shown_and_all_counted() -> None:
    with pytest.raises(
        ContentError, match=r"line 1: .* expected; delete the surplus \(249 more such findings\)"
    ) as caught:
        parse_csv(b"a,b,c\n" * 250 + b"a,b\n", "f", width=2, quoting=False)
    assert (len(caught.value.findings), caught.value.total) == (100, 250)


@settings(max_examples=examples(40))
@given(st.lists(st.integers(1, 4), min_size=1, max_size=8), st.integers(1, 4))
def test_reported_lines_are_exactly_the_wrong_ones(sizes: list[int], width: int) -> None:
    text = "\n".join(",".join("x" * size) for size in sizes).encode()
    wrong = [line for line, size in enumerate(sizes, start=1) if size != width]
    if not wrong:
        assert len(rows_of(text, width=width)) == len(sizes)
        return
    with pytest.raises(ContentError, match="expected") as caught:
        parse_csv(text, "f", width=width)
    assert [one.line for one in caught.value.findings] == wrong


@pytest.mark.parametrize("text", [b'a,b\n"1,2\n3,4\n', b'a,b\n"1"x,2\n', b'a,b\n1,"2'])
def test_an_unclosed_mark_is_reported_where_it_opens(text: bytes) -> None:
    with pytest.raises(ContentError, match="line 2: a quotation mark opens a cell here and is not closed properly"):
        parse_csv(text, "f")


@pytest.mark.half_second
def test_a_line_of_ten_megabytes_is_refused_with_its_line() -> None:
    for long in (b"x" * 10_000_000, b"x," * 5_000_000):
        with pytest.raises(ContentError, match=r"line 2: the line has [0-9]+ cells?, but 2 are expected"):
            parse_csv(b"a,b\n" + long + b"\n1,2\n", "f")
    with pytest.raises(ContentError, match="line 2: a quotation mark opens"):
        parse_csv(b'a,b\n"' + b"x" * 10_000_000 + b",3\n1,2\n", "f")
    with pytest.raises(UnreadableError, match="line 1: 5000001 columns are more than the 10000 that can be read"):
        parse_csv(b"x," * 5_000_000, "f")


def test_a_cell_of_ten_megabytes_is_read() -> None:
    for text in (b"a,b\n" + b"x" * 10_000_000 + b",1\n", b'a,"b"\n' + b"x" * 10_000_000 + b',5" \n'):
        assert parse_csv(text, "f").frame["column_1"].str.len_bytes().to_list() == [1, 10_000_000]
    assert csv.field_size_limit() < 10_000_000
