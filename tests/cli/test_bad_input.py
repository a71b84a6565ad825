"""Files as bad as they come: every command says in one sentence what is wrong, where, and what to do."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import polars as pl
import pytest

from tests.cli.refusal import one_sentence, refused, snapshot
from tests.conftest import Run

GOOD = b"customer,date,goods,price\n1,2011/1/5,A,2.5\n2,2011/1/6,B,3\n1,2011/1/7,A,0.55\n"
SCHEMA = (
    'subject = "customer"\n[columns]\n'
    'date = { kind = "date", format = "%Y/%-m/%-d" }\n'
    'goods = { kind = "category" }\n'
    'price = { kind = "number", step = 0.01 }\n'
)
T_ROWS = b"1,2011/1/5,A,2.5,1\n2,2011/1/6,B,3,2\n1,2011/1/7,A,0.55,1\n"
GARBAGE = random.Random(7).randbytes(4000)
LONG = b"x" * 10_000_000

# name: content of the file, what the message says, code, line, column
TABLES = {
    "empty": (b"", "the file is empty; give one with data in it", "unreadable", None, None),
    "blank lines": (b"\n\r\n\n", "nothing but empty lines; give one with data in it", "unreadable", None, None),
    "binary": (GARBAGE, "makes this binary data, not text; give CSV text or Parquet", "unreadable", 1, None),
    "NUL": (GOOD + b"3,2011/1/8,\0,1\n", "a NUL byte makes this binary data", "unreadable", 5, None),
    "undecodable": (GOOD + b"3,2011/1/8,\xff\xfe\x80,1\n", "is not UTF-8 or CP932 text; save", "unreadable", 5, None),
    "UTF-16": (GOOD.decode().encode("utf-16")[:-1], "this is UTF-16 text; save it as UTF-8", "unreadable", None, None),
    "zip": (b"PK\x03\x04" + GARBAGE, "a zip archive or an Excel workbook; unpack it", "unreadable", None, None),
    "cut gzip": (gzip.compress(GOOD)[:40], "the gzip data is damaged or cut off", "unreadable", None, None),
    "cut Parquet": (b"PAR1" + GARBAGE, "not a Parquet file, or it is damaged", "unreadable", None, None),
    "ragged": (
        GOOD + b"3,2011/1/8,C\n",
        "the line has 3 cells, but 4 are expected; add what is missing",
        "column-count",
        5,
        None,
    ),
    "too wide": (
        GOOD + b"3,2011/1/8,C,1,9\n",
        "the line has 5 cells, but 4 are expected; delete the surplus",
        "column-count",
        5,
        None,
    ),
    "open quote": (GOOD + b'3,2011/1/8,"C,1\n', "a quotation mark opens a cell here", "bad-quote", 5, None),
    "twice named": (
        b"customer,price,price\n1,2,3\n",
        "the header names the column 'price' twice; rename one of them",
        "duplicate-name",
        1,
        3,
    ),
    "no number": (
        GOOD + b"3,2011/1/8,C,cheap\n",
        "'cheap' is not a number in steps of 0.01; correct the value or the schema",
        "bad-value",
        5,
        4,
    ),
    "no date": (GOOD + b"3,2011/2/30,C,1\n", "'2011/2/30' is not a date of the form %Y/%-m/%-d", "bad-value", 5, 2),
    "nobody": (GOOD + b",2011/1/8,C,1\n", "the record has no subject; delete it or fill in", "missing-subject", 5, 1),
    "two lines in one value": (GOOD + b'3,"2011\n/1/8",C,1\n', "'2011\\n/1/8' is not a date", "bad-value", 5, 2),
    "terminal codes": (GOOD + b"3,2011/1/8,C,\x1b[31m9\n", "'\\x1b[31m9' is not a number", "bad-value", 5, 4),
    "long line": (GOOD + b"3," + LONG + b",C,1\n", "'xxxxx", "bad-value", 5, 2),
    "long name": (LONG + b",b\n1,2\n", "10,000,000 characters", "unreadable", 1, None),
    "many columns": (b"a," * 1_000_000 + b"a\n", "are more than the 10000 that can be read", "unreadable", 1, None),
}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return the path of the data file, which has good content and a schema beside it."""
    (tmp_path / "s.toml").write_text(SCHEMA, encoding="utf-8")
    path = tmp_path / "data.csv"
    path.write_bytes(GOOD)
    return path


def _needs_schema(name: str) -> bool:
    # In so small a file a single mistake would change what the column is taken for.
    return name in ("no number", "no date", "terminal codes", "two lines in one value", "long line")


@pytest.mark.half_second
@pytest.mark.parametrize("command", ["describe", "anonymize"])
@pytest.mark.parametrize("name", TABLES)
def test_a_bad_table_is_refused_with_its_place(run: Run, tmp_path: Path, table: Path, name: str, command: str) -> None:
    content, message, code, line, column = TABLES[name]
    table.write_bytes(content)
    words: list[object] = [command, table]
    if command == "anonymize":
        words += ["--method", "pseudonymize", "-o", tmp_path / "release"]
    if _needs_schema(name):
        words += ["--schema", tmp_path / "s.toml"]
    error = refused(run, tmp_path, *words)
    assert message in error["message"].replace("\n", "\\n").replace("\x1b", "\\x1b")
    assert str(table) in error["message"]
    place = {"code": code, "file": str(table), "line": line, "column": column}
    assert {key: error[key] for key in place} == place


@pytest.mark.parametrize("name", ["empty", "binary", "NUL", "undecodable", "UTF-16", "zip", "cut gzip"])
@pytest.mark.parametrize("command", ["utility", "check"])
def test_a_bad_original_of_2018_is_refused(run: Run, tmp_path: Path, name: str, command: str) -> None:
    t, a = tmp_path / "T.csv", tmp_path / "A.csv"
    content, message, code, line, _ = TABLES[name]
    t.write_bytes(content if line != 5 else content.replace(GOOD, b"1,2011/1/5,A,1,1\n" * 4))
    a.write_bytes(T_ROWS)
    error = refused(run, tmp_path, "pws2018", command, t, a)
    assert message.split(";")[0] in error["message"]
    assert (error["code"], error["file"], error["line"]) == (code, str(t), line)


@pytest.mark.parametrize(
    ("row", "message", "line", "column"),
    [
        (b"1,2011/1/5,A,2.5\n", "the line has 4 cells, but 5 are expected; add what is missing", 4, None),
        (b"1,2011/1/5,A,cheap,1\n", "'cheap' is not a number in steps of", 4, 4),
        (b"1,2011/13/5,A,1,1\n", "'2011/13/5' is not a date of the form %Y/%-m/%-d", 4, 2),
    ],
)
def test_a_bad_line_of_the_2018_original_is_named(
    run: Run, tmp_path: Path, row: bytes, message: str, line: int, column: int | None
) -> None:
    t, a = tmp_path / "T.csv", tmp_path / "A.csv"
    t.write_bytes(T_ROWS + row)
    a.write_bytes(T_ROWS + b"1,2011/1/5,A,2.5,1\n")
    error = refused(run, tmp_path, "pws2018", "utility", t, a)
    assert message in error["message"]
    assert (error["file"], error["line"], error["column"]) == (str(t), line, column)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("[2011/1/5;2011/1/9", "the bracket is not closed"),
        ("[2011/1/5;soon]", "this is no date of the form %Y/%-m/%-d"),
        ("[2011/1/5]", "the bracket is not closed, or the cell has too many or too few parts; write [lo;hi]"),
    ],
)
def test_a_range_that_cannot_be_read_has_no_utility(run: Run, tmp_path: Path, cell: str, message: str) -> None:
    t, a = tmp_path / "T.csv", tmp_path / "A.csv"
    t.write_bytes(T_ROWS)
    a.write_bytes(T_ROWS.replace(b"2011/1/6", cell.encode()))
    error = refused(run, tmp_path, "pws2018", "utility", t, a)
    assert message in error["message"]
    assert (error["file"], error["line"], error["column"]) == (str(a), 2, 2)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"2011/1/6", b"[2011/1/9;2011/1/5]"),
        (b",B,", b",{A;B,"),
        (b"2011/1/6", b"[2011/1/5;2011/1/9"),
        (b",B,", b",\0,"),
        (b",B,", b",\xff\xfe,"),
        (b",3,2", b",3"),
        (b",B,", b"," + LONG + b","),
    ],
    ids=["reversed range", "unclosed set", "unclosed range", "NUL", "undecodable", "short line", "10 MB cell"],
)
def test_a_fault_in_a_checked_file_is_a_finding_not_a_failure(run: Run, tmp_path: Path, old: bytes, new: bytes) -> None:
    """What is wrong in A is what ``check`` is asked for: status 1, with the line."""
    t, a = tmp_path / "T.csv", tmp_path / "A.csv"
    t.write_bytes(T_ROWS)
    a.write_bytes(b"11,2011/1/5,A,2.5,1\n22,2011/1/6,B,3,2\n11,2011/1/7,A,0.55,1\n".replace(old, new))
    before = snapshot(tmp_path)
    told = run("pws2018", "check", t, a)
    assert told.status == 1, told
    assert told.err == ""
    assert len(told.out) < 20_000
    found = run("pws2018", "check", t, a, "--json")
    assert found.status == 1
    assert len(found.out) < 20_000
    assert found.json["valid"] is False
    assert 2 in [one["line"] for one in found.json["errors"]]
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    "words",
    [
        ["describe", "{missing}"],
        ["anonymize", "{missing}", "--method", "pseudonymize", "-o", "{out}"],
        ["pws2018", "utility", "{missing}", "{good}"],
        ["pws2018", "check", "{good}", "{missing}"],
        ["pws2018", "publish", "{missing}", "-o", "{out}"],
    ],
)
def test_a_missing_file_and_a_directory_are_told_apart(run: Run, tmp_path: Path, words: list[str]) -> None:
    good, missing, out = tmp_path / "T.csv", tmp_path / "missing.csv", tmp_path / "out"
    good.write_bytes(T_ROWS)
    places = {"missing": missing, "good": good, "out": out}
    error = refused(run, tmp_path, *(word.format(**places) for word in words))
    assert error["message"] == f"{missing}: there is no such file; check the path"
    missing.mkdir()
    error = refused(run, tmp_path, *(word.format(**places) for word in words))
    # What is general takes a folder of parts too; the files of a contest are files.
    parts = f"{missing}: the folder holds no parts; its files must end in .parquet or .csv"
    told = f"{missing}: this is a directory; name a file in it"
    assert error["message"] == (parts if words[0] in ("describe", "anonymize") else told)
    assert (error["code"], error["file"]) == ("unreadable", str(missing))


def test_a_file_name_that_is_no_text_is_shown(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "\udcff\x1b[31m"
    told = run("describe", path)
    assert told.status == 2
    assert "\\udcff\\x1b[31m: there is no such file" in one_sentence(told.err)
    answered = run("describe", path, "--json")
    assert answered.json["error"]["file"] == str(path)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (SCHEMA.replace("price =", "prize ="), "the schema names the column 'prize' (did you mean 'price'?), but the"),
        (
            SCHEMA.replace('"customer"', '"costumer"'),
            "the schema names the column 'costumer' (did you mean 'customer'?)",
        ),
        (SCHEMA.replace("number", "numbers"), "column 'price': kind must be one of date, datetime, number, category"),
        (SCHEMA.replace("step", "stepp"), "column 'price': unknown key 'stepp' (did you mean 'step'?); known are kind"),
        (SCHEMA.replace("0.01", "-1"), "column 'price': step must be a number from 1e-12 to 1e+12, got -1"),
        (SCHEMA.replace("0.01", "1" * 400), "column 'price': step must be a number from"),
        (SCHEMA.replace("0.01", '"fine"'), "column 'price': 'step' has the wrong type: 'fine'"),
        (SCHEMA.replace("%-d", "%Q"), "column 'date': the format '%Y/%-m/%Q' has '%Q', which is no part of a date"),
        (SCHEMA.replace("%-d", "%H"), 'no part of a date; times of day need kind = "datetime"'),
        (SCHEMA.replace("/%-d", ""), "the format '%Y/%-m' does not tell year, month and day; write it like %Y-%m-%d"),
        (
            SCHEMA.replace("step = 0.01", 'format = "%Y"'),
            "column 'price': only dates have a format, but this is a number",
        ),
        (
            SCHEMA.replace('"category"', '"place"'),
            "column 'goods': a place needs the names of its latitude and longitude",
        ),
        (SCHEMA + 'goods = { kind = "date" }\n', "Cannot overwrite a value"),
        (SCHEMA + 'p = { kind = "place", latitude = "price", longitude = "x" }\n', "the column 'price' is named twice"),
        ("subject = \n", "line 1, column 11: this is not valid TOML (Invalid value)"),
        ("", "a schema must have 'subject = \"column\"', then a table [columns], and nothing else"),
        ('subject = "customer"\n', "a schema must have 'subject = \"column\"', then a table [columns]"),
        (SCHEMA.replace('{ kind = "category" }', "1"), "column 'goods': write it as { kind = \"category\" } or"),
    ],
)
def test_a_bad_schema_is_refused(run: Run, tmp_path: Path, table: Path, schema: str, message: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(schema, encoding="utf-8")
    error = refused(run, tmp_path, "describe", table, "--schema", path)
    assert message in error["message"]
    assert error["code"] == "schema"
    assert error["file"] in (str(path), str(table))


def test_a_schema_file_that_cannot_be_read_is_refused(run: Run, tmp_path: Path, table: Path) -> None:
    assert (
        "no.toml: there is no such file; check the path"
        in (refused(run, tmp_path, "describe", table, "--schema", tmp_path / "no.toml")["message"])
    )
    assert (
        "this is a directory; name the schema file in it"
        in (refused(run, tmp_path, "describe", table, "--schema", tmp_path)["message"])
    )
    (tmp_path / "s.toml").write_bytes(GARBAGE)
    assert (
        "this is not UTF-8 text; a schema is a small TOML file"
        in (refused(run, tmp_path, "describe", table, "--schema", tmp_path / "s.toml")["message"])
    )


def test_columns_of_a_parquet_file_that_no_kind_describes_are_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    frame = pl.DataFrame({"customer": ["1", "2"], "goods": [["A"], ["B", "C"]], "blob": [b"\x00", b"\xff"]})
    frame.write_parquet(path)
    schema = tmp_path / "s.toml"
    for name, kind in (("goods", "list"), ("blob", "binary")):
        for wanted in ("category", "number", "date"):
            schema.write_text(f'subject = "customer"\n[columns]\n{name} = {{ kind = "{wanted}" }}\n', encoding="utf-8")
            error = refused(run, tmp_path, "describe", path, "--schema", schema)
            assert f"the column '{name}' holds {kind} data, which no kind describes; drop it" in error["message"]
    described = run("describe", path, "--json")
    assert described.status == 0
    assert '"goods" = { drop = true }' in described.json["schema"]


def test_a_column_called_pseudonym_cannot_be_published(run: Run, tmp_path: Path) -> None:
    table, schema = tmp_path / "data.csv", tmp_path / "s.toml"
    table.write_bytes(b"customer,pseudonym\n1,x\n2,y\n1,x\n")
    schema.write_text('subject = "customer"\n[columns]\npseudonym = { kind = "category" }\n', encoding="utf-8")
    error = refused(
        run, tmp_path, "anonymize", table, "--schema", schema, "--method", "pseudonymize", "-o", tmp_path / "release"
    )
    assert error["message"].startswith("the column 'pseudonym' has the name that a release gives to its ids; rename it")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pws2018", "utility", "--join"], "0 tables instead of the 2 of J(T,A)"),
        (["pws2018", "publish", "--join"], "0 tables instead of the 1 of J(A)"),
    ],
)
def test_joined_tables_that_are_missing_are_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    told = run(*words)
    assert (told.status, told.out) == (2, "")
    assert message in one_sentence(told.err)
