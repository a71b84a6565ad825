"""What people have is read: separators, decimal commas, workbooks, JSON, databases, encodings, dates, missing words."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, time
from pathlib import Path

import polars as pl
import pytest

import tokumei
from tests.conftest import Run
from tokumei.data.cell_text import parse_values, value_text
from tokumei.data.cleaning import cleaned
from tokumei.data.columns import Column, Field, Kind
from tokumei.data.date_formats import date_format
from tokumei.data.free_text import cut_to, redacted
from tokumei.data.inputs.addresses import input_path
from tokumei.data.inputs.separators import find_separator
from tokumei.data.schema import Schema
from tokumei.errors import SchemaError, UnreadableError
from tokumei.profiles.infer import infer_schema, propose_schema
from tokumei.profiles.reading import read_history

FRAME = pl.DataFrame(
    {
        "customer": ["a", "a", "b"],
        "day": ["2024-05-03", "2024-05-04", "2024-05-03"],
        "goods": ["tea, green", "jam", "tea, green"],
        "price": [2.5, 3.25, 12.0],
    }
)


def same_as_frame(history: tokumei.History) -> bool:
    whole = tokumei.read_history(FRAME)
    return history.frame.equals(whole.frame) and history.schema.fields == whole.schema.fields


@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
def test_every_separator_gives_the_same_table(tmp_path: Path, separator: str) -> None:
    file = tmp_path / "t.csv"
    FRAME.write_csv(file, separator=separator)
    assert same_as_frame(read_history(file))


def test_semicolons_go_with_decimal_commas(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("customer;day;price\na;03.05.2024;1.234,50\nb;04.05.2024;7\n", encoding="utf-8")
    history = read_history(file)
    assert history.schema.to_toml().splitlines()[-1] == '"price" = { kind = "number", step = 0.1, decimal = "," }'
    assert history.frame["price"].to_list() == [1234.5, 7.0]
    assert [str(note) for note in history.notes] == ["column 'price': numbers with a decimal comma"]
    assert read_history(file, Schema.from_toml(history.schema.to_toml())).frame.equals(history.frame)


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2\n", ";"),
        ("1,5;2,5\n2,5;3,5\n", ";"),
        ("p,d\n1,[1;2]\n", ","),
        ("00001 19970101 1 11.77\n00002  19970112 1 12.00\n", " "),
        ("Ann Lee\nBob Ray\n", ","),
        ("x\n1\n", ","),
        ('a;b\n"x;y, z";2\n', ";"),
    ],
)
def test_the_separator_is_found(text: str, separator: str) -> None:
    assert find_separator(text.encode()) == separator


def test_text_between_blanks_is_read_and_told(tmp_path: Path) -> None:
    file = tmp_path / "master.txt"
    file.write_text("00001 19970101  1 11.77\n00001 19970112 12 20.00\n00002 19970101 1 5.5\n", encoding="utf-8")
    history = read_history(file, subject="column_1")
    assert [column.kind.value for column in history.schema.columns] == ["date", "number", "number"]
    assert "separated by blanks" in str(history.notes[0])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16", "utf-16-be"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "t.csv"
    text = "会員番号,品名\nA1,緑茶\nA2,梅干\nA1,梅干\n"
    file.write_bytes((b"\xfe\xff" if encoding == "utf-16-be" else b"") + text.encode(encoding))
    assert read_history(file).categories["品名"].to_list() == ["梅干", "緑茶"]


def test_workbooks_and_their_sheets(tmp_path: Path, run: Run) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    file = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(file, {"default_date_format": "yyyy-mm-dd"}) as book:
        book.add_worksheet("notes")
        for name, rows in (("sales", FRAME.rows()), ("other", [("x", "2024-01-01", "y", 1)])):
            sheet = book.add_worksheet(name)
            for number, row in enumerate([tuple(FRAME.columns), *rows]):
                sheet.write_row(number, 0, row)
            sheet.write_datetime(1, 1, datetime(2024, 5, 3)) if name == "other" else None
    history = read_history(file)
    assert same_as_frame(history)
    assert str(history.notes[0]) == ("the sheet 'sales' was read; others were not: 'other' (name one as FILE#SHEET)")
    assert len(read_history(f"{file}#other")) == 1
    ran = run("describe", f"{file}#nothing", "--json")
    assert ran.status == 2
    assert ran.json["error"]["message"].endswith("has no sheet 'nothing'; it has notes, sales, other")


def test_json_lines_and_arrays(tmp_path: Path) -> None:
    lines, array, broken = tmp_path / "t.jsonl", tmp_path / "t.json", tmp_path / "b.jsonl"
    records = FRAME.to_dicts()
    lines.write_text("\n".join(json.dumps(one) for one in records), encoding="utf-8")
    array.write_text(json.dumps(records), encoding="utf-8")
    assert same_as_frame(read_history(lines))
    assert same_as_frame(read_history(array))
    broken.write_text('{"a": 1}\n{"a": \n', encoding="utf-8")
    with pytest.raises(UnreadableError, match=r"b.jsonl, line 2: this is no JSON object; write one object per line"):
        read_history(broken)


def test_databases_by_address_and_query(tmp_path: Path, run: Run) -> None:
    pytest.importorskip("adbc_driver_sqlite")
    file = tmp_path / "shop.db"
    with sqlite3.connect(file) as base:
        base.execute("create table sales (customer text, day date, goods text, price real)")
        base.executemany("insert into sales values (?, ?, ?, ?)", FRAME.rows())
    base.close()
    assert same_as_frame(read_history(f"sqlite:///{file}#sales"))
    assert len(read_history(f"sqlite:///{file}#select * from sales where price > 3")) == 2  # noqa: S608 - of a test
    ran = run("describe", f"sqlite:///{file}#nowhere", "--json")
    assert ran.status == 2
    assert "did not answer the query (no such table: nowhere); check address" in ran.json["error"]["message"]
    assert run("describe", f"sqlite:///{file}#sales").status == 0
    without = run("describe", f"sqlite:///{file}")
    assert "name a table or a query behind the address" in without.err


def test_logins_are_never_shown(run: Run) -> None:
    pytest.importorskip("adbc_driver_postgresql")
    address = "postgresql://ann:s3cret@127.0.0.1:9/shop?password=s3cret#sales"
    assert "s3cret" not in str(input_path(address)) + repr(input_path(address))
    ran = run("describe", address, "--json")
    assert ran.status == 2
    assert ran.json["error"]["code"] == "database"
    assert "s3cret" not in ran.out + ran.err
    assert "ann" not in ran.json["error"]["message"]


def test_arrow_and_pandas_frames_give_the_same(tmp_path: Path) -> None:
    """One function infers for files and for frames of every library."""
    file = tmp_path / "t.csv"
    FRAME.write_csv(file)
    assert same_as_frame(read_history(file))
    assert same_as_frame(read_history(FRAME.to_arrow()))
    assert same_as_frame(read_history(FRAME.lazy()))
    pandas = pytest.importorskip("pandas")
    assert same_as_frame(read_history(pandas.DataFrame(FRAME.to_dict(as_series=False))))


@pytest.mark.parametrize(
    ("texts", "form", "written"),
    [
        (["2024-05-03T10:00:00+09:00"], "%Y-%m-%dT%H:%M:%S+09:00", None),
        (
            ["2024-05-03T10:00:00+09:00", "2024-05-03T10:00:00-05:00"],
            "%Y-%m-%dT%H:%M:%S%:z",
            "2024-05-03T01:00:00+00:00",
        ),
        (["20240503123456", "19991231000000"], "%Y%m%d%H%M%S", None),
        (["202405031234"], "%Y%m%d%H%M", None),
        (["03-May-2024", "13-Jun-1999"], "%d-%b-%Y", None),
        (["3-May-24"], "%-d-%b-%y", None),
        (["May 3, 2024"], "%b %-d, %Y", None),
        (["September 3, 2024"], "%B %-d, %Y", None),
        (["3/5/24", "30/12/99"], "%-d/%-m/%y", None),
        (["2024-05-03 1:05 PM"], "%Y-%m-%d %-I:%M %p", None),
        (["5/13/2024 11:05:00 AM"], "%-m/%-d/%Y %I:%M:%S %p", None),
        (["令和6年5月3日", "平成元年1月8日"], "%EC%Ey年%-m月%-d日", None),
        (["平成31年5月1日"], "%EC%Ey年%-m月%-d日", "令和元年5月1日"),
        (["R6.5.3", "S64.1.7"], "%EN%Ey.%-m.%-d", None),
        (["R6.13.3"], "", None),
        (["12-34-56"], "", None),
    ],
)
def test_dates_as_people_write_them(texts: list[str], form: str, written: str | None) -> None:
    assert date_format(pl.Series(texts)) == form
    if not form:
        return
    column = infer_schema(pl.DataFrame({"customer": texts, "x": texts})).columns[0]
    spec = column.fields()[0]
    assert Schema.from_toml(Schema("customer", (column,)).to_toml()).columns == (column,)
    codes, bad = parse_values(pl.Series(texts), spec)
    assert not bad.any()
    again = value_text(codes, spec).to_list()
    assert again == texts if written is None else again[0] == written
    assert parse_values(pl.Series(again), spec)[0].tolist() == codes.tolist()


@pytest.mark.parametrize("unit", [1, 1000])
def test_seconds_since_1970_under_the_name_of_a_time(unit: int) -> None:
    moments = [1260759144 * unit, 1260759179 * unit]
    frame = pl.DataFrame({"user": ["a", "b"], "timestamp": moments, "size": moments})
    inferred = propose_schema(frame)
    assert [column.kind for column in inferred.schema.columns] == [Kind.DATETIME, Kind.NUMBER]
    history = tokumei.read_history(frame)
    assert history.frame["timestamp"].to_list()[0] == datetime(2009, 12, 14, 2, 52, 24)
    assert history.text()["timestamp"].to_list() == [str(moment) for moment in moments]
    assert "seconds or milliseconds since 1970" in str(history.notes[0])


def test_words_for_missing_values(tmp_path: Path) -> None:
    """They are believed where all other values measure something, and can be declared."""
    file = tmp_path / "t.csv"
    file.write_text("who, size, land\na, 1.5, NA\nb, NA, DE\nc, 2, ?\n", encoding="utf-8")
    history = read_history(file, subject="who")
    assert history.schema.missing == ("NA",)
    assert history.frame.rows() == [("a", 1.5, ""), ("b", None, "DE"), ("c", 2.0, "?")]
    assert "taken for missing values in every column: 'NA'" in str(history.notes[-1])
    declared = Schema.from_toml('subject = "who"\nmissing = ["?", "2"]\n[columns]\nland = { kind = "category" }\n')
    assert read_history(file, declared).frame["land"].to_list() == ["NA", "DE", ""]
    typed = pl.DataFrame({"who": ["a", "b"], "n": [-99, 5]})
    schema = Schema("who", (Column(name="n", kind=Kind.NUMBER),), missing=("-99",))
    assert read_history(typed, schema).frame["n"].to_list() == [None, 5]
    with pytest.raises(SchemaError, match="'missing' must be a list of words in quotes"):
        Schema.from_toml('subject = "who"\nmissing = "NA"\n[columns]\n')


def test_the_step_rounds_and_says_so(tmp_path: Path, run: Run) -> None:
    file, schema = tmp_path / "t.csv", tmp_path / "s.toml"
    rows = [f"p{n % 6},{n / 8:.3f}" for n in range(24)]
    file.write_text("\n".join(["who,paid", *rows]), encoding="utf-8")
    schema.write_text('subject = "who"\n[columns]\npaid = { kind = "number", step = 0.5 }\n', encoding="utf-8")
    history = read_history(file, Schema.read(schema))
    assert history.frame["paid"].to_list()[:6] == [0.0, 0.0, 0.0, 0.5, 0.5, 0.5]
    assert history.schema.columns[0].rounded
    assert str(history.notes[0]) == "column 'paid' is rounded to steps of 0.5, as the schema says"
    made = run("anonymize", file, "--schema", schema, "--k", "2", "--seed", "1", "-o", tmp_path / "out")
    assert (made.status, "is rounded to steps of 0.5" in made.err) == (0, True)
    audited = run("audit", "--original", file, "--release", tmp_path / "out", "--json").json
    assert audited["verdict"] == "safe"


def test_times_of_the_day_and_durations_in_texts_are_told(tmp_path: Path) -> None:
    """A typed duration is dropped with a note; one in a CSV became a category without a word."""
    file = tmp_path / "t.csv"
    rows = [
        f"p{n},{n // 6 % 24:02}:{n % 60:02}:00,{n}:30,{n % 3}:{n % 5},{'' if n % 2 else '-100:00:01.5'}"
        for n in range(40)
    ]
    file.write_text("who,at,stay,score,drift\n" + "\n".join(rows) + "\n", encoding="utf-8")
    history = read_history(file, subject="who")
    assert [column.kind for column in history.schema.columns] == [Kind.CATEGORY] * 4
    told = [str(note) for note in history.notes]
    assert [note.split(":")[0] for note in told] == ["column 'at'", "column 'stay'", "column 'drift'"]
    assert told[0].endswith("write them as a number of seconds or minutes to have them treated as numbers")
    typed = read_history(pl.DataFrame({"who": ["a", "b"], "at": [time(10, 5), time(11, 0)]}), subject="who")
    assert [str(note).split(":")[0] for note in typed.notes] == ["column 'at'"]
    assert not read_history(file, history.schema).notes


def test_what_is_left_out_is_told() -> None:
    frame = pl.DataFrame({"user": ["a", "b"], "x": [1.5, 2.5], "stay": pl.Series([1000, 2000]).cast(pl.Duration("ms"))})
    history = tokumei.read_history(frame)
    assert [str(note) for note in history.notes] == [
        "column 'stay' holds duration data, which no kind describes: it is left out"
    ]
    assert "it is left out" in tokumei.describe(frame).hints[0]


NOTES = [f"Patient {n} says pain at night, call 090-1234-56{n:02d} or Dr. Wu" for n in range(30)]


def test_free_text_is_refused_unless_the_schema_says_what_becomes_of_it() -> None:
    frame = pl.DataFrame({"user": [f"u{n % 10}" for n in range(30)], "x": [n % 3 for n in range(30)], "note": NOTES})
    columns = (Column(name="x", kind=Kind.NUMBER), Column(name="note"))
    with pytest.raises(tokumei.TokumeiError, match="'note'"):
        tokumei.anonymize(frame, k=2, schema=Schema("user", columns))
    cut = Schema("user", (columns[0], Column(name="note", text=("fever", "pain"))))
    assert read_history(frame, cut).categories["note"].to_list() == ["pain"]
    assert len(tokumei.anonymize(frame, k=2, schema=cut, seed=1).data) == 30
    assert Schema.from_toml(cut.to_toml()) == cut
    blacked = cleaned(frame, Schema("user", (Column(name="note", text="redact"),)))["note"]
    assert blacked[0] == "Patient 0 says pain at night, call █ or Dr. █"
    with pytest.raises(SchemaError, match='text must be "keep", "redact" or a list of words'):
        Schema.from_toml('subject = "a"\n[columns]\nb = { kind = "category", text = "hide" }\n')


def test_redaction_and_cutting_by_hand() -> None:
    assert redacted(pl.Series(["mail a.b@c.org, 山田さん 03-1234-5678"])).to_list() == ["mail █, █ █"]
    assert cut_to(pl.Series(["Painful", "a PAIN", "頭痛がする", "", None]), ("pain", "頭痛")).to_list() == [
        "other",
        "pain",
        "頭痛",
        "",
        "",
    ]


def test_decimal_signs_are_for_numbers() -> None:
    with pytest.raises(SchemaError, match="only numbers have a decimal sign"):
        Schema.from_toml('subject = "a"\n[columns]\nb = { kind = "category", decimal = "," }\n')
    assert Field("x", Kind.NUMBER).step == 1.0


ENCRYPTED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(200)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("locked.xlsx", ENCRYPTED, "protected by a password; save it without one, or export the sheet as CSV"),
        ("broken.xlsx", b"PK\x03\x04" + bytes(99), "no workbook that can be read, or it is damaged; save it again as"),
        ("old.xls", b"\xd0\xcf\x11\xe0" + bytes(99), "no workbook that can be read, or it is damaged"),
        ("list.json", b"[1, 2, 3]", "this is no JSON array of objects; write one object per line"),
    ],
)
def test_a_file_that_cannot_be_opened_says_why(tmp_path: Path, run: Run, name: str, content: bytes, told: str) -> None:
    (tmp_path / name).write_bytes(content)
    refused = run("describe", tmp_path / name)
    assert (refused.status, refused.out) == (2, "")
    assert told in refused.err
    with pytest.raises(UnreadableError, match="locked|broken|old|list"):
        tokumei.describe(tmp_path / name)


def test_a_database_that_is_not_there_is_not_made(tmp_path: Path, run: Run) -> None:
    refused = run("describe", f"sqlite:///{tmp_path}/nothing.db#sales")
    assert refused.status == 2
    assert "there is no such file; check the path" in refused.err
    assert list(tmp_path.iterdir()) == []


def test_moments_in_utc_beside_other_offsets_are_read(tmp_path: Path) -> None:
    file = tmp_path / "moments.csv"
    offsets = ("+09:00", "Z", "-05:00")
    rows = [f"c{number % 5},2024-01-02T10:{number:02}:00{offsets[number % 3]}" for number in range(30)]
    file.write_text("\n".join(["customer,time", *rows]))
    history = tokumei.read_history(file)
    assert history.schema.columns[0].format == "%Y-%m-%dT%H:%M:%S%:z"
    times = sorted(set(history.text()["time"].to_list()))
    assert {time[11:13] for time in times} == {"01", "10", "15"}
    assert all(time.endswith("+00:00") for time in times)
