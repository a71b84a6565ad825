"""The golden runner itself: it finds cases, names misses and counts what holds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.golden import compare
from tests.golden.__main__ import main


def case(folder: Path, name: str, **expected: object) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "expected.json").write_text(json.dumps({"case": name, **expected}), encoding="utf-8")


def test_comparison_is_exact_for_counts_and_close_for_reals() -> None:
    wanted = {"n": 3, "U": 0.5, "ok": True, "none": None, "rows": [1.0, 2.0], "spec": {"x": 1.0}}
    found = {"n": 3, "U": 0.5 + 1e-12, "ok": True, "none": None, "rows": [1, 2.0], "spec": {"x": 1.0004}, "more": 1}
    assert list(compare(found, wanted, tolerances={"spec": 5e-4})) == []
    wrong = {"n": 3.5, "U": 0.6, "ok": 1, "rows": [1.0], "spec": {}}
    places = [miss.place for miss in compare(wrong, wanted)]
    assert places == ["n", "U", "ok", "none", "rows", "spec.x"]


def test_every_case_below_the_folder_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example = {"p_m": 0.85, "p_c": 0.8, "R": 0.25}
    case(tmp_path / "deep/inside", "good", contest="pws2026", kind="totals", probe=[], R_examples=[example])
    case(tmp_path, "bad", contest="pws2026", kind="totals", probe=[], R_examples=[{**example, "R": 0.5}])
    case(tmp_path, "unknown_kind", contest="pws2026", kind="nonsense")
    case(tmp_path, "unknown_year", contest="pws1999", kind="totals")
    monkeypatch.setattr(sys, "argv", ["golden", str(tmp_path)])
    assert main() == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "1 of 4 hold"
    assert lines[0].startswith("pws2026/bad: R.R: wanted 0.5, found 0.2499")
    assert "no check for this kind" in lines[1]
    assert "no golden_cases module" in lines[2]


def test_a_case_that_cannot_be_run_is_a_miss_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a_broken").mkdir()
    (tmp_path / "a_broken/expected.json").write_text("{", encoding="utf-8")
    (tmp_path / "b_list").mkdir()
    (tmp_path / "b_list/expected.json").write_text("[]", encoding="utf-8")
    case(tmp_path, "c_nothing", contest="pws2026", kind=["totals"])
    case(tmp_path, "d_no_key", contest="pws2026", kind="tpr")
    files = {"B": "B.csv", "C": "C.csv"}
    case(tmp_path, "e_no_file", contest="pws2025", kind="utility", inputs=files)
    case(tmp_path, "f_no_seed", contest="pws2023", kind="pipeline", inputs={"P": "P.csv", "seed": "s", "A": "A.csv"})
    monkeypatch.setattr(sys, "argv", ["golden", str(tmp_path)])
    assert main() == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "0 of 6 hold"
    assert "expected.json: wanted a JSON object" in lines[0]
    assert "found no object" in lines[1]
    assert "no check for this kind; pws2026 has attack_scoring" in lines[2]
    assert "nothing of this name" in lines[3]
    assert "vectors" in lines[3]
    assert "command: wanted an answer, found status 2" in lines[4]
    assert "B.csv" in lines[4]
    assert "no such file" in lines[5]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["golden", str(tmp_path / "absent")])
    assert main() == 2
