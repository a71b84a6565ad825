"""Shared fixtures; real data is found through TOKUMEI_SHARED or at ../shared beside the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("TOKUMEI_SHARED", PROJECT.parent / "shared"))



def _shared(request: pytest.FixtureRequest, folder: str) -> Path:
    path = SHARED / folder
    if not path.is_dir():
        pytest.skip(f"{path} is absent: set TOKUMEI_SHARED")
    return path


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Path:
    """Return the folder of golden cases; skip if it is absent."""
    return _shared(request, "golden")


@pytest.fixture
def real_data(request: pytest.FixtureRequest) -> Path:
    """Return the folder of real data; skip if it is absent."""
    return _shared(request, "data")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many cases were skipped because the shared data is absent."""
    skipped = [
        report
        for report in terminalreporter.stats.get("skipped", [])
        if "set TOKUMEI_SHARED" in str(report.longrepr)
    ]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} cases skipped: real data and golden cases are absent")
