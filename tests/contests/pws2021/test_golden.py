"""Every golden case of PWS Cup 2021 through the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SHARED, Run

FOLDER = SHARED / "golden" / "pws2021"
FIGURES = ("cnt", "rate", "Coef", "OR", "pvalue", "cor")
ANY_TABLE = 1e-9
GLM = 1e-6


def cases(prefix: str) -> list[str]:
    """Return the names of the golden cases; one missing name where there are none, so that the fixture skips it."""
    found = sorted(path.name for path in FOLDER.glob(f"{prefix}*") if path.is_dir()) if FOLDER.is_dir() else []
    return found or ["absent"]


def load(golden: Path, case: str) -> tuple[Path, dict[str, Any]]:
    folder = golden / "pws2021" / case
    return folder, json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def tables(expected: dict[str, Any], name: str) -> list[tuple[str, Any]]:
    return list(expected.get(name, {}).items())


@pytest.mark.half_second
@pytest.mark.parametrize("case", [*cases("m"), *cases("e")])
def test_umark_has_the_official_figures(golden: Path, run: Run, case: str) -> None:
    folder, expected = load(golden, case)
    for right in ("B", "C", "D"):
        wanted = expected.get(f"umark_B_{right}")
        if wanted is None:
            continue
        ran = run("pws2021", "umark", folder / "B.csv", folder / f"{right}.csv", "--json")
        assert ran.status == 0
        loose = expected["quasi_separation"].get(right, False)
        for row in ("max", "mean"):
            for name in FIGURES:
                tolerance = ANY_TABLE if name in ("cnt", "rate", "cor") else 0.2 if loose else GLM
                assert ran.json[row][name] == pytest.approx(wanted[row][name], rel=tolerance, abs=1e-9), (row, name)


@pytest.mark.half_second
@pytest.mark.parametrize("case", [*cases("m"), *cases("e")])
def test_iloss_and_uniqrt_have_the_official_figures(golden: Path, run: Run, case: str) -> None:
    folder, expected = load(golden, case)
    names = {"1": "age", "5": "bmi", "cat": "cat", "max": "max"}
    for left in ("C", "B"):
        if wanted := expected.get(f"iloss_{left}_D"):
            ran = run("pws2021", "iloss", folder / f"{left}.csv", folder / "D.csv", "--json")
            for row in ("mean", "max"):
                for official, name in names.items():
                    assert ran.json[row][name] == pytest.approx(wanted[row][official], rel=1e-9, abs=1e-12)
    for table, wanted in tables(expected, "uniqrt"):
        ran = run("pws2021", "uniqrt", folder / f"{table}.csv", "--json")
        assert ran.json["unique"] == wanted["unique"]
        assert ran.json["of_rows"] == pytest.approx(wanted["rate_rows"], rel=1e-12)
        assert ran.json["of_population"] == pytest.approx(wanted["rate_4190"], rel=1e-12)


@pytest.mark.half_second
@pytest.mark.parametrize("case", [*cases("m"), *cases("e")])
def test_counts_odds_and_correlations_of_single_tables(golden: Path, run: Run, case: str) -> None:
    folder, expected = load(golden, case)
    for table, wanted in tables(expected, "ccount"):
        found = run("pws2021", "ccount", folder / f"{table}.csv", "--json").json["ccount"]
        assert [row[:3] for row in found] == [row[:3] for row in wanted]
        assert [row[3] for row in found] == pytest.approx([row[3] for row in wanted], rel=1e-12)
    for table, wanted in tables(expected, "odds"):
        found = run("pws2021", "odds", folder / f"{table}.csv", "--json").json["odds"]
        assert list(found) == list(wanted)
        loose = expected["quasi_separation"].get(table, False)
        for term, figures in wanted.items():
            for name, value in figures.items():
                tolerance = 0.2 if loose and abs(figures["Coef"]) > 10 else GLM
                assert found[term][name] == pytest.approx(value, rel=tolerance, abs=1e-9), (term, name)
    for table, wanted in tables(expected, "cor"):
        found = run("pws2021", "cor", folder / f"{table}.csv", "--json").json
        assert found["columns"] == wanted["columns"]
        matrix = [[cell or 0.0 for cell in row] for row in found["matrix"]]
        assert [len(matrix), len(matrix[0])] == wanted["shape"]
        assert sum(abs(cell) for row in matrix for cell in row) == pytest.approx(
            wanted["sum_abs_ignoring_nan"], rel=1e-9
        )
        row_of_dia = dict(zip(found["columns"], matrix[-1], strict=True))
        assert row_of_dia == pytest.approx(wanted["row_dia"], rel=1e-9, abs=1e-12)


@pytest.mark.half_second
@pytest.mark.parametrize("case", cases("m"))
def test_sample_programs_write_the_official_files(golden: Path, run: Run, tmp_path: Path, case: str) -> None:
    folder, expected = load(golden, case)
    steps, b = expected["anonymize_steps"], folder / "B.csv"
    files = []
    for name in ("top", "bottom", "kanony"):
        step = steps[name]
        columns = "_".join(map(str, step.get("cols") or step["columns"]))
        limits = f"k={step['k']}" if name == "kanony" else f"thresholds={'_'.join(map(str, step['theta']))}"
        files.append(tmp_path / f"{name}.csv")
        ran = run("pws2021", "anonymize", name, b, "-x", files[-1], "--set", f"columns={columns}", "--set", limits)
        assert ran.status == 0, ran.err
        assert files[-1].read_text() == (folder / step["file"]).read_text()
    run("pws2021", "join", *files, "-o", tmp_path / "X.csv")
    assert (tmp_path / "X.csv").read_text() == (folder / steps["join"]).read_text()
    run("pws2021", "exclude", b, tmp_path / "X.csv", "-o", tmp_path / "C.csv", "--index", tmp_path / "left.csv")
    assert (tmp_path / "C.csv").read_text() == (folder / steps["exclude"]["left_rows"]).read_text()
    assert (tmp_path / "left.csv").read_text() == (folder / steps["exclude"]["left_index"]).read_text()


@pytest.mark.half_second
@pytest.mark.parametrize("case", cases("m"))
def test_pick_and_rlink_and_lmark_have_the_official_results(golden: Path, run: Run, tmp_path: Path, case: str) -> None:
    folder, expected = load(golden, case)
    ct, ea, e = (tmp_path / name for name in ("CT.csv", "EA.csv", "E.csv"))
    run("pws2021", "pick", folder / "B.csv", folder / "X.csv", "-o", ct, "--answers", ea)
    assert ct.read_text() == (folder / expected["pick"]["CT"]).read_text()
    assert ea.read_text() == (folder / expected["pick"]["Ea"]).read_text()
    found = run("pws2021", "rlink", ct, folder / "D.csv", "-o", e, "--json").json
    wanted = expected["rlink"]
    assert found["median"] == pytest.approx(wanted["median_nearest_distance"], rel=1e-9)
    for row, distances in zip(found["distances"], wanted["distances"], strict=True):
        assert row == pytest.approx(distances, rel=1e-9, abs=1e-9)
    official = [[int(cell) for cell in line.split(",")] for line in (folder / wanted["E_file"]).read_text().split()]
    for row, other, strict in zip(found["rows"], official, wanted["strict"], strict=True):
        assert (row[0] == -1) == (other[0] == -1)
        assert not strict or row == other
    assert sum(row[0] == -1 for row in found["rows"]) == wanted["n_minus1"]
    marks = run("pws2021", "lmark", ea, folder / "E.csv", "--json").json
    for name, value in expected["lmark"].items():
        assert marks[name] == pytest.approx(value, rel=1e-12)
    assert marks["risk"] == pytest.approx(marks["recall"] * marks["prec"] * marks["topk"])


def test_lmark_of_crafted_answers(golden: Path, run: Run, tmp_path: Path) -> None:
    _, expected = load(golden, "l01_lmark")
    ea, e = tmp_path / "EA.csv", tmp_path / "E.csv"
    for case in expected["lmark"]:
        ea.write_text("".join(f"{row}\n" for row in case["Ea"]))
        e.write_text("".join(",".join(map(str, row)) + "\n" for row in case["E"]))
        ran = run("pws2021", "lmark", ea, e, "--json")
        assert {name: ran.json[name] for name in ("recall", "prec", "topk")} == {
            name: case[name] if case[name] is None else pytest.approx(case[name]) for name in ("recall", "prec", "topk")
        }, case["name"]
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


def test_check_of_e(golden: Path, run: Run) -> None:
    folder, expected = load(golden, "c02_checkE")
    for file in expected["files"]:
        ran = run("pws2021", "check-e", folder / "B.csv", folder / file["E"], "--json")
        assert ran.json["valid"] is file["ok"], file["E"]
        assert ran.status == (0 if file["ok"] else 1), file["E"]


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
def test_golden_pipelines_pass_the_checkers(golden: Path, run: Run, case: str) -> None:
    folder, expected = load(golden, case)
    b = folder / "B.csv"
    checked = run("pws2021", "check-dx", b, folder / "D.csv", folder / "X.csv", "--json").json["valid"]
    assert checked is expected["checkDX"]["ok"]
    assert run("pws2021", "check-e", b, folder / "E.csv", "--json").json["valid"] is expected["checkE"]["ok"]
    ran = run("pws2021", "evaluate", b, folder / "D.csv", folder / "X.csv", "--json")
    limits = ran.json["limits"]
    assert list(limits) == ["rows", "uniqrt", "rate", "OR", "cor", "iloss"]
    assert limits["OR"]["value"] == pytest.approx(expected["umark_B_D"]["max"]["OR"], rel=1e-6)
    assert limits["iloss"]["value"] == pytest.approx(expected["iloss_C_D"]["max"]["max"], rel=1e-9)
    assert ran.json["passes"] is all(limit["ok"] for limit in limits.values())
    assert ran.status == int(not ran.json["passes"])
