"""Starts the evaluating process in its box, watches it, and says why it ended if it did not finish.

What it leaves is not trusted: files are opened only if they are files, never through a link to somewhere else.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import stat
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tokumei_arena.work.boxes import Box, chosen_box
from tokumei_arena.work.limits import Limits

TICK_SECONDS = 0.02
# Where numba looks for compiled kernels: those that are there already, else in the folder of the job.
KERNELS = "tokumei_arena.work.lent_kernels.LentKernels,UserWideCacheLocator"
LARGEST_RESULT, LAST_MESSAGES = 200_000_000, 4_000
# What may pass into the child: nothing that names a database, a store or a key.
PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT", "VIRTUAL_ENV", "NUMBA_NUM_THREADS")


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
    folder: Path,
    job: dict[str, Any],
    limits: Limits,
    *,
    keep_on: Callable[[], bool] = lambda: True,
    threads: int = 1,
    box: Box | None = None,
) -> Outcome:
    """Run the job of a folder; ``keep_on`` is asked all the time, and False ends the child."""
    box = chosen_box() if box is None else box
    document = {**job, "limits": limits.as_dict(), **box.of_job()}
    (folder / "job.json").write_text(json.dumps(document), encoding="utf-8")
    log = folder / "messages.txt"
    with log.open("wb") as messages:
        child = subprocess.Popen(
            box.command(folder),
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
    told = _end_of(log)
    if death:
        return Outcome(None, death, told)
    return _read(folder, child.returncode, told)


def _environment(folder: Path, threads: int) -> dict[str, str]:
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    count = str(threads)
    own = {"HOME": str(folder), "TMPDIR": str(folder), "POLARS_MAX_THREADS": count, "OMP_NUM_THREADS": count}
    own["NUMBA_CACHE_LOCATOR_CLASSES"] = KERNELS
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
    """Return how much memory a process and those it started use."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        below = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except (OSError, IndexError, ValueError):
        return 0
    return pages * resource.getpagesize() + sum(_resident_bytes(int(child)) for child in below)


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill the child with everything it started; its session has the number of its process."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _read(folder: Path, status: int, told: str) -> Outcome:
    """Return the result that an ended child left, or why it left none."""
    left = _left(folder / "result.json") if status == 0 else None
    if left is not None:
        result = json.loads(left)
        return Outcome(None, result["death"], told) if "death" in result else Outcome(result, "", told)
    by_signal = {signal.SIGXCPU: Death.CPU, signal.SIGXFSZ: Death.FILE_SIZE, signal.SIGKILL: Death.KILLED}
    return Outcome(None, by_signal.get(signal.Signals(-status), Death.CRASHED) if status < 0 else Death.CRASHED, told)


def _left(path: Path) -> bytes | None:
    """Return what a child wrote, or None if it left no file there or one of another size than results have."""
    try:
        with open_left(path.parent, path.name) as file:
            found = file.read(LARGEST_RESULT + 1)
    except OSError:
        return None
    return found if len(found) <= LARGEST_RESULT else None


def _end_of(path: Path) -> str:
    """Return the last messages of a child."""
    return (_left(path) or b"")[-LAST_MESSAGES:].decode("utf-8", "replace")


def open_left(folder: Path, name: str) -> BinaryIO:
    """Open a file that a child left in a folder; a link, a pipe or a name that leads elsewhere is an OSError."""
    if Path(name).name != name:
        raise OSError(f"{name!r} is no file of this folder")
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place)
    finally:
        os.close(place)
    if not stat.S_ISREG(os.fstat(found).st_mode):
        os.close(found)
        raise OSError(f"{name!r} is no file")
    return os.fdopen(found, "rb")
