"""Workers and the driver are killed in the middle of a run; the release is the same to the byte."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.flow.parted.test_releasing import files_of

# Enough for two blocks of at most 1,500 people, each a task of its own.
pytestmark = pytest.mark.campaign

PEOPLE = 2500
STAGES = ("coded/*.parquet", "dealt/*.done", "solved/*.npz")


def command(*given: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tokumei", *given], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def children(pid: int) -> list[int]:
    """Return the processes that a process began, with theirs."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, check=True, text=True).stdout.split()
    parent = dict(zip(map(int, listed[::2]), map(int, listed[1::2]), strict=True))
    below = [one for one, over in parent.items() if over == pid]
    return below + [deeper for one in below for deeper in children(one)]


def worker_of(driver: int) -> int | None:
    """Return a worker of the driver: a process that has loaded the kernels."""
    for pid in children(driver):
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
        if b"spawn_main" in line and Path(f"/proc/{pid}/maps").read_text(encoding="utf-8").count("llvmlite"):
            return pid
    return None


def killed_when(work: Path, reached: Callable[[Path], bool], run: subprocess.Popen[bytes], *, driver: bool) -> bool:
    """Kill a worker or the driver once a stage is reached; return whether it was reached before the run ended."""
    while run.poll() is None:
        if any(reached(folder) for folder in work.glob("*")):
            victim = run.pid if driver else worker_of(run.pid)
            if victim is not None:
                os.kill(victim, signal.SIGKILL)
                return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_a_killed_worker_and_a_killed_driver_change_no_byte(tmp_path: Path, engine: str) -> None:
    data = tmp_path / "data"
    assert command("synth", "purchases", "--subjects", str(PEOPLE), "--seed", "2", "-o", str(data)).wait() == 0
    common = ("anonymize", str(data), "--k", "2", "--seed", "1", "--threads", "2")
    assert command(*common, "-o", str(tmp_path / "whole")).wait() == 0
    expected = files_of(tmp_path / "whole"), files_of(tmp_path / "whole.secret")
    for number, stage in enumerate((*STAGES, "solved/*.npz")):
        out, work, driver = tmp_path / f"out{number}", tmp_path / f"work{number}", number == len(STAGES)
        given = (*common, "-o", str(out), "--engine", engine, "--resume", str(work))
        run = command(*given)
        assert killed_when(work, lambda folder, stage=stage: any(folder.glob(stage)), run, driver=driver)  # type: ignore[misc]
        status = run.wait()
        if driver:
            assert status == -signal.SIGKILL
            assert not out.exists()
            assert command(*given).wait() == 0
        else:
            assert status == 0, run.stderr and run.stderr.read()
        assert (files_of(out), files_of(tmp_path / f"out{number}.secret")) == expected
