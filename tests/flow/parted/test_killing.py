"""Workers and the driver are killed in the middle of a run; the release is the same to the byte."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.flow.parted.test_releasing import files_of

pytestmark = pytest.mark.campaign

# Enough for two blocks of at most 800 people with more than 100,000 records, so that there are two tasks at least.
PEOPLE = 1500
# What is there of a run when it is hit: codes, records in the part of their block, a part that is grouped.
MOMENTS = ("coded/*.parquet", "dealt/*.done", "solved/*.npz")
PATIENCE = 600.0

Files = dict[str, bytes]


@contextmanager
def command(log: Path, *given: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command that tells in ``log`` what it has to say, its tracebacks too."""
    environment = {**os.environ, "TOKUMEI_DEBUG": "1"}
    with (
        log.open("wb") as said,
        subprocess.Popen(
            [sys.executable, "-m", "tokumei", *given], stdout=subprocess.DEVNULL, stderr=said, env=environment
        ) as run,
    ):
        try:
            yield run
        finally:
            run.kill()


def done(log: Path, *given: str) -> None:
    with command(log, *given) as run:
        assert run.wait(PATIENCE) == 0, log.read_text(encoding="utf-8")


def children(pid: int) -> list[int]:
    """Return the processes that a process began, with theirs."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, check=True, text=True).stdout.split()
    parent = dict(zip(map(int, listed[::2]), map(int, listed[1::2]), strict=True))
    below = [one for one, over in parent.items() if over == pid]
    return below + [deeper for one in below for deeper in children(one)]


def workers_of(driver: int) -> list[int]:
    """Return the workers of the driver: processes that have loaded the kernels."""
    found = []
    for pid in children(driver):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
            loaded = "llvmlite" in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8")
        except OSError:
            continue
        if b"spawn_main" in line and loaded:
            found.append(pid)
    return found


def hit(work: Path, moment: str, run: subprocess.Popen[bytes], *, driver: bool) -> list[int]:
    """Kill a worker or the driver once a moment is reached; return the workers that there were."""
    while run.poll() is None:
        workers = workers_of(run.pid) if any(work.glob(f"*/{moment}")) else []
        if workers:
            os.kill(run.pid if driver else workers[0], signal.SIGKILL)
            return workers
        time.sleep(0.02)
    return []


def gone(pids: list[int]) -> bool:
    """Return whether processes have ended, after some seconds at most."""
    for _ in range(200):
        listed = subprocess.run(["ps", "-o", "stat=", "-p", ",".join(map(str, pids))], capture_output=True, check=False)
        if all(state.startswith(b"Z") for state in listed.stdout.split()):
            return True
        time.sleep(0.1)
    return False


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killing")
    done(folder / "log", "synth", "purchases", "--subjects", str(PEOPLE), "--seed", "2", "-o", str(folder / "data"))
    return folder / "data"


def given(data: Path, out: Path, *more: str) -> tuple[str, ...]:
    common = ("anonymize", str(data), "--k", "2", "--seed", "1", "--threads", "2", "--set", "effort=fast")
    return (*common, "-o", str(out), *more)


@pytest.fixture(scope="module")
def expected(data: Path) -> tuple[Files, Files]:
    """Return the files of a release that nobody disturbed, and of its secret."""
    out = data.parent / "whole"
    done(data.parent / "log", *given(data, out))
    return files_of(out), files_of(data.parent / "whole.secret")


@pytest.mark.parametrize("engine", ["processes", "dask"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_worker_changes_no_byte(
    data: Path, expected: tuple[Files, Files], tmp_path: Path, engine: str, moment: str
) -> None:
    out, work, log = tmp_path / "out", tmp_path / "work", tmp_path / "log"
    with command(log, *given(data, out, "--engine", engine, "--resume", str(work))) as run:
        assert hit(work, moment, run, driver=False)
        assert run.wait(PATIENCE) == 0, log.read_text(encoding="utf-8")
    assert (files_of(out), files_of(tmp_path / "out.secret")) == expected
    assert list(work.iterdir()) == []


@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_a_killed_driver_takes_its_workers_along_and_is_resumed(
    data: Path, expected: tuple[Files, Files], tmp_path: Path, engine: str
) -> None:
    out, work, log = tmp_path / "out", tmp_path / "work", tmp_path / "log"
    told = given(data, out, "--engine", engine, "--resume", str(work))
    with command(log, *told) as run:
        workers = hit(work, MOMENTS[-1], run, driver=True)
        assert run.wait(PATIENCE) == -signal.SIGKILL
    assert workers
    assert gone(workers)
    assert not out.exists()
    solved = {file: file.stat().st_mtime_ns for file in work.glob("*/solved/*.npz")}
    assert solved
    done(log, *told)
    assert (files_of(out), files_of(tmp_path / "out.secret")) == expected
