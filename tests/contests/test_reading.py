"""Contest files: every declared file of every year is read under its names, with its faults by line."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.contests.pws2016 import files as files_2016
from tokumei.contests.pws2016.shop import shop_history
from tokumei.contests.pws2017 import files as files_2017
from tokumei.contests.pws2018 import files as files_2018
from tokumei.contests.pws2021 import files as files_2021
from tokumei.contests.pws2021 import table as table_2021
from tokumei.contests.reading import read_contest
from tokumei.data import History, Kind, Schema
from tokumei.errors import ContentError, UnreadableError

CONTEST_FILES = {
    "pws2016": files_2016.FILES,
    "pws2017": files_2017.FILES,
    "pws2018": files_2018.FILES,
    "pws2021": files_2021.FILES,
}
T2016 = "12362,544203,2011/2/17,10:30,21913,3.75,4\n12361,545017,2011/2/25,13:51,22630,1.95,12\n"
M2016 = "12361,f,1954/2/14,Belgium\n12362,f,1963/12/26,Belgium\n12364,f,1960/9/16,Belgium\n"
T2018 = "1,2010/12/1,A,1.00,1\n1,2010/12/3,B,2.50,5\n2,2010/12/11,A,10,3\n"


def write(folder: Path, content: str | bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def history(path: Path, contest: str, name: str, schema: Schema = files_2018.SCHEMA) -> History:
    return History.from_frame(read_contest(path, CONTEST_FILES[contest][name]), schema, file=path.name)


@pytest.mark.parametrize(
    ("contest", "names"),
    [
        ("pws2016", ["M", "T", "M'", "T'", "P", "Q"]),
        ("pws2017", ["M", "T", "AT", "S", "F"]),
        ("pws2018", ["T", "A", "A'", "F'", "R"]),
        ("pws2021", ["B", "X", "C", "D", "CT", "EA", "E"]),
    ],
)
def test_the_files_of_a_contest(contest: str, names: list[str]) -> None:
    assert list(CONTEST_FILES[contest]) == names
    for file in CONTEST_FILES[contest].values():
        assert len(set(file.columns)) == len(file.columns)


@pytest.mark.parametrize(
    "content",
    [
        T2018.encode(),
        T2018.replace("\n", "\r\n").encode("utf-8-sig"),
        T2018.rstrip().encode("cp932"),
        gzip.compress(T2018.encode(), mtime=0),
        (T2018 + "\r\n").encode(),
    ],
)
def test_the_wrapping_of_a_file_does_not_matter(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path, content)
    assert read_contest(path, CONTEST_FILES["pws2018"]["T"]).rows()[2] == ("2", "2010/12/11", "A", "10", "3")
    read = history(path, "pws2018", "T")
    assert read.schema == files_2018.SCHEMA
    assert read.subjects.to_list() == ["1", "2"]
    assert read.codes["price"].tolist() == [100, 250, 1000]
    assert read.text()["date"].to_list() == ["2010/12/1", "2010/12/3", "2010/12/11"]


def test_goods_in_cp932(tmp_path: Path) -> None:
    path = write(tmp_path, "1,2010/12/1,茶,1,1\n".encode("cp932"))
    assert read_contest(path, CONTEST_FILES["pws2018"]["T"])["goods"].to_list() == ["茶"]


def test_every_line_of_a_is_a_row_deleted_ones_too(tmp_path: Path) -> None:
    path = write(tmp_path, "11,[2010/12/1;2010/12/2],{A;B},[1;2.5],*\n*,*,*,*,*\n")
    frame = read_contest(path, CONTEST_FILES["pws2018"]["A"])
    assert frame.columns == ["customer", "date", "goods", "price", "quantity"]
    assert frame.rows() == [("11", "[2010/12/1;2010/12/2]", "{A;B}", "[1;2.5]", "*"), ("*",) * 5]


def test_deleted_rows_of_2017_have_empty_cells(tmp_path: Path) -> None:
    frame = read_contest(write(tmp_path, "DEL,,,,,,\n9,0,2011/2/17,10:30,21,3.75,4\n"), CONTEST_FILES["pws2017"]["AT"])
    assert frame["customer"].to_list() == ["DEL", "9"]
    assert frame["quantity"].to_list() == ["", "4"]


def test_a_quotation_mark_is_a_character(tmp_path: Path) -> None:
    path = write(tmp_path, '1,2010/12/1,"A,1,1\n1,2010/12/1,B",1,1\n')
    assert read_contest(path, CONTEST_FILES["pws2018"]["T"])["goods"].to_list() == ['"A', 'B"']


def test_lines_with_a_wrong_number_of_cells_are_all_reported(tmp_path: Path) -> None:
    path = write(tmp_path, T2018 + "3,2010/12/1,A,1\n\n4,2010/12/1,A,1,1,1\n")
    message = r"line 4: the line has 4 cells, but 5 are expected; add what is missing \(2 more such findings\)"
    with pytest.raises(ContentError, match=message) as caught:
        read_contest(path, CONTEST_FILES["pws2018"]["T"])
    assert [one.line for one in caught.value.findings] == [4, 5, 6]
    assert caught.value.findings[2].message == "the line has 6 cells, but 5 are expected; delete the surplus"


def test_unusable_values_are_reported_with_their_line(tmp_path: Path) -> None:
    path = write(tmp_path, T2018 + "3,2010/12/32,A,1,1\n4,2010/12/1,A,1.005,x\n")
    message = r"line 4, column 2 \(date\): '2010/12/32' is not a date of the form %Y/%-m/%-d"
    with pytest.raises(ContentError, match=message) as caught:
        history(path, "pws2018", "T")
    assert [(one.line, one.column) for one in caught.value.findings] == [(4, 2), (5, 4), (5, 5)]


def test_files_that_may_be_empty(tmp_path: Path) -> None:
    path = write(tmp_path, "")
    assert read_contest(path, CONTEST_FILES["pws2018"]["F'"]).columns == ["pseudonym", "customer"]
    assert read_contest(path, CONTEST_FILES["pws2018"]["A'"]).shape == (0, 5)
    assert read_contest(path, CONTEST_FILES["pws2021"]["X"]).shape == (0, 1)
    with pytest.raises(UnreadableError, match="the file is empty"):
        read_contest(path, CONTEST_FILES["pws2018"]["T"])


def test_2016_history_with_its_master(tmp_path: Path) -> None:
    bought = read_contest(write(tmp_path, T2016), CONTEST_FILES["pws2016"]["T"])
    joined = shop_history(read_contest(write(tmp_path, M2016, "m.csv"), CONTEST_FILES["pws2016"]["M"]), bought)
    assert joined.text(literal=True).rows()[0] == tuple(T2016.splitlines()[0].split(","))
    assert joined.subjects.to_list() == ["12361", "12362", "12364"]
    assert joined.counts().tolist() == [1, 1, 0]
    assert joined.people is not None
    assert joined.people.text(literal=True).rows() == [tuple(line.split(",")) for line in M2016.splitlines()]


ROWS = st.lists(
    st.tuples(
        st.integers(1, 99),
        st.dates().map(lambda day: f"{day.year:04}/{day.month}/{day.day}"),
        st.text("ABC019", min_size=1, max_size=5),
        st.integers(1, 99999),
        st.integers(1, 10**6),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.half_second
@settings(max_examples=examples(40))
@given(ROWS, st.sampled_from(["\n", "\r\n"]))
def test_canonical_text_round_trips(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str, str, int, int]], end: str
) -> None:
    lines = [f"{who},{day},{goods},{pence / 100:g},{count}" for who, day, goods, pence, count in rows]
    path = write(tmp_path_factory.mktemp("contest"), end.join(lines))
    text = history(path, "pws2018", "T").text(literal=True)
    assert [",".join(row) for row in text.rows()] == lines


@pytest.mark.parametrize(
    ("name", "contest", "file", "shape"),
    [
        ("pwscup2017_M.csv", "pws2017", "M", (500, 4)),
        ("pwscup2017_T25.csv.gz", "pws2017", "AT", (44_917, 7)),
        ("pwscup2018_R.csv", "pws2018", "R", (1_001, 2)),
        ("pwscup2021_worked_example/B.csv", "pws2021", "B", (3_985, 12)),
        ("pwscup2021_worked_example/X.csv", "pws2021", "X", (922, 1)),
        ("pwscup2021_worked_example/C.csv", "pws2021", "C", (3_063, 12)),
        ("pwscup2021_worked_example/D.csv", "pws2021", "D", (3_063, 12)),
        ("pwscup2021_worked_example/CT.csv", "pws2021", "CT", (100, 12)),
        ("pwscup2021_worked_example/EA.csv", "pws2021", "EA", (100, 1)),
        ("pwscup2021_worked_example/E.csv", "pws2021", "E", (100, 3)),
    ],
)
def test_real_files(real_data: Path, name: str, contest: str, file: str, shape: tuple[int, int]) -> None:
    assert read_contest(real_data / name, CONTEST_FILES[contest][file]).shape == shape


def test_real_histories(real_data: Path) -> None:
    purchases = history(real_data / "pwscup2018_T.csv", "pws2018", "T")
    assert (len(purchases), len(purchases.subjects), len(purchases.categories["goods"])) == (81_776, 1_000, 3_254)
    assert purchases.counts().max() == 4_289
    lines = (real_data / "pwscup2018_T.csv").read_text().splitlines()
    text = purchases.text(literal=True).select(pl.concat_str(pl.all(), separator=",")).to_series()
    assert text.to_list() == lines
    master = read_contest(real_data / "pwscup2017_M.csv", CONTEST_FILES["pws2017"]["M"])
    seven = shop_history(master, read_contest(real_data / "pwscup2017_T.csv", CONTEST_FILES["pws2017"]["T"]))
    assert (len(seven), len(seven.subjects), len(seven.categories["goods"])) == (44_917, 500, 3_039)
    health = history(real_data / "pwscup2021_B.csv", "pws2021", "B", table_2021.SCHEMA)
    assert (len(health), len(health.subjects), health.schema.subject) == (4_190, 4_190, "row")
    assert health.schema.field("bmi").kind is Kind.NUMBER
    assert health.codes["bmi"].min() == 145


def test_golden_files_are_read_with_all_their_rows(golden: Path) -> None:
    read = 0
    for case in sorted((golden / "pws2018").glob("u*")):
        for name, key in (("T.csv", "T"), ("A.csv", "A"), ("expected_A1.csv", "A'")):
            if (case / name).is_file():
                assert read_contest(case / name, CONTEST_FILES["pws2018"][key]).height == len(
                    (case / name).read_text().splitlines()
                )
                read += 1
    for case in sorted((golden / "pws2021").glob("m*")):
        for key in ("B", "C", "D", "X"):
            if (case / f"{key}.csv").is_file():
                read_contest(case / f"{key}.csv", CONTEST_FILES["pws2021"][key])
                read += 1
    assert read > 20
