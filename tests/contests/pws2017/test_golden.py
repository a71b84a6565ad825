"""Every golden case of PWS Cup 2017 through the command."""

from __future__ import annotations

from pathlib import Path

from tests.golden import find_cases, run_case


def test_every_case_holds(golden: Path) -> None:
    cases = find_cases(golden / "pws2017")
    assert len(cases) == 11
    assert {case.name: missed for case in cases if (missed := run_case(case))} == {}
