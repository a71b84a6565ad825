"""The A checker against the official verdicts, and against a slow re-implementation on damaged files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.conftest import SHARED
from tests.contests.pws2018.damaged_files import damaged_release, random_original
from tests.contests.pws2018.slow_rules import Row, release_places
from tests.effort import EFFORT, examples
from tokumei.contests.check_result import CheckResult, Language
from tokumei.contests.pws2018.release_checker import RELEASE_CODES, check_release
from tokumei.errors import ParameterError

COLUMNS = ["customer", "date", "goods", "price", "quantity"]
ROWS: list[Row] = [
    ("7", "2011/1/15", "A", "2.1", "6"),
    ("7", "2011/1/16", "B", "3", "1"),
    ("8", "2011/2/28", "C", "0.5", "9"),
]
VALID = ["1,2011/1/15,A,2.1,6", "1,2011/1/16,B,3,1", "2,2011/2/28,C,0.5,9"]
CASES = SHARED / "golden" / "pws2018"
DAMAGED_FILES = 10_000 if EFFORT == "campaign" else examples(300)
DAMAGED_BLOCKS = 10


def frame(rows: list[Row]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(COLUMNS, pl.String), orient="row")


def read_original(path: Path) -> pl.DataFrame:
    lines = path.read_text(encoding="utf-8").splitlines()
    return frame([tuple(line.split(",")) for line in lines])  # type: ignore[misc]


def expected_places(errors: list[dict[str, Any]]) -> list[tuple[int, int | None, str]]:
    return [(error["line"], error["cell"], error["code"]) for error in errors]


def check(*lines: str, rows: list[Row] = ROWS, end: str = "\n") -> CheckResult:
    return check_release(frame(rows), "".join(line + end for line in lines).encode())


def with_line(number: int, line: str) -> CheckResult:
    return check(*[line if place == number else valid for place, valid in enumerate(VALID, start=1)])


def _release_files() -> list[tuple[str, str]]:
    found = []
    for case in ("c02_files", "c03_set_size", "c04_line_length"):
        found += [(case, path.name) for path in sorted((CASES / case).glob("A_*.csv"))]
    return found


def test_every_cell_variant_gets_the_official_verdict(golden: Path) -> None:
    folder = golden / "pws2018" / "c01_cells"
    expected = json.loads((folder / "expected.json").read_text())
    result = check_release(read_original(folder / "T.csv"), (folder / "A.csv").read_bytes())
    errors = [{"line": entry["line"], **error} for entry in expected["lines"] for error in entry["errors"]]
    assert len(expected["lines"]) == 211
    assert result.places() == expected_places(errors)
    assert result.valid is expected["valid"]


@pytest.mark.half_second
@pytest.mark.parametrize(("case", "file"), _release_files())
def test_every_crafted_file_gets_the_official_verdict(golden: Path, case: str, file: str) -> None:
    folder = golden / "pws2018" / case
    listed = json.loads((folder / "expected.json").read_text())["files"]
    expected = next(entry for entry in listed if entry["A"] == file)
    result = check_release(read_original(folder / "T.csv"), (folder / file).read_bytes())
    assert result.places() == expected_places(expected["errors"])
    assert result.valid is expected["valid"]
    assert len(result.findings(language="ja")) == result.error_count


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.glob("u*")))
def test_files_of_the_utility_cases_get_the_official_verdict(golden: Path, case: str) -> None:
    folder = golden / "pws2018" / case
    expected = json.loads((folder / "expected.json").read_text())
    inputs, verdict = expected["inputs"], expected["checker"]
    result = check_release(read_original(folder / inputs["T"]), (folder / inputs["A"]).read_bytes())
    errors = expected_places(verdict["errors"])
    assert result.valid is verdict["valid"]
    assert result.error_count == verdict.get("error_count", len(errors))
    assert result.places()[: len(errors)] == errors


@pytest.mark.half_second
@pytest.mark.effort
@pytest.mark.parametrize("block", range(DAMAGED_BLOCKS))
def test_damaged_files_get_the_verdict_of_the_slow_rules(
    record_property: Callable[[str, object], None], block: int
) -> None:
    rng = np.random.default_rng([2018, block])
    codes: set[str] = set()
    valid = 0
    for _ in range(DAMAGED_FILES // DAMAGED_BLOCKS):
        original = random_original(rng)
        raw = damaged_release(rng, original)
        result = check_release(frame(original), raw)
        assert result.places() == release_places(original, raw), (original, raw)
        for language in ("en", "ja"):
            findings = result.findings(language=language)
            assert [(found.line, found.column, found.code) for found in findings] == result.places()
            assert all(found.message for found in findings)
        codes.update(result.counts())
        valid += result.valid
    assert valid > 0 or EFFORT == "quick"  # six files may all be damaged
    assert {"INVALID", "NOT_CONTAINED"} <= codes
    assert {code.lower().replace("_", "-") for code in codes} <= set(RELEASE_CODES)
    files = DAMAGED_FILES // DAMAGED_BLOCKS
    record_property(
        "figure", f"{files} damaged files of A (block {block}): {valid} valid, all verdicts those of the rules"
    )


@pytest.mark.half_second
@pytest.mark.parametrize("seed", range(20))
def test_the_first_pair_of_customer_and_pseudonym_wins(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 300))
    customers, pseudonyms = rng.integers(1, int(rng.integers(2, 60)), size=(2, size)).tolist()
    rows: list[Row] = [(str(customer), "2011/1/1", "A", "1", "1") for customer in customers]
    raw = "".join(f"{pseudonym},*,*,*,*\n" for pseudonym in pseudonyms).encode()
    assert check_release(frame(rows), raw).places() == release_places(rows, raw)


def test_a_long_chain_of_contradictions_is_walked_in_file_order() -> None:
    customers = [(number + 1) // 2 for number in range(2000)]
    rows: list[Row] = [(str(customer), "2011/1/1", "A", "1", "1") for customer in customers]
    raw = "".join(f"{number // 2 + 1},*,*,*,*\n" for number in range(2000)).encode()
    result = check_release(frame(rows), raw)
    assert result.places() == release_places(rows, raw)
    assert result.counts() == {"INCONSISTENT": 1000}


def test_bytes_that_are_no_utf8_spoil_only_their_own_cell() -> None:
    rows: list[Row] = [("7", "2011/1/15", "ü", "2.1", "6"), ("7", "2011/1/15", "ü", "2.1", "6")]
    raw = "1,2011/1/15,{ü},2.1,6\n".encode() + b"1,2011/1/15,\xfc,2.1,6\n"
    assert check_release(frame(rows), raw).places() == [(2, 3, "NOT_CONTAINED")]


def test_an_empty_original_accepts_only_an_empty_file() -> None:
    assert check(rows=[]).valid
    assert check("", rows=[]).places() == [(1, None, "TOO_MANY_LINES")]


def test_a_line_too_many_that_cannot_be_read_is_reported_as_unreadable() -> None:
    assert check(*VALID, "x\ry").places() == [(4, None, "BAD_NEWLINE")]
    assert check(*VALID, "x" * 8001).places() == [(4, None, "LINE_TOO_LONG")]
    assert check(*VALID, "x" * 8000).places() == [(4, None, "TOO_MANY_LINES")]


def test_missing_lines_are_reported_after_the_cells_of_the_last_line() -> None:
    assert check(VALID[0], "1,2011/1/16,X,3,1").places() == [(2, 3, "NOT_CONTAINED"), (2, None, "NOT_ENOUGH_LINES")]


def test_a_file_with_every_cell_wrong_is_counted_without_making_sentences() -> None:
    size = 20_000
    rows: list[Row] = [("7", "2011/1/15", "A", "2.1", "6")] * size
    result = check(*["x,x,x,x,x"] * size, rows=rows)
    assert result.error_count == 5 * size
    assert result.counts() == {"INVALID": 4 * size, "NOT_CONTAINED": size}
    assert [found.column for found in result.findings(limit=7)] == [1, 2, 3, 4, 5, 1, 2]
    document = result.as_dict(limit=1)
    assert (document["valid"], document["error_count"]) == (False, 5 * size)


MESSAGES = [
    (
        with_line(1, "01,2011/1/15,A,2.1,6"),
        "en",
        (
            "'01' is not a pseudonym: write a whole number from 1 to 999999999 "
            "without leading zeros, or delete the whole row with *,*,*,*,*"
        ),
    ),
    (
        with_line(1, "1,2011/13/1,A,2.1,6"),
        "en",
        (
            "'2011/13/1' is not allowed as a date: write a day of 2010 or 2011 such "
            "as 2011/1/15, a range [first;last] of two such days in order, or *; no spaces, no sets"
        ),
    ),
    (
        with_line(1, "1,2011/13/1,A,2.1,6"),
        "ja",
        (
            "「2011/13/1」は日付として使えません。2010年か2011年の実在する日付（例 "
            "2011/1/15）、その2つを早い順に並べた範囲 [始め;終わり]、または * を、空白や集合を使わずに書いてください"
        ),
    ),
    (
        with_line(1, "1,2011/1/15,A,[2.2;3],6"),
        "en",
        (
            "'[2.2;3]' does not contain the original price '2.1': write that "
            "value, a range [low;high] that contains it, or *"
        ),
    ),
    (
        with_line(1, "1,2011/1/15,A,[2.2;3],6"),
        "ja",
        ("「[2.2;3]」は元の単価「2.1」を含みません。その値、それを含む範囲 [下限;上限]、または * を書いてください"),
    ),
    (
        with_line(1, "1,2011/1/15,{B;C},2.1,6"),
        "en",
        (
            "'{B;C}' does not contain the original goods 'A': write that id, a "
            "set {a;b} of goods of T that includes it, or *"
        ),
    ),
    (
        with_line(1, "1,2011/1/15,{A;Q},2.1,6"),
        "en",
        (
            "the set '{A;Q}' names 'Q', which does not occur in T: write 1 to 100 "
            "different goods of T as {a;b}, without spaces"
        ),
    ),
    (
        with_line(1, "1,2011/1/15,{A;B;A},2.1,6"),
        "en",
        ("the set '{A;B;A}' names 'A' twice: write 1 to 100 different goods of T as {a;b}, without spaces"),
    ),
    (
        with_line(1, "1,2011/1/15,{A;},2.1,6"),
        "ja",
        ("集合「{A;}」に空の要素があります。Tにある商品を1〜100個、重複も空白もなく {a;b} の形で書いてください"),
    ),
    (
        with_line(2, "3,2011/1/16,B,3,1"),
        "en",
        (
            "pseudonym '3' is not the one that this customer has since line 1: use one "
            "pseudonym per customer over the whole file, and each for one customer only"
        ),
    ),
    (
        with_line(3, "1,2011/2/28,C,0.5,9"),
        "en",
        (
            "pseudonym '1' belongs to another customer since line 1: use one "
            "pseudonym per customer over the whole file, and each for one customer only"
        ),
    ),
    (
        with_line(3, "1,2011/2/28,C,0.5,9"),
        "ja",
        (
            "仮名「1」は一対一ではありません（この仮名は1行目で別の顧客に付いています）。"
            "ファイル全体で顧客1人に仮名1つ、仮名1つに顧客1人としてください"
        ),
    ),
    (
        with_line(2, "1,2011/1/16,B,3,1,"),
        "en",
        ("the line has 6 cells: write exactly 5, separated by commas; inside ranges and sets write ';' instead of ','"),
    ),
    (
        with_line(2, ""),
        "ja",
        ("この行には0個のセルしかありません。カンマ区切りでちょうど5個にしてください（削除した行は *,*,*,*,*）"),
    ),
    (
        check(*VALID, ""),
        "en",
        ("T has only 3 lines: remove this line and all that follow; a blank line at the end counts as well"),
    ),
    (
        check(*VALID[:2]),
        "en",
        (
            "the file ends after 2 lines, but T has 3: line i of A belongs to line i of T; write "
            "*,*,*,*,* for a deleted row"
        ),
    ),
    (
        check(*VALID[:2]),
        "ja",
        (
            "ファイルは2行で終わっていますが、Tは3行あります。Aのi行目はTのi行目に対応します。削除した行は "
            "*,*,*,*,* と書いてください"
        ),
    ),
    (
        check(*VALID, end="\r"),
        "en",
        (
            "a carriage return (CR) stands here without a line feed (LF) after it: end lines with "
            "LF or CRLF; nothing from this line on was checked"
        ),
    ),
    (
        with_line(1, "9" * 8005),
        "en",
        (
            "the line has 8005 characters, at most 8000 are allowed: use smaller sets, or *; "
            "nothing from this line on was checked"
        ),
    ),
    (
        with_line(1, "9" * 8005),
        "ja",
        (
            "この行は8005文字あり、上限の8000文字を超えています。集合を小さくするか * にして"
            "ください。この行以降は検査していません"
        ),
    ),
]


@pytest.mark.parametrize(("result", "language", "message"), MESSAGES)
def test_sentences_name_the_value_and_what_is_allowed(result: CheckResult, language: Language, message: str) -> None:
    assert [found.message for found in result.findings(language=language)] == [message]


def test_long_values_are_shortened_and_control_characters_escaped() -> None:
    result = with_line(1, "\ufeff1,2011/1/15,A,2.1," + "\x1b" + "6" * 50)
    first, second = result.findings()
    assert first.value == "\\ufeff1"
    assert second.value == "\\x1b" + "6" * 38 + "…"
    assert second.name == "quantity"


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"there is no report in the language 'fr'"):
        check(*VALID).findings(language="fr")  # type: ignore[arg-type]


def test_the_json_document_lists_line_cell_code_and_message() -> None:
    document = with_line(1, "1,2011/1/15,A,2.1,0").as_dict()
    errors = document["errors"]
    assert isinstance(errors, list)
    assert errors[0].keys() == {"line", "cell", "code", "message"}
    assert (errors[0]["line"], errors[0]["cell"], errors[0]["code"]) == (1, 5, "INVALID")
