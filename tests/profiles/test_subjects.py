"""Whose records they are is proposed with reasons and rivals; where it is doubtful, a release stops and asks."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import tokumei
from tests.conftest import Run
from tokumei.data.cleaning import subject_text
from tokumei.data.schema import Schema
from tokumei.errors import SchemaError
from tokumei.profiles.infer import infer_schema, propose_schema
from tokumei.profiles.reading import read_history
from tokumei.profiles.subjects import named_after_people

ROWS = 200


def ratings() -> pl.DataFrame:
    """Return ratings of lecturers by students, with row numbers first, as R writes tables."""
    numbers = range(1, ROWS + 1)
    return pl.DataFrame(
        {
            "rownames": list(numbers),
            "s": [n % 40 for n in numbers],
            "d": [n % 25 for n in numbers],
            "y": [n % 5 for n in numbers],
        }
    )


@pytest.mark.parametrize(("rows", "subject"), [(9, "kind"), (39, "row"), (200, "row")])
def test_a_column_of_few_values_is_nobody_unless_the_table_is_tiny(rows: int, subject: str) -> None:
    frame = pl.DataFrame({"kind": [f"x{n % 3}" for n in range(rows)], "amount": [n * 7 % 31 for n in range(rows)]})
    assert infer_schema(frame).subject == subject


@pytest.mark.parametrize(
    ("names", "people"),
    [
        (["user_agent", "subject_injury", "customer_age", "rownames"], []),
        (["CustomerID", "user_no", "patient"], ["CustomerID", "user_no", "patient"]),
        (["id", "masked_user_id_2"], ["masked_user_id_2", "id"]),
        (["利用者番号", "date"], ["利用者番号"]),
    ],
)
def test_only_names_of_people_name_people(names: list[str], people: list[str]) -> None:
    assert named_after_people(names) == people


def test_row_numbers_are_nobody_and_several_candidates_stop_a_release(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "ratings.csv"
    ratings().write_csv(file)
    proposal = propose_schema(ratings()).proposal
    assert proposal is not None
    assert proposal.subject == "s"
    assert [(one.column, one.row_numbers, one.distinct) for one in proposal.candidates] == [
        ("s", False, 40),
        ("d", False, 25),
        ("y", False, 5),
        ("rownames", True, ROWS),
    ]
    ran = run("anonymize", file, "-o", tmp_path / "out", "--json")
    assert ran.status == 2
    assert ran.json["error"]["code"] == "subject"
    assert ran.json["error"]["message"] == (
        f"{file}: nobody said whose records these are, and several columns may say whose records they are ('s', 'd'); "
        "name the column with --subject COLUMN (--subject row: every row is a person; --subject 'a+b': both together), "
        "or give a schema"
    )
    assert not (tmp_path / "out").exists()
    with pytest.raises(SchemaError, match=r"frame: nobody said whose records these are, and several columns"):
        tokumei.anonymize(ratings())
    shown = run("describe", file)
    assert shown.status == 0
    assert "Subject: s ('s' is the first column that repeats" in shown.out
    assert "'anonymize' asks for --subject or a schema" in shown.out
    document = run("describe", file, "--json").json["subject"]
    assert (document["taken"], document["candidates"][3]["doubt"]) == (
        "s",
        "'rownames' seems to hold row numbers, not people",
    )


@pytest.mark.parametrize(
    ("columns", "doubt"),
    [
        ({"id": list(range(1, ROWS + 1)), "x": ["a", "b"] * 100}, None),
        ({"customer": [f"c{n}" for n in range(195)] + ["c1"] * 5, "x": ["a", "b"] * 100}, "occur once"),
        ({"customer": [f"c{n % 30}" for n in range(100)] + [""] * 100, "x": ["a"] * 200}, "50.0 % of 'customer' is"),
        ({"customer": [n % 30 for n in range(200)], "patient": [n % 7 for n in range(200)]}, "('customer', 'patient')"),
        ({"customer": [n % 30 for n in range(200)], "goods": [n % 60 for n in range(200)]}, None),
        ({"age": [n % 50 for n in range(200)], "sex": ["f", "m"] * 100}, None),
        ({"job": [f"j{n % 90}" for n in range(190)] + [None] * 10, "sex": ["f", "m"] * 100}, "'job' may say whose"),
        ({"site": [f"s{n % 9}" for n in range(60)], "wing": [f"w{n % 12}" for n in range(60)]}, "('site', 'wing')"),
        ({"number": list(range(1, ROWS + 1)), "card": [f"k{n % 50}" for n in range(200)]}, "row numbers"),
    ],
)
def test_doubts(columns: dict[str, list[object]], doubt: str | None) -> None:
    proposal = propose_schema(pl.DataFrame(columns)).proposal
    assert proposal is not None
    assert (proposal.doubt is None) if doubt is None else (doubt in str(proposal.doubt))


@pytest.mark.parametrize(
    "columns",
    [
        {"age": [n % 50 for n in range(200)], "sex": ["f", "m"] * 100},
        {"age": [n % 31 if n % 9 else None for n in range(63)], "race": ["a", "b", "c"] * 21},
        {"grade": ["A", "B", "C"] * 13, "score": [n * 7 % 11 for n in range(39)]},
        {"job": [f"j{n % 90}" for n in range(190)] + [None] * 10, "sex": ["f", "m"] * 100},
    ],
)
def test_ages_grades_and_columns_with_gaps_are_not_taken_for_people(columns: dict[str, list[object]]) -> None:
    """Ages were taken for the subject, and four people of one age published as one person, "safe at k = 3"."""
    frame = pl.DataFrame(columns)
    assert propose_schema(frame).schema.subject == "row"
    assert tokumei.describe(frame).profile.subjects == frame.height


def test_several_columns_name_a_person_together(tmp_path: Path, run: Run) -> None:
    """Storms are named anew every year: Ana of 1979 is not Ana of 1985."""
    names = ["Ana", "Ana", "Ana", "Bob", "Bob", "Bob", "Cy", "Cy+", "Cy"]
    years = [1979, 1985, 1985, 1979, 1979, 1985, 1979, 1979, 1979]
    frame = pl.DataFrame({"name": names, "year": years, "wind": [30, 40, 30, 40, 30, 40, 30, 40, 30]})
    schema = infer_schema(frame, subject="name+year")
    assert schema.to_toml().startswith('subject = ["name", "year"]\n')
    assert Schema.from_toml(schema.to_toml()) == schema
    assert infer_schema(frame, subject=["name", "year"]) == schema
    history = tokumei.read_history(frame, schema)
    assert history.subjects.to_list() == [
        "Ana + 1979",
        "Ana + 1985",
        "Bob + 1979",
        "Bob + 1985",
        "Cy + 1979",
        "Cy++ + 1979",
    ]
    assert frame.select(subject_text(schema)).to_series().n_unique() == 6
    file = tmp_path / "storms.csv"
    frame.write_csv(file)
    made = run("anonymize", file, "--subject", "name+year", "--k", "2", "--seed", "1", "-o", tmp_path / "out")
    assert made.status == 0
    assert "subject: name + year (6 people, 9 records; as asked for)" in made.err
    audited = run("audit", "--original", file, "--release", tmp_path / "out", "--json")
    assert audited.json["verdict"] == "safe"
    with pytest.raises(SchemaError, match="there is no column 'yaer' \\(did you mean 'year'"):
        infer_schema(frame, subject="name+yaer")


def test_ids_that_look_alike_are_told_of() -> None:
    """Whether they name the same people nobody knows but the owner of the data."""
    ids = ["a1", "A1", "\uff41\uff11", "a 1", "b", "caf\u00e9", "cafe\u0301"]
    frame = pl.DataFrame({"who": ids, "v": range(len(ids))})
    notes = [str(note) for note in read_history(frame, subject="who").notes]
    assert [note for note in notes if note.startswith("4 values of 'who' differ from another one only in case")]
    assert not any("differ from" in str(note) for note in read_history(frame[3:6], subject="who").notes)
