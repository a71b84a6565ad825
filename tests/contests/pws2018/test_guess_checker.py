"""The F' checker against the official verdicts, and against a slow re-implementation on damaged files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tests.conftest import SHARED
from tests.contests.pws2018.damaged_files import damaged_guesses
from tests.contests.pws2018.slow_rules import guess_places
from tests.effort import EFFORT, examples
from tokumei.contests.check_result import Language
from tokumei.contests.pws2018.guess_checker import check_guesses

CASE = SHARED / "golden" / "pws2018" / "c05_F1_files"
OFFICIAL_WORDS = {
    "INVALID_FORMAT": "invalid format",
    "UNKNOWN_PSEUDONYM": "unknown pid",
    "UNKNOWN_CUSTOMER": "unknown id",
    "DUPLICATE_PSEUDONYM": "duplicated pid",
}
CUSTOMERS = pl.Series(["11", "12", "12", "13", "14"])
PSEUDONYMS = pl.Series(["1", "2", "2", "3", "4", "5"])
DAMAGED_FILES = 10_000 if EFFORT == "campaign" else examples(300)


def first_cells(path: Path) -> pl.Series:
    return pl.Series([line.split(",")[0] for line in path.read_text(encoding="utf-8").splitlines()])


@pytest.mark.parametrize("file", sorted(path.name for path in CASE.glob("F_*.csv")))
def test_every_crafted_file_gets_the_official_verdict(golden: Path, file: str) -> None:
    folder = golden / "pws2018" / "c05_F1_files"
    expected = json.loads((folder / "expected.json").read_text())
    entry = next(entry for entry in expected["files"] if entry["F1"] == file)
    customers = first_cells(folder / expected["inputs"]["T"])
    result = check_guesses(customers, first_cells(folder / "A1.csv"), (folder / file).read_bytes())
    assert result.valid is entry["valid"]
    if not entry["valid"]:
        line, _, code = result.places()[0]
        assert (line - 1, OFFICIAL_WORDS[code]) == (entry["line0"], entry["message"])


@pytest.mark.half_second
@pytest.mark.effort
def test_damaged_files_get_the_verdict_of_the_slow_rules(record_property: Callable[[str, object], None]) -> None:
    rng = np.random.default_rng(2018)
    codes: set[str] = set()
    for _ in range(DAMAGED_FILES):
        raw = damaged_guesses(rng)
        result = check_guesses(CUSTOMERS, PSEUDONYMS, raw)
        expected = guess_places(CUSTOMERS.to_list(), PSEUDONYMS.to_list(), raw)
        assert [(line, code) for line, _, code in result.places()] == expected, raw
        assert len(result.findings(language="ja")) == len(expected)
        codes.update(result.counts())
    assert codes == set(OFFICIAL_WORDS)
    record_property("figure", f"{DAMAGED_FILES} damaged files of F': all verdicts those of the rules")


def test_all_wrong_lines_are_listed_with_the_first_error_of_each() -> None:
    result = check_guesses(CUSTOMERS, PSEUDONYMS, b"1,11\n9,99\n1,99\n1,12\nx\n2,11")
    assert result.places() == [
        (2, 1, "UNKNOWN_PSEUDONYM"),
        (3, 2, "UNKNOWN_CUSTOMER"),
        (4, 1, "DUPLICATE_PSEUDONYM"),
        (5, None, "INVALID_FORMAT"),
    ]


def test_an_empty_file_and_integer_ids_are_fine() -> None:
    assert check_guesses(CUSTOMERS, PSEUDONYMS, b"").valid
    assert check_guesses(CUSTOMERS.cast(pl.Int64), PSEUDONYMS.cast(pl.Int64), b"1,11\n2,12\n").valid


MESSAGES: list[tuple[bytes, Language, str]] = [
    (
        b"1;11",
        "en",
        (
            "'1;11' is not a guess: write pseudonym,customer as two whole numbers, with nothing else in the line "
            "(no header, spaces, quotes or blank lines)"
        ),
    ),
    (
        b"9,11",
        "en",
        (
            "pseudonym '9' does not occur in the published file: write one exactly as it stands there (pseudonym "
            "first, then customer)"
        ),
    ),
    (
        b"1,99",
        "en",
        ("customer '99' does not occur in T: write an id exactly as it stands there (pseudonym first, then customer)"),
    ),
    (b"2,11\n1,11\n2,12", "en", "pseudonym '2' was already guessed in line 1: keep one guess per pseudonym"),
    (b"2,11\n1,11\n2,12", "ja", "仮名「2」は1行目ですでに推定されています。仮名ごとに推定は1つだけにしてください"),
    (b"1,99", "ja", "顧客「99」はTにありません。そこにあるIDをそのまま書いてください（仮名、顧客IDの順）"),
]


@pytest.mark.parametrize(("raw", "language", "message"), MESSAGES)
def test_sentences_name_the_value_and_what_to_write(raw: bytes, language: Language, message: str) -> None:
    findings = check_guesses(CUSTOMERS, PSEUDONYMS, raw).findings(language=language)
    assert [found.message for found in findings] == [message]
