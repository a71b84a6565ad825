"""Starts the evaluating process with an empty environment, watches it, and says why it ended if it did not finish."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokumei_arena.work.limits import Limits

TICK_SECONDS = 0.02
LARGEST_RESULT = 200_000_000
# What may pass into the child: nothing that names a database, a store or a key.
PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT", "VIRTUAL_ENV", "NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS")


class Death:
    """Why a child ended without a result; ``final`` ones would happen again."""

    MEMORY, CPU, WALL, FILE_SIZE = "memory", "cpu", "wall", "file-size"
    KILLED, CRASHED, ERROR, STOPPED = "killed", "crashed", "error", "stopped"
    final = frozenset({MEMORY, CPU, WALL, FILE_SIZE, ERROR})


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a child, or why there is none."""

    result: dict[str, Any] | None
    death: str = ""
    messages: str = ""


def run_child(
    folder: Path, job: dict[str, Any], limits: Limits, *, keep_on: Callable[[], bool] = lambda: True, threads: int = 1
) -> Outcome:
    """Run the job of a folder; ``keep_on`` is asked all the time, and False ends the child."""
    document = {**job, "limits": limits.as_dict(), "parent": os.getpid()}
    (folder / "job.json").write_text(json.dumps(document), encoding="utf-8")
    log = folder / "messages.txt"
    with log.open("wb") as messages:
        child = subprocess.Popen(
            [sys.executable, "-I", "-B", "-m", "tokumei_arena.work.child", str(folder)],
            cwd=folder,
            env=_environment(folder, threads),
            stdin=subprocess.DEVNULL,
            stdout=messages,
            stderr=messages,
            start_new_session=True,
            close_fds=True,
        )
        try:
            death = _watch(child, limits, keep_on)
        finally:
            _end(child)
    told = log.read_bytes()[-4000:].decode("utf-8", "replace")
    if death:
        return Outcome(None, death, told)
    return _read(folder, child.returncode, told)


def _environment(folder: Path, threads: int) -> dict[str, str]:
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    count = str(threads)
    own = {"HOME": str(folder), "TMPDIR": str(folder), "POLARS_MAX_THREADS": count, "OMP_NUM_THREADS": count}
    return {**passed, **own, "NUMBA_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count}


def _watch(child: subprocess.Popen[bytes], limits: Limits, keep_on: Callable[[], bool]) -> str:
    """Wait for the child; return why it had to be ended, or nothing."""
    deadline = time.monotonic() + limits.wall_seconds
    while True:
        try:
            child.wait(TICK_SECONDS)
        except subprocess.TimeoutExpired:
            pass
        else:
            return ""
        if not keep_on():
            return Death.STOPPED
        if time.monotonic() > deadline:
            return Death.WALL
        if _resident_bytes(child.pid) > limits.memory_bytes:
            return Death.MEMORY


def _resident_bytes(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * resource.getpagesize()


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill the child with everything it started; its session has the number of its process."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _read(folder: Path, status: int, told: str) -> Outcome:
    """Return the result that an ended child left, or why it left none."""
    path = folder / "result.json"
    if status == 0 and path.is_file() and path.stat().st_size <= LARGEST_RESULT:
        result = json.loads(path.read_text(encoding="utf-8"))
        return Outcome(None, result["death"], told) if "death" in result else Outcome(result, "", told)
    by_signal = {signal.SIGXCPU: Death.CPU, signal.SIGXFSZ: Death.FILE_SIZE, signal.SIGKILL: Death.KILLED}
    return Outcome(None, by_signal.get(signal.Signals(-status), Death.CRASHED) if status < 0 else Death.CRASHED, told)
