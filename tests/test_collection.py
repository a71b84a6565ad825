"""The tests themselves: all are found, none is lost by a slip, and they end when they are asked to."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.half_second

TESTS = Path(__file__).resolve().parent
PROJECT = TESTS.parent
FEWEST = 3000


def test_every_file_gives_tests_and_there_are_enough(request: pytest.FixtureRequest) -> None:
    """A collection that breaks silently passes; here it does not."""
    config = request.config
    if config.args_source is not config.ArgsSource.TESTPATHS or config.option.markexpr or config.option.keyword:
        pytest.skip("only a part of the tests was asked for")
    items = request.session.items
    files = {file for file in TESTS.rglob("test_*.py") if not _campaign_only(file)}
    assert files - {item.path for item in items} == set()
    assert len(items) >= FEWEST


def _campaign_only(file: Path) -> bool:
    return "pytestmark = pytest.mark.campaign" in file.read_text(encoding="utf-8")


def test_no_two_tests_of_a_file_share_a_name() -> None:
    """The later one would hide the earlier."""
    for file in TESTS.rglob("test_*.py"):
        names = [
            node.name for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)
        ]
        assert sorted(set(names)) == sorted(names), file


WAITING = """
import subprocess, sys, time
from pathlib import Path
import pytest

@pytest.fixture(scope="session")
def child():
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield process
    process.kill()
    process.wait()
    Path(f"ended-{process.pid}").touch()

@pytest.mark.parametrize("number", range(2))
def test_waits(child, number, run):
    Path(f"started-{child.pid}").touch()
    try:
        time.sleep(600)
    except KeyboardInterrupt:
        # As a command does that runs in this process.
        pass

def test_is_never_reached():
    Path("reached").touch()
"""


@pytest.mark.parametrize("workers", [0, 2])
def test_sigterm_ends_the_tests_and_all_their_processes(tmp_path: Path, workers: int) -> None:
    (tmp_path / "test_waiting.py").write_text(WAITING)
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    # Most of the time is to load plugins, of which this needs one.
    words = ["-q", "-p", "tests.conftest", "-p", "xdist.plugin", "-n", str(workers)]
    words += ["--rootdir", str(tmp_path), "-c", os.devnull]
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *words],
        cwd=tmp_path,
        env={**variables, "PYTHONPATH": str(PROJECT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("started-*"))) < max(workers, 1):
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 143, out
    started, ended = (
        sorted(file.name.split("-")[1] for file in tmp_path.glob(f"{kind}-*")) for kind in ("started", "ended")
    )
    assert started == ended
    assert not any(Path(f"/proc/{number}").exists() for number in started)
    assert not (tmp_path / "reached").exists()


def test_the_folder_of_the_server_tests_goes_with_the_process_that_made_it(tmp_path: Path) -> None:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TOKUMEI_"))}
    ran = subprocess.run(
        [sys.executable, "-c", "from tests.arena.settings import STATIC_ROOT as made; print(made.is_dir(), made)"],
        env={**variables, "TMPDIR": str(tmp_path), "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith(f"True {tmp_path}/arena-test-")
    assert list(tmp_path.iterdir()) == []


def test_a_process_of_a_test_hears_ctrl_c_even_if_the_tests_run_in_the_background() -> None:
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
