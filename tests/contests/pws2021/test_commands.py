"""The commands of PWS Cup 2021 on bad files, and on the worked example of a student group."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.contests.pws2021.test_table import random_table

Files = dict[str, Path]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Return B of 240 rows, X of its first 100 rows, D = C, and test rows with answers and guesses."""
    lines = random_table(240, 11).lines()
    found = {name: tmp_path / f"{name}.csv" for name in ("B", "X", "D", "E")}
    found["B"].write_text("".join(f"{line}\n" for line in lines))
    found["X"].write_text("".join(f"{row}\n" for row in range(100)))
    found["D"].write_text("".join(f"{line}\n" for line in lines[100:]))
    found["E"].write_text("-1,-1,-1\n" * 50 + "0,1,2\n" * 50)
    return found


def edited(path: Path, edit: Callable[[list[str]], list[str]]) -> None:
    path.write_text("".join(f"{line}\n" for line in edit(path.read_text().split("\n")[:-1])))


def test_good_files_pass(files: Files, run: Run) -> None:
    ran = run("pws2021", "check-dx", files["B"], files["D"], files["X"], "--json")
    assert (ran.status, ran.json) == (0, {"valid": True, "findings": []})
    ran = run("pws2021", "check-e", files["B"], files["E"])
    assert ran.status == 0
    assert "valid: 0 errors" in ran.out


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("change", "line", "column", "code"),
    [
        (lambda line: line + ",1", 3, None, "column-count"),
        (lambda line: line.replace(line.split(",")[1], "old", 1), 3, 2, "no-number"),
        (lambda line: ",".join(["Robot", *line.split(",")[1:]]), 3, 1, "unknown-value"),
        (lambda line: ",".join([*line.split(",")[:5], "99", *line.split(",")[6:]]), 3, 6, "out-of-range"),
    ],
)
def test_a_fault_in_d_is_found_with_line_and_column(
    files: Files, run: Run, change: Callable[[str], str], line: int, column: int | None, code: str
) -> None:
    edited(files["D"], lambda lines: [*lines[:2], change(lines[2]), *lines[3:]])
    ran = run("pws2021", "check-dx", files["B"], files["D"], files["X"], "--json")
    assert (ran.status, ran.json["valid"]) == (1, False)
    errors = [(one["file"], one["line"], one["column"], one["code"]) for one in ran.json["findings"]]
    assert errors == [("D", line, column, code)]
    evaluated = run("pws2021", "evaluate", files["B"], files["D"], files["X"], "--json")
    assert (evaluated.status, evaluated.json["passes"]) == (1, False)


def test_an_empty_number_passes_the_checker_with_a_warning_but_has_no_figures(files: Files, run: Run) -> None:
    edited(files["D"], lambda lines: [",".join([lines[0].split(",")[0], "", *lines[0].split(",")[2:]]), *lines[1:]])
    words = ("pws2021", "check-dx", files["B"], files["D"], files["X"], "--json")
    ran = run(*words)
    assert (ran.status, ran.json["findings"][0]["code"]) == (0, "empty-number")
    assert run(*words, "--strict").status == 1
    ran = run("pws2021", "umark", files["B"], files["D"], "--json")
    assert (ran.status, ran.json["error"]["line"], ran.json["error"]["column"]) == (2, 1, 2)
    assert "the cell is empty; write a number" in ran.json["error"]["message"]


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (lambda lines: [*lines[:-1], "0"], "duplicate-row"),
        (lambda lines: lines[:-1], "row-count"),
        (lambda lines: [*lines[:-1], "1.5"], "no-integer"),
        (lambda lines: lines[:0], "empty-file"),
    ],
)
def test_a_fault_in_x_is_found(files: Files, run: Run, edit: Callable[[list[str]], list[str]], code: str) -> None:
    edited(files["X"], edit)
    ran = run("pws2021", "check-dx", files["B"], files["D"], files["X"], "--json")
    assert ran.status == 1
    assert code in [one["code"] for one in ran.json["findings"] if one["file"] == "X"]


def test_rows_outside_b_are_overlooked_officially_refused_strictly_and_unusable(files: Files, run: Run) -> None:
    edited(files["X"], lambda lines: [*lines[:-1], "999"])
    words = (files["B"], files["D"], files["X"], "--json")
    assert run("pws2021", "check-dx", *words).status == 0
    assert run("pws2021", "check-dx", *words, "--strict").status == 1
    ran = run("pws2021", "pick", files["B"], files["X"], "--json")
    assert (ran.status, ran.json["error"]["line"]) == (2, 100)
    assert "'999' is no whole number from 0 to 239" in ran.json["error"]["message"]
    assert run("pws2021", "evaluate", *words).json["limits"] == {}


def test_answers_of_99_rows_are_invalid(files: Files, run: Run) -> None:
    edited(files["E"], lambda lines: lines[:-1])
    ran = run("pws2021", "check-e", files["B"], files["E"], "--json")
    assert (ran.status, ran.json["findings"][0]["code"]) == (1, "row-count")
    assert "E has 99 rows; it needs 100" in ran.json["findings"][0]["message"]


def test_a_separated_regression_is_named(files: Files, run: Run) -> None:
    """A level whose rows all lack diabetes has no finite odds ratio."""

    def without_positives(lines: list[str]) -> list[str]:
        return [line[:-1] + "0" if ",Widowed," in line else line for line in lines]

    edited(files["D"], without_positives)
    ran = run("pws2021", "umark", files["B"], files["D"], "--json")
    assert ran.status == 0
    assert "no finite odds ratio for mar[T.Widowed]" in ran.json["warnings"][0]
    strictly = run("pws2021", "umark", files["B"], files["D"], "--strict", "--json")
    assert (strictly.status, strictly.json["error"]["code"]) == (2, "separation")


def test_missing_files_and_names_are_one_sentence(files: Files, run: Run, tmp_path: Path) -> None:
    ran = run("pws2021", "umark", tmp_path / "absent.csv", files["D"])
    assert ran.status == 2
    assert "there is no such file" in ran.err
    ran = run("pws2021", "anonymize", "team6", files["B"], "-o", tmp_path / "D2.csv")
    assert ran.status == 2
    assert "pws2021 has no method named 'team6' (did you mean 'team06'?)" in ran.err
    ran = run("pws2021", "anonymize", "rr", files["B"])
    assert "name the file D to write with -o" in ran.err
    ran = run("pws2021", "attack", "nobody", files["B"], files["D"], "-o", tmp_path / "E2.csv")
    assert "pws2021 has no attack named 'nobody'" in ran.err


@pytest.mark.half_second
def test_the_chain_from_b_to_a_risk(files: Files, run: Run, tmp_path: Path) -> None:
    """Anonymize, pick, attack, judge: every command reads what the one before wrote."""
    d, ct, ea, e = (tmp_path / name for name in ("D3.csv", "CT.csv", "EA.csv", "E3.csv"))
    c = tmp_path / "C.csv"
    run("pws2021", "exclude", files["B"], files["X"], "-o", c)
    ran = run("pws2021", "anonymize", "rr", c, "-o", d, "--seed", 5, "--set", "p=0.95", "--json")
    assert ran.json["rows"] == 140
    run("pws2021", "pick", files["B"], files["X"], "-o", ct, "--answers", ea, "--seed", 7)
    assert stat.S_IMODE(ea.stat().st_mode) == 0o600
    for name in ("rlink", "attack", "team06", "odds-penalty", "likelihood", "order"):
        ran = run("pws2021", "attack", name, ct, d, "-o", e, "--seed", 1, "--json")
        assert ran.status == 0, ran.err
        assert len(ran.json["rows"]) == 100
        assert run("pws2021", "check-e", files["B"], e).status == 0
        marks = run("pws2021", "lmark", ea, e, "--json").json
        assert 0 <= marks["risk"] <= 1
    ran = run("pws2021", "risk", files["B"], d, files["X"], "--attack", "rlink", "--draws", 3, "--json")
    assert len(ran.json["draws"]) == 3
    assert ran.json["interval"][0] <= ran.json["value"] <= ran.json["interval"][1]


def test_a_synthetic_table_gives_its_seed_away(files: Files, run: Run, tmp_path: Path) -> None:
    table, known, state = tmp_path / "S.csv", tmp_path / "CT.csv", tmp_path / "state.json"
    assert run("pws2021", "synth", files["B"], "-o", table, "--seed", 6, "--json").json["rows"] == 240
    known.write_text("".join(f"{line}\n" for line in table.read_text().split("\n")[:30]))
    words = ("pws2021", "seed-guess", files["B"], known, "--state", state)
    ran = run(*words, "--last", 3, "--json")
    assert (ran.status, ran.json["found"], ran.json["next_seed"]) == (0, None, 4)
    ran = run(*words, "--last", 9, "--json")
    assert (ran.status, ran.json["found"]) == (1, 6)


def test_the_worked_example_is_consistent(real_data: Path, run: Run, tmp_path: Path) -> None:
    folder = real_data / "pwscup2021_worked_example"
    b, x, c, d = (folder / f"{name}.csv" for name in ("B", "X", "C", "D"))
    run("pws2021", "exclude", b, x, "-o", tmp_path / "C.csv")
    assert (tmp_path / "C.csv").read_text() == c.read_text()
    marks = run("pws2021", "lmark", folder / "EA.csv", folder / "E.csv", "--json").json
    assert marks.pop("warnings") == []
    assert marks == pytest.approx({"recall": 0.9, "prec": 0.9, "topk": 0.86, "risk": 0.6966})
    answers = [int(row) for row in (folder / "EA.csv").read_text().split()]
    original, kept = b.read_text().split("\n"), c.read_text().split("\n")
    removed = [original[int(row)] for row in x.read_text().split()]
    tests = (folder / "CT.csv").read_text().split("\n")[:-1]
    for answer, test in zip(answers, tests, strict=True):
        assert test == kept[answer] if answer >= 0 else test in removed
    found = run("pws2021", "umark", b, d, "--json").json
    assert found["max"]["cnt"] == 643
    assert found["max"]["OR"] == pytest.approx(0.358624, abs=1e-6)
    result = run("pws2021", "evaluate", b, d, x, "--json")
    assert (result.status, result.json["valid"], result.json["passes"]) == (1, True, False)
    assert [name for name, limit in result.json["limits"].items() if limit["ok"]] == ["rows"]


@pytest.mark.half_second
def test_the_tables_of_the_poster_come_out_by_command(files: Files, run: Run, tmp_path: Path) -> None:
    """Errors of odds ratios with the poster's beside them, candidates per test row, penalties in both readings."""
    changed = tmp_path / "changed.csv"
    lines = files["D"].read_text().splitlines()
    changed.write_text("".join(f"{line}\n" for line in [lines[0], *lines[:-1]]))
    errors = run("pws2021", "odds-errors", files["B"], changed, "--json").json["odds_errors"]
    assert [row["error"] for row in errors] == sorted((row["error"] for row in errors), reverse=True)
    printed = {row["label"]: row["poster"] for row in errors if row["poster"] is not None}
    assert printed["edu[T.HighSchool]"] == 0.09444
    assert printed["gen[T.Male]"] == 0.068148
    tests = tmp_path / "CT.csv"
    run("pws2021", "pick", files["B"], files["X"], "-o", tests)
    rows = run("pws2021", "candidates", tests, files["D"], "--json").json["candidates"]
    assert len(rows) == 100
    assert all(row["reachable"] >= row["band"] and row["answer"] for row in rows)
    assert any(row["near"] == 1 and row["answer"] == "three-of-the-band" for row in rows)
    table = run("pws2021", "penalties", files["B"], files["D"], files["X"], "--draws", "2", "--json").json["penalties"]
    assert [row["poster"] for row in table] == [0.038, 0.042, 0.051, 0.042] * 2
    assert [row["reading"] for row in table] == ["either"] * 4 + ["both"] * 4
    assert all(row["low"] <= row["found"] <= row["high"] for row in table)
    unpenalized = [row["found"] for row in table if row["penalty"] == 0]
    assert unpenalized[0] == unpenalized[1]


@pytest.mark.half_second
def test_test_rows_can_be_handed_out_in_random_order(files: Files, run: Run) -> None:
    """The same rows with the same answers, but not in the order of B; the likelihood attack notices by itself."""
    words = ("pws2021", "pick", files["B"], files["X"], "--json")
    plain, mixed = run(*words).json, run(*words, "--shuffle").json
    assert plain["ct"] != mixed["ct"]
    assert sorted(zip(plain["ct"], plain["ea"], strict=True)) == sorted(zip(mixed["ct"], mixed["ea"], strict=True))
    risk = ("pws2021", "risk", files["B"], files["D"], files["X"], "--attack", "likelihood", "--draws", "2", "--json")
    assert run(*risk, "--shuffle").json["value"] == pytest.approx(run(*risk).json["value"], abs=0.3)
