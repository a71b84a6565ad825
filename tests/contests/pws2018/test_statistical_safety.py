"""The 2018 safety verdict: truth, hits, both thresholds, and irregular answers."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tokumei.audits.thresholds import read_threshold_table, sharp_threshold
from tokumei.contests.pws2018.statistical_safety import SafetyTest, judge_guesses, owners_of
from tokumei.data.results import Guesses, Outcome
from tokumei.errors import ContentError, InputError

REGULAR = ["s01_one_pseudonym", "s02_several_pseudonyms_deleted_rows", "s03_shared_pseudonym"]


def _first_column(path: Path) -> pl.Series:
    return pl.Series([line.split(",")[0] for line in path.read_text().splitlines()], dtype=pl.String)


def _answer(lines: list[str]) -> Guesses:
    pairs = [line.split(",") for line in lines]
    pseudonyms, subjects = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return Guesses.of_pairs(pl.Series(pseudonyms, dtype=pl.String), pl.Series(subjects, dtype=pl.String))


def _case(folder: Path) -> tuple[dict[str, Any], pl.DataFrame]:
    expected = json.loads((folder / "expected.json").read_text())
    inputs = expected["inputs"]
    return expected, owners_of(_first_column(folder / inputs["T"]), _first_column(folder / inputs["A"]))


@pytest.mark.half_second
@pytest.mark.parametrize("name", REGULAR)
@pytest.mark.parametrize("with_table", [True, False])
def test_golden_verdicts(golden: Path, name: str, *, with_table: bool) -> None:
    expected, owners = _case(golden / "pws2018" / name)
    assert dict(owners.rows()) == expected["truth"]
    table = tuple(read_threshold_table((golden / "pws2018" / "R.csv").read_text().splitlines()))
    test = SafetyTest(table=table if with_table else None)
    assert expected["safety"]
    for entry in expected["safety"]:
        result = test.judge(owners, _answer(entry["F1_rows"]))
        assert (result.n, result.hits, result.threshold) == (entry["n"], entry["hits"], entry["threshold"])
        assert result.unsafe == bool(entry["S"])
        assert result.sharp_threshold == sharp_threshold(entry["n"])
        assert result.warnings == ()


def test_golden_irregular_answers(golden: Path) -> None:
    expected, owners = _case(golden / "pws2018" / "s04_irregular_F1")
    assert dict(owners.rows()) == expected["truth"]
    outcomes = []
    for entry in expected["safety"]:
        answer = _answer(entry["F1_rows"])
        if "error" in entry:
            with pytest.raises(InputError, match=r"F1.csv, line 1, column 1 .pseudonym.: the pseudonym '999999'"):
                SafetyTest().judge(owners, answer, file="F1.csv")
            continue
        result = judge_guesses(owners, answer)
        assert (result.n, result.threshold, result.unsafe) == (entry["n"], entry["threshold"], bool(entry["S"]))
        outcomes.append((result.hits, len(result.warnings)))
    assert outcomes == [(8, 1), (0, 0), (8, 0)]


@pytest.fixture
def owners() -> pl.DataFrame:
    return owners_of(pl.Series(["1", "2", "1", "3", "3"]), pl.Series(["70", "*", "71", "70", "80"]))


def test_truth_is_the_first_row_that_is_not_deleted(owners: pl.DataFrame) -> None:
    assert owners.rows() == [("70", "1"), ("71", "1"), ("80", "3")]


def test_files_of_different_length_are_refused() -> None:
    with pytest.raises(InputError, match="the anonymized file has 1 rows and the original 2; both must have the same"):
        owners_of(pl.Series(["1", "2"]), pl.Series(["70"]))


def test_empty_file_has_no_owners() -> None:
    nothing = pl.Series([], dtype=pl.String)
    truth = owners_of(nothing, nothing)
    assert truth.height == 0
    result = judge_guesses(truth, _answer([]))
    assert (result.n, result.hits, result.threshold, result.unsafe, result.sharp_unsafe) == (0, 0, 1, False, False)


def test_repeated_pseudonym_counts_again_with_a_warning(owners: pl.DataFrame) -> None:
    result = judge_guesses(owners, _answer(["70,1", "70,1", "80,3"]))
    assert (result.n, result.hits) == (3, 3)
    (warning,) = result.warnings
    assert str(warning).startswith("1 guess repeats a pseudonym; as in the official program each counts again")


def test_strict_test_refuses_repeated_pseudonyms(owners: pl.DataFrame) -> None:
    with pytest.raises(ContentError, match=r"line 2, column 1 .pseudonym.: the pseudonym '70' was guessed") as caught:
        SafetyTest(strict=True).judge(owners, _answer(["70,1", "70,2", "70,3"]))
    assert [finding.line for finding in caught.value.findings] == [2, 3]
    assert caught.value.code == "DUPLICATE_PSEUDONYM"


def test_every_unknown_pseudonym_is_named(owners: pl.DataFrame) -> None:
    with pytest.raises(ContentError, match="'99' does not occur in the anonymized file") as caught:
        judge_guesses(owners, _answer(["70,1", "99,1", "*,2"]))
    assert [finding.line for finding in caught.value.findings] == [2, 3]
    assert caught.value.code == "UNKNOWN_PSEUDONYM"


def test_table_wins_over_the_formula_and_the_formula_continues_it() -> None:
    test = SafetyTest(table=(1, 1, 2))
    assert [test.threshold(n) for n in range(5)] == [1, 1, 2, 4, 5]


def test_zero_in_a_table_is_named_as_the_generators_defect(owners: pl.DataFrame) -> None:
    p, alpha, wrong = Fraction(1, 50), Fraction(45, 1000), _answer(["70,9"])
    result = SafetyTest(p=p, alpha=alpha, table=(1, 0)).judge(owners, wrong)
    assert result.unsafe
    assert "r(1) = 0, a defect of the official table generator" in str(result.warnings[0])
    strict = SafetyTest(p=p, alpha=alpha, table=(1, 0), strict=True).judge(owners, wrong)
    assert (strict.threshold, strict.unsafe) == (1, False)


def test_result_gives_both_verdicts() -> None:
    ids = pl.Series([str(number) for number in range(50)])
    truth = owners_of(ids, ids)
    right = pl.Series([str(number if number < 30 else 0) for number in range(50)])
    result = judge_guesses(truth, Guesses.of_pairs(ids, right))
    assert result.as_dict() == {
        "n": 50,
        "hits": 30,
        "threshold": 34,
        "sharp_threshold": 30,
        "unsafe": False,
        "sharp_unsafe": True,
        "warnings": [],
    }
    verdict = result.verdict()
    assert verdict.outcome is Outcome.NOT_SHOWN_UNSAFE
    assert [reason.sentence for reason in verdict.reasons] == [
        "30 of 50 guesses are right; the official threshold 34 is not reached.",
        "30 of 50 guesses are right; the sharp threshold 30 is reached.",
    ]
