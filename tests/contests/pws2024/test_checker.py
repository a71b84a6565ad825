"""The checker of PWS Cup 2024 against a slow one that reads with pandas as the official program does."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.effort import EFFORT
from tokumei.contests.pandas_table import as_written, parse_table, table_text
from tokumei.contests.pws2024.checker import check_answers, check_table

FILES = 2_000 if EFFORT == "campaign" else 50
MOVIES = ("247", "2100")
BASICS = ("Gender", "Age")
ODD = (
    "6",
    "-1",
    "",
    " 3",
    "3.0",
    "3e0",
    "*",
    "NA",
    "x",
    "03",
    "+3",
    '"3"',
    "1_0",
    "３",
    "inf",
    "2 ",
    "56.0",
    "F ",
    "99",
    "True",
    "1e400",
    "99999999999999999999",
)


def random_table(rng: np.random.Generator, rows: int) -> list[list[str]]:
    """Return a header and rows."""
    body = [
        [str(rng.choice(["F", "M"])), str(rng.choice(["18", "56"])), *(str(rng.integers(6)) for _ in MOVIES)]
        for _ in range(rows)
    ]
    return [[*BASICS, *MOVIES], *body]


def damaged(rng: np.random.Generator, table: list[list[str]]) -> bytes:
    """Return the table with up to three kinds of damage."""
    rows = [list(row) for row in table]
    lines_end, start = "\n", b""
    for _ in range(int(rng.integers(0, 4))):
        kind, at = int(rng.integers(9)), int(rng.integers(1, len(rows)))
        if kind <= 3:
            rows[at][int(rng.integers(len(rows[at])))] = str(rng.choice(ODD))
        elif kind == 4:
            rows.pop(at) if rng.random() < 0.5 else rows.insert(at, list(rows[at]))
        elif kind == 5:
            rows[at].append("1") if rng.random() < 0.5 else rows[at].pop()
        elif kind == 6:
            rows[0][int(rng.integers(len(rows[0])))] = str(rng.choice(["2100", "Name", "x", "Age"]))
        elif kind == 7:
            rows.insert(at, [str(rng.choice(["", "  ", "\t"]))])
        else:
            lines_end, start = str(rng.choice(["\n", "\r\n", "\r"])), [b"", b"\xef\xbb\xbf"][int(rng.integers(2))]
        if len(rows) < 3:
            break
    if lines_end == "\r" and any(row[0].startswith((" ", "\t")) for row in rows):
        # pandas itself stumbles over a blank behind a bare CR.
        lines_end = "\n"
    return start + lines_end.join(",".join(row) for row in rows).encode() + lines_end.encode()


def slow_verdict(original: pd.DataFrame, raw: bytes, rows: int) -> dict[str, Any]:
    """Return the official answer, by pandas itself."""
    try:
        table = pd.read_csv(io.BytesIO(raw))
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        return {"error": type(error).__name__, "codes": []}
    table, known = (one.drop(columns="Name", errors="ignore") for one in (table, original))
    if len(table) != rows:
        return {"error": None, "codes": [["ROWS", None]]}
    if len(table.columns) != len(known.columns):
        return {"error": "ValueError", "codes": []}
    if list(table.columns) != list(known.columns):
        return {"error": None, "codes": [["COLUMNS", None]]}
    codes = []
    for name in known.columns:
        allowed = list(range(6)) if name in MOVIES else known[name].unique().tolist()
        if not table[name].isin(allowed).all():
            codes.append(["RATING" if name in MOVIES else "UNKNOWN_VALUE", name])
    return {"error": None, "codes": codes}


@pytest.mark.half_second
@pytest.mark.effort
def test_damaged_tables_get_the_verdict_of_pandas(record_property: Any) -> None:
    rng = np.random.default_rng(2024)
    for number in range(FILES):
        table = random_table(rng, rows=int(rng.integers(3, 8)))
        raw = damaged(rng, table)
        text = "\n".join(",".join(row) for row in table).encode() + b"\n"
        original, rows = parse_table(text, "B"), len(table) - 1
        wanted = slow_verdict(pd.read_csv(io.BytesIO(text)), raw, rows)
        checked, _table = check_table(original, raw, "C", rows=rows)
        found = {key: checked.official[key] for key in wanted}
        assert found == wanted, (number, raw)
        assert checked.valid == (wanted == {"error": None, "codes": []}), (number, raw)
        assert checked.count >= len(wanted["codes"])
        strict, _table = check_table(original, raw, "C", rows=rows, strict=True)
        assert strict.count >= checked.count
    record_property("figure", f"{FILES} damaged tables")


@pytest.mark.parametrize(
    ("known", "shown"),
    [
        (["18", ""], ["18", ""]),
        (["18", "x"], ["18", "18"]),
        (["18", "56"], ["18", ""]),
        (["True", "False"], ["true", "true"]),
        (["1", "56"], ["True", "True"]),
    ],
)
def test_the_values_of_a_whole_column_are_known_as_pandas_knows_them(known: list[str], shown: list[str]) -> None:
    text, raw = (b"".join(f"F,{cell},{n}\n".encode() for n, cell in enumerate(cells)) for cells in (known, shown))
    head = b"Gender,Age,247\n"
    original = pd.read_csv(io.BytesIO(head + text))
    wanted = original["Age"].pipe(lambda ages: pd.read_csv(io.BytesIO(head + raw))["Age"].isin(ages).all())
    checked, _table = check_table(parse_table(head + text, "B"), head + raw, "C", rows=2)
    assert checked.valid == checked.official["valid"] == wanted


def test_an_open_quotation_mark_ends_the_reading_and_texts_are_written_as_pandas_writes_them() -> None:
    assert parse_table(b'a,b\n"1,2\n', "C").error == "ParserError"
    raw = b"a,b,c,d,e\n007,1,true,x,+5\n-3,,FALSE,NA,5\n"
    found = table_text(as_written(parse_table(raw, "B").frame))
    assert found == pd.read_csv(io.BytesIO(raw)).to_csv(index=False).encode()


def test_all_faults_are_told_with_their_place_in_both_languages() -> None:
    original = parse_table(b"Gender,Age,247\nF,18,1\nM,56,5\n", "B")
    raw = b"Gender,Age,247\nX,18,6\nM,57,\nF,18,1\n"
    checked, _table = check_table(original, raw, "C_6", rows=2)
    places = [(note.code, note.line, note.column, note.name, note.value) for note in checked.notes]
    assert places == [
        ("row-count", None, None, None, None),
        ("unknown-value", 2, 1, "Gender", "X"),
        ("unknown-value", 3, 2, "Age", "57"),
        ("rating", 2, 3, "247", "6"),
        ("rating", 3, 3, "247", ""),
    ]
    assert checked.notes[3].message == {"en": "'6' is no rating from 0 to 5", "ja": "「6」は0から5の整数ではありません"}
    assert checked.official["codes"] == [["ROWS", None]]


def test_strict_refuses_what_the_official_checker_lets_pass() -> None:
    original = parse_table(b"Gender,Age,247\nF,18,1\nM,56,5\n", "B")
    raw = b"Name,Gender,Age,247\nAya,F,18.0,1.0\nKen,M,56,5\n"
    assert check_table(original, raw, "C", rows=2)[0].valid
    strict, _table = check_table(original, raw, "C", rows=2, strict=True)
    assert [note.code for note in strict.notes] == ["name-column", "unknown-value", "rating"]


def test_text_that_is_no_utf8_and_a_long_answer_tell_the_official_exception() -> None:
    original = parse_table(b"Gender,Age,247\nF,18,1\n", "B")
    checked, _table = check_table(original, "Gender,Age,247\n茶,18,1\n".encode("cp932"), "C", rows=1)
    assert (checked.official["error"], checked.count) == ("UnicodeDecodeError", 1)
    assert parse_table(b"1,2\n1,2,3\n", "E", header=False).error == "ParserError"


def test_a_star_in_an_answer_file_is_refused_only_by_strict() -> None:
    answers = parse_table(b"*,0\n" + b"1,2\n" * 49, "E", header=False)
    assert check_answers(answers).count == 0
    (note,) = check_answers(answers, strict=True).notes
    assert (note.code, note.line, note.value) == ("answer", 1, "*")
