"""Every golden case of PWS Cup 2018 through the commands."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import SHARED, Run

FOLDER = SHARED / "golden" / "pws2018"


def cases(prefix: str) -> list[str]:
    """Return the names of the golden cases; one missing name where there are none, so that the fixture skips it."""
    found = sorted(path.name for path in FOLDER.glob(f"{prefix}*") if path.is_dir()) if FOLDER.is_dir() else []
    return found or ["absent"]


def load(golden: Path, case: str) -> tuple[Path, dict[str, Any]]:
    folder = golden / "pws2018" / case
    return folder, json.loads((folder / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", cases("u"))
def test_utility_has_the_official_figures(golden: Path, run: Run, case: str) -> None:
    folder, expected = load(golden, case)
    t, a = folder / expected["inputs"]["T"], folder / expected["inputs"]["A"]
    ran = run("pws2018", "utility", t, a, "--json")
    if "error" in expected["utility"]:
        assert ran.status == 2
        assert ran.json["error"]["code"] == "zero-spread"
        assert "standard deviation, which is 0" in ran.json["error"]["message"]
        return
    assert ran.status == 0
    for name in ("U", "il_date", "il_goods", "il_price", "il_quantity"):
        assert ran.json[name] == pytest.approx(expected["utility"][name], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", [*cases("u"), *cases("p")])
def test_publish_is_exact_to_the_byte(golden: Path, run: Run, tmp_path: Path, case: str) -> None:
    folder, expected = load(golden, case)
    ran = run("pws2018", "publish", folder / expected["inputs"]["A"], "-o", tmp_path / "A1.csv", "--json")
    wanted = (folder / expected["publish"]["file"]).read_bytes()
    assert (tmp_path / "A1.csv").read_bytes() == wanted
    assert ran.json == {"rows": expected["publish"]["rows"], "sha256": hashlib.sha256(wanted).hexdigest()}


@pytest.mark.half_second
@pytest.mark.parametrize("case", cases("u"))
def test_check_gives_the_official_verdict(golden: Path, run: Run, case: str) -> None:
    folder, expected = load(golden, case)
    t, a = folder / expected["inputs"]["T"], folder / expected["inputs"]["A"]
    ran = run("pws2018", "check", t, a, "--json")
    checker = expected["checker"]
    assert (ran.status, ran.json["valid"]) == (checker["exit_code"], checker["valid"])
    found = [(one["line"], one["cell"], one["code"]) for one in ran.json["errors"]]
    wanted = [(one["line"], one["cell"], one["code"]) for one in checker["errors"]]
    assert found[: len(wanted)] == wanted
    assert ran.json["error_count"] == len(found) == checker.get("error_count", len(wanted))


@pytest.mark.half_second
def test_check_of_crafted_files(golden: Path, run: Run) -> None:
    for case in cases("c")[1:4]:
        folder, expected = load(golden, case)
        for file in expected["files"]:
            t = folder / file.get("T", expected["inputs"]["T"])
            ran = run("pws2018", "check", t, folder / file["A"], "--json")
            assert ran.json["valid"] is file["valid"], file["A"]
            assert ran.status == (0 if file["valid"] else 1), file["A"]
            found = [(one["line"], one["cell"], one["code"]) for one in ran.json["errors"]]
            assert found == [(one["line"], one["cell"], one["code"]) for one in file["errors"]], file["A"]


def test_check_of_guesses(golden: Path, run: Run) -> None:
    folder, expected = load(golden, "c05_F1_files")
    codes = {
        "duplicated pid": "DUPLICATE_PSEUDONYM",
        "unknown pid": "UNKNOWN_PSEUDONYM",
        "unknown id": "UNKNOWN_CUSTOMER",
    }
    for file in expected["files"]:
        t, a1 = folder / expected["inputs"]["T"], folder / expected["inputs"]["A1"]
        ran = run("pws2018", "check-guesses", t, a1, folder / file["F1"], "--json")
        assert ran.json["valid"] is file["valid"], file["F1"]
        if not file["valid"]:
            first = ran.json["errors"][0]
            assert first["line"] == file["line0"] + 1, file["F1"]
            assert first["code"] == codes.get(file["message"], "INVALID_FORMAT"), file["F1"]


@pytest.mark.half_second
@pytest.mark.parametrize("case", cases("s"))
def test_safety_counts_hits_and_compares_with_the_table(golden: Path, run: Run, tmp_path: Path, case: str) -> None:
    folder, expected = load(golden, case)
    inputs = {name: folder / path for name, path in expected["inputs"].items()}
    guesses = tmp_path / "F1.csv"
    for answer in expected["safety"]:
        guesses.write_text("".join(line + "\n" for line in answer["F1_rows"]), encoding="utf-8")
        ran = run("pws2018", "safety", inputs["T"], inputs["A"], guesses, "--table", inputs["R"], "--json")
        if "error" in answer:
            assert ran.status == 2
            assert ran.json["error"]["code"] == "UNKNOWN_PSEUDONYM"
            continue
        assert ran.status == answer["S"]
        assert (ran.json["n"], ran.json["threshold"]) == (answer["n"], answer["threshold"])
        assert ran.json["unsafe"] is bool(answer["S"])
        if "hits" in answer:
            assert ran.json["hits"] == answer["hits"]


@pytest.mark.parametrize("case", cases("a"))
def test_sample_attacks_give_the_official_guesses(golden: Path, run: Run, tmp_path: Path, case: str) -> None:
    folder, expected = load(golden, case)
    inputs = {name: folder / path for name, path in expected["inputs"].items()}
    variants = {
        "re_1": ("re-1",),
        "re_uniq": ("re-uniq",),
        "re_item_deterministic": ("re-item", "--set", "choice=smallest"),
    }
    for key, (name, *options) in variants.items():
        words = ["pws2018", "attack", name, inputs["T"], inputs["A1"], "-o", tmp_path / "F1.csv", *options, "--json"]
        ran = run(*words)
        wanted = expected[key]["F1"]
        assert [",".join(pair) for pair in ran.json["guesses"]] == wanted
        assert (tmp_path / "F1.csv").read_text(encoding="utf-8") == "".join(line + "\n" for line in wanted)


def test_threshold_tables(golden: Path, run: Run, tmp_path: Path) -> None:
    official = [int(line.split(",")[1]) for line in (golden / "pws2018" / "R.csv").read_text().split()]
    ran = run("pws2018", "threshold", "--max-n", 1000, "-o", tmp_path / "R.csv", "--json")
    assert ran.json["r"] == official
    assert (tmp_path / "R.csv").read_text().split() == (golden / "pws2018" / "R.csv").read_text().split()
    sharp = {7: 7, 10: 10, 20: 15, 24: 18, 30: 21, 50: 30, 99: 52, 100: 53, 200: 94, 500: 209, 999: 392}
    assert {n: ran.json["sharp"][n] for n in sharp} == sharp


@pytest.mark.half_second
def test_power_of_both_tests(run: Run, tmp_path: Path) -> None:
    ran = run("pws2018", "power", "--k", "2,3", "--max-n", 24, "--chart", tmp_path / "power.svg", "--json")
    rows = {(row["k"], row["n"], row["test"]): row for row in ran.json["power"]}
    assert rows[2, 24, "official"]["caught"] == pytest.approx(0.0729980, abs=1e-7)
    assert rows[2, 24, "official"]["survives"] == pytest.approx(0.3732918, abs=1e-7)
    assert rows[3, 7, "official"]["caught"] == pytest.approx(1 / 108)
    assert (tmp_path / "power.svg").read_text(encoding="utf-8").startswith("<svg")


def test_join_format_gives_the_official_answer(golden: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """J(T, A) on standard input, J(U) on standard output, as the official programs do."""
    import io
    import sys

    folder, expected = load(golden, "u03_mixed")
    tables = [(folder / expected["inputs"][name]).read_text().splitlines() for name in ("T", "A")]
    stream = "".join(f"{len(lines)}\n" + "".join(line + "\n" for line in lines) for lines in tables)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stream.encode())))
    ran = run("pws2018", "utility", "--join")
    count, value = ran.out.split()
    assert (ran.status, count) == (0, "1")
    assert float(value) == pytest.approx(expected["utility"]["U"], rel=1e-12)


def test_evaluate_puts_everything_together(golden: Path, run: Run, tmp_path: Path) -> None:
    folder, expected = load(golden, "s01_one_pseudonym")
    inputs = {name: folder / path for name, path in expected["inputs"].items()}
    files = []
    for number, answer in enumerate(expected["safety"]):
        files.append(tmp_path / f"F{number}.csv")
        files[-1].write_text("".join(line + "\n" for line in answer["F1_rows"]), encoding="utf-8")
    ran = run("pws2018", "evaluate", inputs["T"], inputs["A"], *files, "--json")
    assert [found["unsafe"] for found in ran.json["safety"]] == [bool(answer["S"]) for answer in expected["safety"]]
    assert ran.json["valid"] is True
    assert ran.status == int(any(answer["S"] for answer in expected["safety"]))


def test_compressed_files_are_read(golden: Path, run: Run, tmp_path: Path) -> None:
    folder, expected = load(golden, "u03_mixed")
    packed = tmp_path / "A.csv.gz"
    packed.write_bytes(gzip.compress((folder / "A.csv").read_bytes()))
    ran = run("pws2018", "utility", folder / expected["inputs"]["T"], packed, "--json")
    assert ran.json["U"] == pytest.approx(expected["utility"]["U"], rel=1e-12)
