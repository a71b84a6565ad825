"""Thirty and more kinds of wrong use: one clear sentence with its place, the right status, nothing half written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from tests.cli.refusal import refused, snapshot
from tests.conftest import Run

HEADER = "customer,date,goods,price\n"
GOOD = HEADER + "".join(f"c{n % 6},2011-01-{n % 28 + 1:02},{'ABC'[n % 3]},{n % 5}.50\n" for n in range(36))
NUMBERS = 'subject = "customer"\n[columns]\namount = { kind = "number" }\n'
DAYS = 'subject = "customer"\n[columns]\nday = { kind = "date" }\n'
PLACES = 'subject = "user"\n[columns]\nspot = { kind = "place", latitude = "lat", longitude = "lon" }\n'
THREE_DATES = ("2011-02-17", "17/02/2011", '"Feb 17, 2011"')


def goods(options: str) -> str:
    return f'subject = "customer"\n[columns]\ngoods = {{ {options} }}\n'


# kind of wrong use: content of data.csv, schema or None, further words, what the sentence says, code, line, column
FILES: dict[str, tuple[str | bytes, str | None, Sequence[str], str, str, int | None, int | None]] = {
    "wrong column in the schema": (
        GOOD,
        'subject = "customer"\n[columns]\ngods = { kind = "category" }\n',
        (),
        "the schema names the column 'gods' (did you mean 'goods'?), but the data has customer, date, goods, price",
        "schema",
        None,
        None,
    ),
    "wrong subject in the schema": (
        GOOD,
        goods('kind = "category"').replace("customer", "custmer"),
        (),
        "the schema names the column 'custmer' (did you mean 'customer'?)",
        "schema",
        None,
        None,
    ),
    "k above the number of subjects": (
        GOOD,
        None,
        ("--k", "7"),
        "k-anonymity with k = 7 needs at least 7 subjects, the data has 6; lower k or add data",
        "infeasible",
        None,
        None,
    ),
    "one subject": (
        "customer,goods\nx,A\nx,B\n",
        None,
        (),
        "needs at least 3 subjects, the data has 1; lower k or add data",
        "infeasible",
        None,
        None,
    ),
    "dates in three forms": (
        "customer,day\n" + "".join(f"c{n % 4},{THREE_DATES[n % 3]}\n" for n in range(12)),
        DAYS,
        (),
        "'17/02/2011' is not a date of the form %Y-%m-%d; correct the value or the schema (7 more such findings)",
        "bad-value",
        3,
        2,
    ),
    "huge integers as numbers": (
        "customer,amount\n" + "".join(f"c{n % 4},{10**30 + n}\n" for n in range(8)),
        NUMBERS,
        (),
        "'1000000000000000000000000000000' is not a number; correct the value or the schema (7 more such findings)",
        "bad-value",
        2,
        2,
    ),
    "mixed types": (
        "customer,amount\n" + "".join(f"c{n % 4},{n if n != 7 else 'unknown'}\n" for n in range(200)),
        None,
        (),
        "'unknown' is not a number; correct the value or the schema",
        "bad-value",
        9,
        2,
    ),
    "thousands separators": (
        "customer,amount\n" + "".join(f'c{n % 4},"1,{n:03}"\n' for n in range(8)),
        NUMBERS,
        (),
        "'1,000' is not a number; write it without separators between thousands (7 more such findings)",
        "bad-value",
        2,
        2,
    ),
    "duplicate header": (
        GOOD.replace("price", "goods"),
        None,
        (),
        "the header names the column 'goods' twice; rename one of them",
        "duplicate-name",
        1,
        4,
    ),
    "empty file": ("", None, (), "the file is empty; give one with data in it", "unreadable", None, None),
    "header only": (HEADER, None, (), "the data has no records, at most a header", "empty", None, None),
    "NUL byte": (GOOD + "c1,2011-01-01,\0,1\n", None, (), "a NUL byte makes this binary data", "unreadable", 38, None),
    "no subject in a record": (
        GOOD + ",2011-01-01,A,1.5\n",
        None,
        (),
        "the record has no subject; delete it or fill in whose it is",
        "missing-subject",
        38,
        1,
    ),
    "quotation mark left open": (
        GOOD + 'c1,2011-01-01,"A,1.5\n',
        None,
        (),
        "a quotation mark opens a cell here",
        "bad-quote",
        38,
        None,
    ),
    "a cell too many": (
        GOOD + "c1,2011-01-01,A,1,5\n",
        None,
        (),
        "the line has 5 cells, but 4 are",
        "column-count",
        38,
        None,
    ),
    "latitude out of range": (
        "user,lat,lon\nu1,35.5,139.5\nu2,95.25,139.5\nu3,35.5,139.5\n",
        PLACES,
        (),
        "95.25 is no latitude from -90 to 90; correct the value, or exchange latitude and longitude in the schema",
        "bad-place",
        3,
        2,
    ),
    "UTF-16": (GOOD.encode("utf-16")[:-1], None, (), "this is UTF-16 text; save it as UTF-8", "unreadable", None, None),
    "a workbook": (b"PK\x03\x04" + b"x" * 99, None, (), "a zip archive or an Excel workbook", "unreadable", None, None),
    "k is zero": (GOOD, None, ("--k", "0"), "must be a whole number of at least 2, got 0", "parameter", None, None),
    "k is one": (GOOD, None, ("--k", "1"), "must be a whole number of at least 2, got 1", "parameter", None, None),
    "k is text": (
        GOOD,
        None,
        ("--k", "two"),
        "invalid value for '--k': it must be a valid integer",
        "usage",
        None,
        None,
    ),
    "k twice": (GOOD, None, ("--k", "3", "--set", "k=3"), "is given twice; give it once", "parameter", None, None),
    "unknown method": (
        GOOD,
        None,
        ("--method", "k-anonymty"),
        "(did you mean 'k-anonymity'?)",
        "unknown-part",
        None,
        None,
    ),
    "unknown setting": (GOOD, None, ("--set", "effrt=fast"), "(did you mean 'effort'?)", "parameter", None, None),
    "setting without value": (
        GOOD,
        None,
        ("--set", "effort"),
        "write settings as name=value, got",
        "parameter",
        None,
        None,
    ),
    "unknown option": (
        GOOD,
        None,
        ("--metod", "x"),
        "no option --metod (did you mean '--method'?)",
        "usage",
        None,
        None,
    ),
    "unknown format": (GOOD, None, ("--format", "xlsx"), "--format must be csv or parquet, got", "usage", None, None),
    "k for a method without": (
        GOOD,
        None,
        ("--method", "pseudonymize", "--k", "3"),
        "the method 'pseudonymize' has no k; leave --k out",
        "parameter",
        None,
        None,
    ),
    "every column kept": (
        GOOD,
        goods('kind = "category", keep = true'),
        (),
        "the schema keeps every column unchanged, which leaves nothing to anonymize; keep fewer columns",
        "schema",
        None,
        None,
    ),
    "every column dropped": (
        GOOD,
        goods("drop = true"),
        (),
        "the schema leaves no column to publish; name at least one in it that is not dropped",
        "schema",
        None,
        None,
    ),
    "a release as the original": (
        "customer,amount\n" + "".join(f"c{n % 4},{n if n != 9 else '[2;4]'}\n" for n in range(200)),
        NUMBERS,
        (),
        "'[2;4]' is a generalized cell, which only a release has; name the original data instead",
        "bad-value",
        11,
        2,
    ),
    "a word too many": (
        GOOD,
        None,
        ("more.csv",),
        "too many words: more.csv cannot be used (see --help)",
        "usage",
        None,
        None,
    ),
    "a column both kept and dropped": (
        GOOD,
        goods("keep = true, drop = true"),
        (),
        "column 'goods': it cannot be dropped and kept at once; delete 'drop' or 'keep'",
        "schema",
        None,
        None,
    ),
    "unknown kind": (
        GOOD,
        goods('kind = "text"'),
        (),
        "kind must be one of date, datetime, number",
        "schema",
        None,
        None,
    ),
    "broken TOML": (GOOD, 'subject = "customer\n', (), "this is not valid TOML", "schema", 1, 20),
    "no such subject": (
        GOOD,
        None,
        ("--subject", "custmer"),
        "there is no column 'custmer' (did you mean 'customer'?) to be the subject",
        "schema",
        None,
        None,
    ),
    "plan that is no plan": (GOOD, None, ("--plan", "s.toml"), "unknown key 'subject'; a plan has", "plan", None, None),
    "plan that is absent": (GOOD, None, ("--plan", "p.toml"), "there is no such file", "unreadable", None, None),
    "plan and method": (
        GOOD,
        None,
        ("--plan", "s.toml", "--k", "3"),
        "--plan already says what --k",
        "usage",
        None,
        None,
    ),
    "plan to save without dry run": (
        GOOD,
        None,
        ("--save-plan", "p.toml"),
        "--save-plan goes with",
        "usage",
        None,
        None,
    ),
}


@pytest.mark.half_second
@pytest.mark.parametrize("kind", FILES)
def test_wrong_use_is_refused_with_one_sentence(
    run: Run, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, schema, words, message, code, line, column = FILES[kind]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "s.toml").write_text(schema or DAYS, encoding="utf-8")
    given = () if schema is None else ("--schema", "s.toml")
    error = refused(run, tmp_path, "anonymize", "data.csv", *given, *words, "-o", "release")
    assert message in error["message"]
    assert (error["code"], error["line"], error["column"]) == (code, line, column)


# kind: the words after the input, what the sentence says
PLACES_TO_WRITE = {
    "no place": ((), "name the folder to create with -o RELEASE_DIR, or see the plan with --dry-run"),
    "the input itself": (("-o", "data.csv"), "data.csv exists already and is not an empty folder; choose another"),
    "inside the input": (
        ("-o", "data.csv/release"),
        "a part of the path is a file, not a folder; choose another place",
    ),
    "a full folder": (("-o", "full"), "full exists already and is not an empty folder; choose another name or remove"),
    "no folder around it": (
        ("-o", "no/where"),
        "no/where cannot be written: the folder does not exist; create it first",
    ),
    "this folder": (("-o", "."), ". is the folder you are in; name a new folder"),
    "the secret inside": (
        ("-o", "release", "--secret", "release/secret"),
        "the secret must not lie in the release folder: release/secret; name another place with --secret",
    ),
    "the secret over a file": (
        ("-o", "release", "--secret", "data.csv"),
        "data.csv exists already; keep it and name another place with --secret, or remove it",
    ),
}


@pytest.mark.parametrize("kind", PLACES_TO_WRITE)
def test_a_wrong_place_is_refused_before_any_work(
    run: Run, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, message = PLACES_TO_WRITE[kind]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("x", encoding="utf-8")
    (tmp_path / "data.csv").write_text(GOOD, encoding="utf-8")
    assert message in refused(run, tmp_path, "anonymize", "data.csv", *words)["message"]


# What looks odd and is right: a release must come out of it.
RIGHT = {
    "all-null column": "customer,goods,empty\n" + "".join(f"c{n % 4},{'AB'[n % 2]},\n" for n in range(12)),
    "duplicate records": "customer,goods\n" + "a,X\na,X\nb,X\nb,X\nc,X\nc,X\n",
    "huge integers": "customer,card\n" + "".join(f"c{n % 4},{10**30 + n}\n" for n in range(12)),
    "BOM": "\ufeff" + GOOD,
    "CRLF": GOOD.replace("\n", "\r\n"),
    "dates in three forms": "customer,day\n" + "".join(f"c{n % 4},{THREE_DATES[n % 3]}\n" for n in range(12)),
}


@pytest.mark.half_second
@pytest.mark.parametrize("kind", [*RIGHT, "CP932"])
def test_odd_data_is_released(run: Run, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "data.csv"
    japanese = GOOD.replace("customer", "顧客").replace("goods", "商品")
    path.write_bytes(japanese.encode("cp932") if kind == "CP932" else RIGHT[kind].encode())
    made = run("anonymize", path, "--set", "effort=fast", "-o", tmp_path / "release", "--json")
    assert made.status == 0, made
    assert made.json["audit"]["verdict"] == "safe"
    assert made.json["audit"]["k_anonymity"] >= 3
    frame = pl.read_csv(tmp_path / "release" / "data.csv", infer_schema=False)
    assert frame.height == made.json["records"] > 0
    if kind == "CP932":
        assert "商品" in frame.columns


def test_columns_are_dropped_and_kept_by_the_schema(run: Run, tmp_path: Path) -> None:
    """What is kept is published as it was, and counts as known to the attacker: here that makes it unsafe."""
    path, schema = tmp_path / "data.csv", tmp_path / "s.toml"
    path.write_text(GOOD, encoding="utf-8")
    schema.write_text(
        'subject = "customer"\n[columns]\ndate = { kind = "date", keep = true }\n'
        'goods = { kind = "category" }\nprice = { drop = true }\n',
        encoding="utf-8",
    )
    made = run("anonymize", path, "--schema", schema, "-o", tmp_path / "release")
    assert made.status == 1
    assert "Quick audit: names: unsafe" in made.out
    assert "generalize or drop the columns that the schema keeps unchanged: 'date'" in made.out
    assert "or more" not in made.out
    assert "- the attacker is taken to know the columns kept unchanged too: date" in made.out
    assert f"Do not hand out {tmp_path / 'release'}." in " ".join(made.out.split())
    frame = pl.read_csv(tmp_path / "release" / "data.csv", infer_schema=False)
    assert frame.columns == ["pseudonym", "date", "goods"]
    assert sorted(frame["date"]) == sorted(line.split(",")[1] for line in GOOD.splitlines()[1:])
    assert "Published unchanged by decision of the publisher: date." in (tmp_path / "release" / "summary.md").read_text(
        encoding="utf-8"
    )


def test_a_failure_in_the_middle_leaves_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The secret and the plan are written first; if the folder then fails, they go too."""
    path = tmp_path / "data.csv"
    path.write_text(GOOD, encoding="utf-8")

    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tokumei.data.release_folder.json.dumps", full)
    before = snapshot(tmp_path)
    made = run("anonymize", path, "--set", "effort=fast", "--skip-audit", "-o", tmp_path / "release")
    assert made.status == 2
    assert "the disk is full; make room or choose another place" in made.err
    assert snapshot(tmp_path) == before
