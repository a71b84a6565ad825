"""Shared fixtures; real data is found through TOKUMEI_SHARED or at ../shared beside the project."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Machines are shared: how long one example takes says nothing.
settings.register_profile("tokumei", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tokumei")

PROJECT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("TOKUMEI_SHARED", PROJECT.parent / "shared"))


def _shared(request: pytest.FixtureRequest, folder: str) -> Path:
    path = SHARED / folder
    if not path.is_dir():
        pytest.skip(f"{path} is absent: set TOKUMEI_SHARED")
    return path


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output."""
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs ``tokumei`` in this process with the given words."""
    from tokumei.cli.main import main

    def call(*words: object) -> Ran:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(word) for word in words])
        captured = capfd.readouterr()
        status = ended.value.code
        return Ran(status if isinstance(status, int) else 0, captured.out, captured.err)

    return call


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Path:
    """Return the folder of golden cases; skip if it is absent."""
    return _shared(request, "golden")


@pytest.fixture
def real_data(request: pytest.FixtureRequest) -> Path:
    """Return the folder of real data; skip if it is absent."""
    return _shared(request, "data")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let every worker begin with its share of the slow tests: none is left alone with a long one at the end."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1:
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    rest = [item for item in items if not item.get_closest_marker("slow")]
    stretch = -(-len(rest) // workers)
    items[:] = [
        item
        for worker in range(workers)
        for item in (*slow[worker::workers], *rest[worker * stretch : (worker + 1) * stretch])
    ]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many cases were skipped because the shared data is absent."""
    skipped = [
        report for report in terminalreporter.stats.get("skipped", []) if "set TOKUMEI_SHARED" in str(report.longrepr)
    ]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} cases skipped: real data and golden cases are absent")
