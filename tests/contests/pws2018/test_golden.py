"""Every golden case of PWS Cup 2018 through the commands."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.golden import find_cases, run_case


def load(golden: Path, case: str) -> tuple[Path, dict[str, Any]]:
    folder = golden / "pws2018" / case
    return folder, json.loads((folder / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_every_case_holds(golden: Path) -> None:
    cases = find_cases(golden / "pws2018")
    assert len(cases) == 42
    assert {case.name: missed for case in cases if (missed := run_case(case))} == {}


def test_sharp_thresholds_stand_beside_the_official_ones(golden: Path, run: Run, tmp_path: Path) -> None:
    ran = run("pws2018", "threshold", "--max-n", 1000, "-o", tmp_path / "R.csv", "--json")
    assert (tmp_path / "R.csv").read_text().split() == (golden / "pws2018" / "R.csv").read_text().split()
    sharp = {7: 7, 10: 10, 20: 15, 24: 18, 30: 21, 50: 30, 99: 52, 100: 53, 200: 94, 500: 209, 999: 392}
    assert {n: ran.json["sharp"][n] for n in sharp} == sharp


def test_a_published_file_is_told_with_its_hash(golden: Path, run: Run, tmp_path: Path) -> None:
    folder, expected = load(golden, "p01_ordering")
    ran = run("pws2018", "publish", folder / expected["inputs"]["A"], "-o", tmp_path / "A1.csv", "--json")
    assert ran.json["sha256"] == hashlib.sha256((folder / expected["publish"]["file"]).read_bytes()).hexdigest()


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
