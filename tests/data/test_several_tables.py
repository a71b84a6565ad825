"""A table of people and several tables of their records are one history, in every command."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import tokumei
from tests.conftest import Run
from tokumei.errors import SchemaError
from tokumei.profiles import read_history

CLINIC = 'subject = "pid"\npeople = "master.csv"\n\n[tables]\nvisits = "visits.csv"\nlabs = "labs.jsonl"\n'


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    (tmp_path / "master.csv").write_text("pid,sex\n1,f\n2,f\n3,m\n4,m\n", encoding="utf-8")
    visits = "".join(f"{who};2024-03-0{who}\n" for who in (1, 2, 3, 4))
    (tmp_path / "visits.csv").write_text(f"pid;day\n{visits}", encoding="utf-8")
    (tmp_path / "labs.jsonl").write_text('{"pid": 1, "value": 2.5}\n{"pid": 2, "value": 3.5}\n', encoding="utf-8")
    (tmp_path / "clinic.toml").write_text(CLINIC, encoding="utf-8")
    return tmp_path / "clinic.toml"


def test_every_row_of_every_table_is_a_record_of_its_person(clinic: Path) -> None:
    history = read_history(clinic)
    assert history.schema.subject == "pid"
    assert [column.name for column in history.schema.columns] == ["table", "sex", "day", "value"]
    assert history.counts().tolist() == [3, 3, 2, 2]
    first = history.text().filter(pl.col("pid") == "1").sort("table").rows()
    assert first == [("1", "labs", "", "", "2.5"), ("1", "people", "f", "", ""), ("1", "visits", "", "2024-03-01", "")]


def test_they_are_released_audited_and_read_back_by_table(clinic: Path, run: Run) -> None:
    out = clinic.parent / "out"
    made = run("anonymize", clinic, "--k", 2, "--content", "tight", "-o", out, "--json")
    assert made.json["audit"]["verdict"] == "safe"
    audited = run("audit", "--original", clinic, "--release", out, "--secret", f"{out}.secret", "--quick", "--json")
    assert audited.json.get("verdict") == "safe", audited.out
    people = tokumei.read_release(out, table="people", values="midpoints")
    assert (people.columns, sorted(people["sex"])) == (["pseudonym", "sex"], ["f", "f", "m", "m"])
    labs = tokumei.read_release(out, table="labs")
    assert labs.columns == ["pseudonym", "value_low", "value_high"]
    assert labs["value_low"].to_list() == [2.5, 2.5]
    with pytest.raises(SchemaError, match="the release has no table 'teeth': labs, people, visits"):
        tokumei.read_release(out, table="teeth")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('people = "master.csv"\n[tables]\nvisits = "visits.csv"\n', "which column names people in all tables"),
        ('subject = "pid"\npeople = "master.csv"\n', "at least one table of records"),
        ('subject = "who"\n[tables]\nvisits = "visits.csv"\n', "has no column 'who', which says whose row it is"),
        ('subject = "pid"\npeople = "twice.csv"\n[tables]\nv = "visits.csv"\n', "has several rows of a person"),
        ('subject = "pid"\n[tables]\nv = "named.csv"\n', "has a column 'table'"),
        ('subject = "pid"\n[columns]\nday = { kind = "date" }\n', "this is a schema, not data"),
        ('subject = "pid"\n[tables]\nv = "gone.csv"\n', "there is no such file"),
        ('subject = "pid"\nperson = "a"\n[tables]\nv = "visits.csv"\n', "unknown key 'person'"),
        ("subject = \n", "this is no TOML"),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(clinic: Path, run: Run, text: str, told: str) -> None:
    (clinic.parent / "twice.csv").write_text("pid,sex\n1,f\n1,f\n", encoding="utf-8")
    (clinic.parent / "named.csv").write_text("pid,table\n1,f\n2,f\n", encoding="utf-8")
    clinic.write_text(text, encoding="utf-8")
    refused = run("describe", clinic)
    assert refused.status == 2
    assert told in refused.err
