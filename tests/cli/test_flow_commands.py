"""The flow on the command line: describe, anonymize, attack, judge, audit; and releases that were tampered with."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import polars as pl
import pytest

from tests.cli.refusal import refused
from tests.conftest import Run

PSEUDONYMS = ("--method", "pseudonymize", "--skip-audit")
# Ids that cannot occur by chance: wherever they turn up they have leaked.
IDS = ("SUBJECT-QZX-0001", "SUBJECT-QZX-0002", "SUBJECT-QZX-0003")
ROWS = [
    (IDS[n % 3], f"2011-02-{n % 28 + 1:02}", "ABC"[n * n % 3], f"{n % 4}.{n % 10}", f"{35 + n % 9 / 100:.2f}")
    for n in range(60)
]
TABLE = "customer,day,goods,price,lat\n" + "".join(",".join(row) + "\n" for row in ROWS)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Return a small table of three subjects."""
    path = tmp_path / "data.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture
def release(run: Run, tmp_path: Path, table: Path) -> Path:
    """Return the folder of a release of it; its secret lies beside it."""
    folder = tmp_path / "release"
    made = run("anonymize", table, *PSEUDONYMS, "-o", folder)
    assert made.status == 0, made
    return folder


def test_describe_writes_a_schema_that_anonymize_takes(run: Run, tmp_path: Path, table: Path) -> None:
    schema = tmp_path / "schema.toml"
    described = run("describe", table, "-o", schema, "--json")
    assert described.status == 0
    assert described.err == ""
    document = described.json
    assert (document["records"], document["subjects"]) == (60, 3)
    assert [column["kind"] for column in document["columns"]] == ["date", "category", "number", "number"]
    assert document["schema"] == schema.read_text(encoding="utf-8")
    made = run("anonymize", table, "--schema", schema, *PSEUDONYMS, "-o", tmp_path / "release", "--json")
    assert made.status == 0
    assert made.json["records"] == 60
    assert made.json["pseudonyms"] == 3
    assert made.json["utility"]["value"] == 0.0


@pytest.mark.parametrize("data_format", ["csv", "parquet"])
def test_attack_and_judge_read_what_anonymize_wrote(run: Run, tmp_path: Path, table: Path, data_format: str) -> None:
    folder, guesses = tmp_path / "release", tmp_path / "guesses.csv"
    assert run("anonymize", table, *PSEUDONYMS, "-o", folder, "--format", data_format).status == 0
    places = ("--original", table, "--release", folder)
    secret = tmp_path / "release.secret"
    attacked = run("attack", "re-uniq", *places, "-o", guesses, "--secret", secret, "--json")
    assert attacked.status == 0
    assert attacked.json == {"attack": "re-uniq", "guesses": 3, "file": str(guesses), "hits": 3}
    assert stat.S_IMODE(guesses.stat().st_mode) == 0o600
    assert pl.read_csv(guesses).columns == ["pseudonym", "subject"]
    judged = run("judge", *places, "--json")
    assert judged.status == 0
    scores = {score["name"]: score["value"] for score in judged.json["scores"]}
    assert scores["cell-error"] == 0.0


@pytest.mark.half_second
def test_the_audit_of_bare_pseudonyms_is_negative(run: Run, table: Path, release: Path) -> None:
    audited = run("audit", "--original", table, "--release", release, "--json")
    assert audited.status == 1
    assert audited.err == ""
    assert audited.json["verdict"] == "unsafe" or audited.json["verdict"]["outcome"] == "unsafe"


def test_a_seeded_release_is_repeated_and_says_so(run: Run, tmp_path: Path, table: Path) -> None:
    words = ("anonymize", table, *PSEUDONYMS, "--seed", "5", "-o")
    first = run(*words, tmp_path / "a")
    assert "warning: this release was made from a seed: whoever guesses it can regenerate" in first.err
    assert run(*words, tmp_path / "b", "--json").json["seeded"] is True
    assert (tmp_path / "a" / "data.csv").read_bytes() == (tmp_path / "b" / "data.csv").read_bytes()
    assert run("anonymize", table, *PSEUDONYMS, "-o", tmp_path / "c").status == 0
    assert (tmp_path / "a" / "data.csv").read_bytes() != (tmp_path / "c" / "data.csv").read_bytes()


@pytest.mark.half_second
def test_nothing_of_the_secret_is_in_a_release(run: Run, tmp_path: Path, table: Path) -> None:
    """Neither ids nor the name of the input nor a key is in any byte of the folder, in any format."""
    for style in ("random", "keyed"):
        for data_format in ("csv", "parquet"):
            folder = tmp_path / f"{style}-{data_format}"
            made = run(
                "anonymize", table, *PSEUDONYMS, "--set", f"style={style}", "--format", data_format, "-o", folder
            )
            assert made.status == 0
            everything = b"".join(path.read_bytes() + path.name.encode() for path in folder.rglob("*"))
            assert b"QZX" not in everything
            assert str(table).encode() not in everything
            assert "QZX" not in made.out + made.err
            assert b"QZX" in (tmp_path / f"{style}-{data_format}.secret").read_bytes()


def test_a_column_that_repeats_the_ids_is_refused_unless_dropped(run: Run, tmp_path: Path) -> None:
    path, schema = tmp_path / "copy.csv", tmp_path / "s.toml"
    path.write_text("customer,again,goods\n" + "".join(f"{r[0]},{r[0]},{r[2]}\n" for r in ROWS), encoding="utf-8")
    words = ("anonymize", path, *PSEUDONYMS, "-o", tmp_path / "release")
    error = refused(run, tmp_path, *words)
    assert error["code"] == "subject-id-column"
    assert error["message"] == (
        "the column 'again' repeats the subject id in 60 of 60 records; drop it in the schema ({ drop = true })"
    )
    schema.write_text(
        'subject = "customer"\n[columns]\nagain = { drop = true }\ngoods = { kind = "category" }\n', encoding="utf-8"
    )
    assert run(*words, "--schema", schema).status == 0
    assert b"QZX" not in (tmp_path / "release" / "data.csv").read_bytes()


@pytest.mark.parametrize("command", ["judge", "audit"])
def test_a_folder_that_is_no_release_is_refused(run: Run, tmp_path: Path, table: Path, command: str) -> None:
    def asked(folder: Path) -> str:
        return str(refused(run, tmp_path, command, "--original", table, "--release", folder)["message"])

    absent = tmp_path / "absent"
    assert asked(absent) == f"{absent}: there is no such folder; name the folder that 'tokumei anonymize' wrote"
    assert asked(table) == f"{table}: this is a file; name the folder that 'tokumei anonymize' wrote"
    empty = tmp_path / "empty"
    empty.mkdir()
    assert asked(empty) == f"{empty / 'schema.toml'}: there is no such file; check the path"
    (empty / "schema.toml").write_text('subject = "customer"\n[columns]\n', encoding="utf-8")
    assert asked(empty) == (
        f"{empty} holds neither data.csv nor data.parquet; name the folder that 'tokumei anonymize' wrote"
    )


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("data.csv", ",A,", ",Q,", "'Q': this value does not occur in the original data"),
        ("data.csv", ",A,", ",{A;B,", "'{A;B': the bracket is not closed"),
        ("data.csv", "2011-02-01", "[2011-02-09;2011-02-01]", "the lower end of the range is above its upper end"),
        ("data.csv", "2011-02-01", "soon", "'soon': this is no date of the form %Y-%m-%d"),
        ("data.csv", ",A,", ",A,A,", "the line has 6 cells, but 5 are expected"),
        ("data.csv", "goods", "good", "has no column 'goods'; it must have the columns pseudonym, day, goods"),
        ("data.csv", "goods", "day", "line 1: the header names the column 'day' twice; restore the release folder"),
        ("data.csv", ",A,", ",\0,", "a NUL byte makes this binary data"),
        ("manifest.json", "{", "", "this is not the manifest that 'tokumei anonymize' wrote"),
        ("schema.toml", "number", "category", "differ in the column 'price'"),
        ("schema.toml", "[columns]", "[column]", "a schema must have 'subject = \"column\"', then a table [columns]"),
    ],
)
def test_a_damaged_release_is_refused_with_its_place(
    run: Run, tmp_path: Path, table: Path, release: Path, name: str, old: str, new: str, message: str
) -> None:
    whole = (release / name).read_text(encoding="utf-8")
    assert old in whole
    (release / name).write_text(whole.replace(old, new, 1), encoding="utf-8")
    schema = tmp_path / "s.toml"
    run("describe", table, "-o", schema)
    given = ("--schema", schema) if "differ" in message else ()
    error = refused(run, tmp_path, "judge", "--original", table, "--release", release, *given)
    assert message in error["message"]
    assert str(release) in error["message"]
    if name == "data.csv" and "column" not in message and "header" not in message:
        lines = whole.split("\n")
        assert error["line"] == next(n for n, line in enumerate(lines, start=1) if old in line)


@pytest.mark.half_second
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no archive", TABLE.encode()])
def test_a_file_that_is_no_secret_is_refused(
    run: Run, tmp_path: Path, table: Path, release: Path, content: bytes
) -> None:
    other = tmp_path / "other"
    other.write_bytes(content)
    words = ("judge", "--original", table, "--release", release, "--secret")
    error = refused(run, tmp_path, *words, other)
    assert error["message"] == (
        f"{other} is no secret file of tokumei, or it is damaged; name the file that 'tokumei anonymize' wrote"
    )
    error = refused(run, tmp_path, *words, tmp_path / "absent")
    assert error["message"].endswith("there is no such file; name the secret file of this release with --secret")


@pytest.mark.half_second
@pytest.mark.parametrize("command", [("judge",), ("audit",), ("attack", "re-uniq", "-o", "guesses.csv")])
def test_the_secret_of_another_release_is_refused(
    run: Run, tmp_path: Path, table: Path, release: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("anonymize", table, *PSEUDONYMS, "-o", tmp_path / "other").status == 0
    secret = tmp_path / "other.secret"
    error = refused(run, tmp_path, *command, "--original", table, "--release", release, "--secret", secret)
    assert error["code"] == "foreign-secret"
    assert "does not belong to this release and original; give the three that belong together" in error["message"]


def test_the_original_is_read_after_the_schema_of_its_release(run: Run, tmp_path: Path, table: Path) -> None:
    """A schema that was corrected by hand need not be named again."""
    schema = tmp_path / "s.toml"
    schema.write_text(
        'subject = "customer"\n[columns]\nprice = { kind = "category" }\nday = { kind = "date" }\n', encoding="utf-8"
    )
    assert run("anonymize", table, "--schema", schema, *PSEUDONYMS, "-o", tmp_path / "release").status == 0
    judged = run("judge", "--original", table, "--release", tmp_path / "release", "--json")
    assert judged.status == 0
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text(encoding="utf-8"))
    assert sorted(manifest) == ["files", "method", "parameters", "pseudonyms", "records", "tokumei", "versions"]
