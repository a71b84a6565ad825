"""The golden cases of PWS Cup 2019 hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contests.pws2019.golden_cases import KINDS
from tests.golden import find_cases, run_case

SMALL = (
    "c01_format_check",
    "e01_odd_files",
    "m01_sample_methods",
    "r01_final",
    "t01_trace_score",
    "u01_cells",
    "u02_two_programs",
)
LARGE = ("a01_attacks_synthetic", "a02_attacks_osaka")


def misses(golden: Path, names: tuple[str, ...]) -> dict[str, list[str]]:
    found = {name: run_case(find_cases(golden / "pws2019" / name)[0]) for name in names}
    return {name: [str(miss) for miss in missed] for name, missed in found.items() if missed}


@pytest.mark.half_second
def test_small_cases_hold(golden: Path) -> None:
    assert misses(golden, SMALL) == {}


@pytest.mark.campaign
def test_cases_of_full_size_hold(golden: Path) -> None:
    assert misses(golden, LARGE) == {}


def test_every_kind_has_a_check_and_every_case_is_run(golden: Path) -> None:
    cases = find_cases(golden / "pws2019")
    assert {case.folder.name for case in cases} == {*SMALL, *LARGE}
    assert {case.expected["kind"] for case in cases} == set(KINDS)
