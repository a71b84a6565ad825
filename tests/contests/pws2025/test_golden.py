"""Every golden case of PWS Cup 2025; those of full size belong to campaigns."""

from __future__ import annotations

import pytest

from tests.conftest import SHARED
from tests.golden import Case, find_cases, run_case

CASES = find_cases(SHARED / "golden" / "pws2025")
LONG = {"u01_HI_MA", "u02_recipe", "u04_synthetic", "u05_gaps"}


@pytest.mark.half_second
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.folder.name, marks=[pytest.mark.campaign] if case.folder.name in LONG else [])
        for case in CASES
    ],
)
def test_golden(case: Case) -> None:
    assert [str(miss) for miss in run_case(case)] == []
