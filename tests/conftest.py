"""Shared fixtures; real data is found through TOKUMEI_SHARED or at ../shared beside the project."""

from __future__ import annotations

import gc
import json
import os
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings

from tests.effort import EFFORT, examples
from tests.ending import ENDING

# Tables of tests are small and tests run side by side: handing every query to a pool of threads costs a quarter more.
# What must not depend on the number of threads is tested with several.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
# The search for garbage after every 700 objects takes a twentieth of the time, and most of what it looks at stays.
gc.set_threshold(50_000, 20, 20)
# Machines are shared: how long one example takes says nothing.
settings.register_profile(
    "tokumei", deadline=None, max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tokumei")

PROJECT = Path(__file__).resolve().parent.parent
# So many cases of a test with parameters belong to a quick run.
QUICK_CASES = 2
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


@cache
def _signature(function: Callable[..., Any]) -> Any:
    from typer.utils import get_params_from_function

    return get_params_from_function(function)


def run_main(*words: object) -> None:
    """Run ``tokumei`` in this process; a signal that ends the tests is not the command's.

    Typer reads the signatures of all commands each time it is called, as no program does more than once.
    """
    from tokumei.cli import main

    once = mock.patch("typer.main.get_params_from_function", _signature)
    try:
        with once, mock.patch.object(main, "_ending_when_asked", nullcontext):
            main.main([str(word) for word in words])
    finally:
        ENDING.go_on()


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs ``tokumei`` in this process with the given words."""

    def call(*words: object) -> Ran:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            run_main(*words)
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


def pytest_configure(config: pytest.Config) -> None:
    """Let the system end the tests."""
    config.pluginmanager.register(ENDING)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave campaigns out unless they are asked for; let every worker begin with its share of the slow tests.

    Then none is left alone with a long one at the end. A quick run takes a few cases of every test.
    """
    if EFFORT != "campaign":
        _leave_out(config, items, [item for item in items if item.get_closest_marker("campaign")])
    if EFFORT == "quick":
        seen: Counter[str] = Counter()
        further = []
        for item in items:
            test = item.nodeid.partition("[")[0]
            seen[test] += 1
            further += [item] if seen[test] > QUICK_CASES else []
        _leave_out(config, items, further)
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


def _leave_out(config: pytest.Config, items: list[pytest.Item], left_out: list[pytest.Item]) -> None:
    unwanted = set(left_out)
    items[:] = [item for item in items if item not in unwanted]
    config.hook.pytest_deselected(items=left_out)


def pytest_collection_finish() -> None:
    """Take what was loaded until now for permanent: the search for garbage need not look at it again and again."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures of campaigns, and how many cases were skipped because the shared data is absent."""
    for report in terminalreporter.stats.get("passed", []):
        for name, value in report.user_properties:
            if name == "figure":
                terminalreporter.write_line(f"{report.duration:7.1f} s  {value}")
    skipped = [
        report for report in terminalreporter.stats.get("skipped", []) if "set TOKUMEI_SHARED" in str(report.longrepr)
    ]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} cases skipped: real data and golden cases are absent")
