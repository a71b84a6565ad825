"""Tables and histories from CSV and Parquet: headers, kinds, and errors with the lines of the file."""

from __future__ import annotations

import gzip
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.data.cells import MISSING
from tokumei.data.columns import Column, Kind
from tokumei.data.data_set import DataSet
from tokumei.data.frames import to_polars
from tokumei.data.history import History
from tokumei.data.schema import Schema
from tokumei.data.tables import read_table
from tokumei.errors import ContentError, SchemaError, UnreadableError
from tokumei.profiles.reading import read_history

PURCHASES = "customer,date,goods,price\nb,2011/2/17,G1,1.5\na,2011/12/1,G2,2\nb,2011/2/8,G1,0.25\n"
SCHEMA = Schema(
    "customer",
    (
        Column(name="date", kind=Kind.DATE, format="%Y/%-m/%-d"),
        Column(name="goods"),
        Column(name="price", kind=Kind.NUMBER, step=0.01),
    ),
)


def write(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        PURCHASES.encode(),
        PURCHASES.rstrip().encode(),
        PURCHASES.replace("\n", "\r\n").encode("utf-8-sig"),
        gzip.compress(PURCHASES.encode(), mtime=0),
    ],
)
def test_the_wrapping_of_a_file_does_not_matter(tmp_path: Path, content: bytes) -> None:
    frame = read_table(write(tmp_path, content))
    assert frame.columns == ["customer", "date", "goods", "price"]
    assert frame.rows()[0] == ("b", "2011/2/17", "G1", "1.5")
    history = read_history(write(tmp_path, content))
    assert history.schema == SCHEMA
    assert history.subjects.to_list() == ["a", "b"]
    assert history.codes["price"].tolist() == [150, 200, 25]


def test_cp932_text(tmp_path: Path) -> None:
    history = read_history(write(tmp_path, "顧客,商品\n一郎,茶\n一郎,酒\n".encode("cp932")))
    assert (history.schema.subject, history.categories["商品"].to_list()) == ("顧客", ["茶", "酒"])


@pytest.mark.parametrize(
    ("content", "header"),
    [
        ("customer,price\na,1\n", True),
        ("customer,day\na,2011/1/1\n", True),
        ("a,1\nb,2\n", False),
        ("a,2011-01-01\nb,2011-01-02\n", False),
        ("name,city\nann,Rome\nbob,Oslo\n", True),
        ("f,Rome\nm,Oslo\nf,Rome\n", False),
        ("name,name\nann,Rome\n", False),
        ("name,\nann,Rome\n", False),
        (",price\n0,1\n", True),
        ("name,city\n", True),
        ("1,2\n", False),
        ("price,note\n,x\n3,y\n", True),
    ],
)
def test_the_first_line_is_a_header_if_it_differs_from_the_values(
    tmp_path: Path, content: str, *, header: bool
) -> None:
    frame = read_table(write(tmp_path, content))
    assert frame.height == content.count("\n") - header
    assert ("column_1" in frame.columns) == (not header or content.startswith(","))


def test_the_header_can_be_stated(tmp_path: Path) -> None:
    path = write(tmp_path, "1,2\n3,4\n")
    assert read_table(path, header=True).columns == ["1", "2"]
    assert read_table(path, header=False).rows() == [("1", "2"), ("3", "4")]
    names = write(tmp_path, "customer,price\na,1\n")
    assert read_table(names, header=False).columns == ["column_1", "column_2"]


def test_a_schema_settles_whether_there_is_a_header(tmp_path: Path) -> None:
    path = write(tmp_path, "1,2\na,b\n")
    named = read_history(path, Schema("1", (Column(name="2"),)))
    numbered = read_history(path, Schema("column_1", (Column(name="column_2"),)))
    assert (len(named), len(numbered)) == (1, 2)


def test_quoted_cells_keep_commas_lines_and_marks(tmp_path: Path) -> None:
    path = write(tmp_path, 'id,note\n7,"a, ""b""\nc"\n7,\n')
    assert read_table(path).rows() == [("7", 'a, "b"\nc'), ("7", "")]


def test_duplicate_names_in_the_header(tmp_path: Path) -> None:
    path = write(tmp_path, "who,price,price,who\na,1,2,b\n")
    message = r"t\.csv, line 1, column 3: the header names the column 'price' twice; rename one of them \(1 more"
    with pytest.raises(ContentError, match=message) as caught:
        read_table(path)
    assert [one.column for one in caught.value.findings] == [3, 4]
    assert caught.value.code == "duplicate-name"


def test_unusable_cells_are_reported_with_the_lines_of_the_file(tmp_path: Path) -> None:
    content = 'customer,date,goods,price\na,2011/2/30,"x\ny",1\na,2011/2/1,z,abc\n,2011/2/1,z,1O\n'
    with pytest.raises(
        ContentError, match=r"line 2, column 2 \(date\): '2011/2/30' is not a date of the form"
    ) as caught:
        read_history(write(tmp_path, content), SCHEMA)
    found = [(one.line, one.column, one.code) for one in caught.value.findings]
    assert found == [(2, 2, "bad-value"), (4, 4, "bad-value"), (5, 1, "missing-subject"), (5, 4, "bad-value")]
    assert caught.value.total == 4


def test_without_header_lines_count_from_the_first(tmp_path: Path) -> None:
    schema = Schema("column_1", (Column(name="column_2", kind=Kind.NUMBER),))
    with pytest.raises(ContentError, match=r"line 2, column 2 \(column_2\): 'x' is not a number"):
        read_history(write(tmp_path, "a,1\nb,x\n"), schema)


def test_the_first_hundred_findings_are_those_of_the_first_lines(tmp_path: Path) -> None:
    schema = Schema("who", (Column(name="a", kind=Kind.NUMBER), Column(name="b", kind=Kind.NUMBER)))
    with pytest.raises(ContentError, match=r"line 2, column 2 .*\(299 more such findings\)") as caught:
        read_history(write(tmp_path, "who,a,b\n" + "p,x,y\n" * 150), schema)
    assert [(one.line, one.column) for one in caught.value.findings[:3]] == [(2, 2), (2, 3), (3, 2)]
    assert (len(caught.value.findings), caught.value.total) == (100, 300)


def test_a_wrong_value_in_an_inferred_column_is_reported_not_hidden(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"line 5, column 2 \(date\): 'soon' is not a date of the form %Y/%-m/%-d"):
        read_history(write(tmp_path, PURCHASES + "c,soon,G1,1\n"))
    with pytest.raises(ContentError, match=r"line 5, column 4 \(price\): 'cheap' is not a number in steps of 0.01"):
        read_history(write(tmp_path, PURCHASES + "c,2011/2/1,G1,cheap\n"))


def test_a_schema_naming_an_absent_column(tmp_path: Path) -> None:
    schema = Schema("customer", (Column(name="prize"),))
    with pytest.raises(SchemaError, match=r"names the column 'prize' \(did you mean 'price'\?\)"):
        read_history(write(tmp_path, PURCHASES), schema)


def test_wrong_column_count(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"t\.csv, line 3: the line has 3 cells, but 4 are expected") as caught:
        read_table(write(tmp_path, PURCHASES.replace("a,2011", "2011")))
    assert caught.value.line == 3


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"", "t.csv", "the file is empty"),
        (b"\xef\xbb\xbf\r\n\n", "t.csv", "the file holds nothing but empty lines"),
        (b"a,b\n1,\x00\n", "t.csv", "line 2: a NUL byte makes this binary data"),
        (b"a,b\n1,\xff\n", "t.csv", "line 2: the byte 0xff is not UTF-8 or CP932 text"),
        (bytes(range(256)) * 9, "t.csv", "line 1: a NUL byte makes this binary data"),
        (b"PAR1 is not all of it", "t.csv", "this is not a Parquet file, or it is damaged"),
        (b"a,b\n", "t.parquet", "this is not a Parquet file, or it is damaged"),
    ],
)
def test_unreadable_files(tmp_path: Path, content: bytes, name: str, message: str) -> None:
    with pytest.raises(UnreadableError, match=message) as caught:
        read_history(write(tmp_path, content, name))
    assert caught.value.file == str(tmp_path / name)


def test_parquet_keeps_types_and_what_is_no_number_is_missing(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"user": [2, 1, 2], "day": [date(2011, 2, 1), None, date(2011, 2, 3)], "paid": [1.5, float("nan"), 2.25]}
    )
    frame.write_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet")["paid"].to_list() == [1.5, None, 2.25]
    history = read_history(tmp_path / "t.parquet")
    assert history.schema.subject == "user"
    assert history.codes["day"].tolist() == [15006, MISSING, 15008]
    assert history.codes["paid"].tolist() == [150, MISSING, 225]


def test_parquet_without_columns(tmp_path: Path) -> None:
    pl.DataFrame().write_parquet(tmp_path / "t.parquet")
    with pytest.raises(UnreadableError, match="the Parquet file has no columns"):
        read_table(tmp_path / "t.parquet")


# Blanks around a value are not part of it.
CELL = st.text(st.sampled_from('ab",\nx é日'), min_size=1, max_size=4).map(str.strip).filter(bool)


@pytest.mark.half_second
@settings(max_examples=examples(40))
@given(
    st.lists(
        st.tuples(CELL, st.dates(date(1900, 1, 1), date(2100, 1, 1)), CELL, st.integers(-(10**6), 10**6)),
        min_size=1,
        max_size=6,
    )
)
def test_a_history_written_as_csv_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[object]]
) -> None:
    schema = Schema("who", (SCHEMA.columns[0], *SCHEMA.columns[1:]))
    frame = pl.DataFrame(rows, schema=["who", "date", "goods", "price"], orient="row")
    original = History.from_frame(frame.with_columns(pl.col("price") / 100), schema)
    path = tmp_path_factory.mktemp("read") / "t.csv"
    original.text(literal=True).write_csv(path)
    again = read_history(path, schema)
    assert again.text().equals(original.text())


def test_many_records_keep_their_order_and_figures(tmp_path: Path) -> None:
    count = 20_000
    frame = pl.DataFrame({"customer": [f"c{row % 321}" for row in range(count)], "n": range(count)})
    frame.write_csv(tmp_path / "t.csv")
    history = read_history(tmp_path / "t.csv")
    assert (len(history), len(history.subjects)) == (count, 321)
    assert history.codes["n"].tolist() == list(range(count))


@pytest.mark.parametrize("kind", [pl.Float32, pl.Float64])
def test_minus_zero_is_the_same_person_as_zero(tmp_path: Path, kind: pl.DataType) -> None:
    frame = pl.DataFrame({"who": [0.0, -0.0, 1.0, float("nan")], "v": [1, 2, 3, 4]}, schema_overrides={"who": kind})
    frame.write_parquet(tmp_path / "t.parquet")
    for seen in (to_polars(frame), read_table(tmp_path / "t.parquet"), DataSet.open(tmp_path / "t.parquet").head(4)):
        assert (seen["who"].dtype, seen["who"].cast(pl.String).to_list()) == (kind, ["0.0", "0.0", "1.0", None])
