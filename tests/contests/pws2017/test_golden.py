"""Every golden case of PWS Cup 2017 through the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import SHARED, Run

FOLDER = SHARED / "golden" / "pws2017"
CASES = sorted(path.name for path in FOLDER.iterdir() if path.is_dir()) if FOLDER.is_dir() else ["absent"]


@pytest.mark.parametrize("case", CASES)
def test_utility_has_the_official_figures(golden: Path, run: Run, case: str) -> None:
    folder = golden / "pws2017" / case
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    files = [folder / expected["inputs"][name] for name in ("M", "T", "AT")]
    ran = run("pws2017", "utility", *files, "--json")
    assert ran.status == 0
    official = {
        "E1": expected["E1_itemcf_wholesale"],
        "E2": expected["E2_itemcf_retail"],
        "E3_similarity": expected["E3_topk"],
        "E3_top": expected["E3_topk"],
        "E4": expected["E4_date"],
        "E5": expected["E5_price"],
        "E6": expected["E6_nrow"],
    }
    for name, wanted in official.items():
        figure = wanted
        if isinstance(figure, dict) and "error" not in figure:
            key = {"E3_similarity": "similarity_distance", "E3_top": "topk_list_difference"}[name]
            figure = figure[key]
        if isinstance(figure, dict):
            assert ran.json[name] is None or name in ("E3_top", "E6"), name
            assert ran.json["warnings"], name
        else:
            tolerance = 5.1e-5 if name == "E6" else 1e-9 * abs(figure) + 1e-12
            assert ran.json[name] == pytest.approx(figure, abs=tolerance), name
