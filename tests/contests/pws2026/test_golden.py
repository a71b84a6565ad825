"""Every golden case of PWS Cup 2026; those with random forests belong to campaigns."""

from __future__ import annotations

import pytest

from tests.conftest import SHARED
from tests.golden import Case, find_cases, run_case

CASES = find_cases(SHARED / "golden" / "pws2026")
LONG = {"u01_identity", "u02_mixed", "u03_noise", "u04_copula_survival", "u05_copula_synth", "u06_edges"}


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
