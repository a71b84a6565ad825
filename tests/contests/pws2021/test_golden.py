"""Every golden case of PWS Cup 2021 through the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SHARED, Run
from tests.golden import find_cases, run_case

FOLDER = SHARED / "golden" / "pws2021"


def cases(prefix: str) -> list[str]:
    """Return the names of the golden cases; one missing name where there are none, so that the fixture skips it."""
    found = sorted(path.name for path in FOLDER.glob(f"{prefix}*") if path.is_dir()) if FOLDER.is_dir() else []
    return found or ["absent"]


def load(golden: Path, case: str) -> tuple[Path, dict[str, Any]]:
    folder = golden / "pws2021" / case
    return folder, json.loads((folder / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_every_case_holds(golden: Path) -> None:
    cases = find_cases(golden / "pws2021")
    assert len(cases) == 13
    assert {case.name: missed for case in cases if (missed := run_case(case))} == {}


@pytest.mark.half_second
def test_answers_without_a_member_have_no_risk(golden: Path, run: Run, tmp_path: Path) -> None:
    _, expected = load(golden, "l01_lmark")
    ea, e = tmp_path / "EA.csv", tmp_path / "E.csv"
    for case in expected["lmark"]:
        ea.write_text("".join(f"{row}\n" for row in case["Ea"]))
        e.write_text("".join(",".join(map(str, row)) + "\n" for row in case["E"]))
        ran = run("pws2021", "lmark", ea, e, "--json")
        if case["prec"] is None:
            assert ran.json["risk"] == 0
            assert "guesses no member at all" in ran.err
            assert run("pws2021", "lmark", ea, e, "--json", "--strict").json["prec"] == 0


@pytest.mark.half_second
def test_check_of_d_and_x(golden: Path, run: Run) -> None:
    folder, expected = load(golden, "c01_checkDX")
    for file in expected["files"]:
        ran = run("pws2021", "check-dx", folder / "B.csv", folder / file["D"], folder / file["X"], "--json")
        assert ran.json["valid"] is file["ok"], file["variant"]
        assert ran.status == (0 if file["ok"] else 1), file["variant"]
        errors = [one for one in ran.json["findings"] if one["severity"] == "error"]
        assert bool(errors) is not file["ok"]
        # Every column that the official program calls invalid has a finding, and no other column.
        invalid = {
            int(line.split()[0]) + 1 for line in file["lines"] if line.endswith(" Invalid") and line[0].isdigit()
        }
        if not file.get("error") and file["variant"] != "D_header":
            found = {one["column"] for one in errors if one["file"] == "D" and one["name"]}
            assert found == invalid, file["variant"]


@pytest.mark.half_second
@pytest.mark.parametrize(
    ("variant", "verdicts", "code"),
    [
        ("X_out_of_range", (True, False), "row-out-of-range"),
        ("X_negative", (True, False), "row-out-of-range"),
        ("too_few_half", (False, True), "exactly-half"),
        ("age_empty", (True, False), "empty-number"),
        ("age_85_13", (True, True), "out-of-range-of-b"),
    ],
)
def test_oddities_are_named_and_resolved_when_strict(
    golden: Path, run: Run, variant: str, verdicts: tuple[bool, bool], code: str
) -> None:
    folder, expected = load(golden, "c01_checkDX")
    file = next(one for one in expected["files"] if one["variant"] == variant)
    words = ("pws2021", "check-dx", folder / "B.csv", folder / file["D"], folder / file["X"], "--json")
    ran, strictly = run(*words), run(*words, "--strict")
    assert (ran.json["valid"], strictly.json["valid"]) == verdicts
    assert code in [one["code"] for one in ran.json["findings"] if one["severity"] == "warning"]


@pytest.mark.parametrize(
    ("case", "code"), [("e02_missing_category", "missing-category"), ("m05_separation", "separation")]
)
def test_strict_refuses_figures_that_mean_nothing(golden: Path, run: Run, case: str, code: str) -> None:
    folder, _ = load(golden, case)
    words = ("pws2021", "umark", folder / "B.csv", folder / "D.csv", "--json")
    ran, strictly = run(*words), run(*words, "--strict")
    assert (ran.status, strictly.status) == (0, 2)
    assert len(ran.json["warnings"]) == 1
    assert strictly.json["error"]["code"] == code
    assert "mar" in strictly.json["error"]["message"]


@pytest.mark.half_second
@pytest.mark.parametrize("case", cases("m"))
def test_golden_pipelines_are_evaluated(golden: Path, run: Run, case: str) -> None:
    folder, expected = load(golden, case)
    b = folder / "B.csv"
    ran = run("pws2021", "evaluate", b, folder / "D.csv", folder / "X.csv", "--json")
    limits = ran.json["limits"]
    assert list(limits) == ["rows", "uniqrt", "rate", "OR", "cor", "iloss"]
    assert limits["OR"]["value"] == pytest.approx(expected["umark_B_D"]["max"]["OR"], rel=1e-6)
    assert limits["iloss"]["value"] == pytest.approx(expected["iloss_C_D"]["max"]["max"], rel=1e-9)
    assert ran.json["passes"] is all(limit["ok"] for limit in limits.values())
    assert ran.status == int(not ran.json["passes"])
