"""The process of a job: ``python -m tokumei_studio.jobs.child JOB_FOLDER`` runs its commands one after the other.

Each is the ordinary command line, in this process, with its JSON document in a file; only `describe` and `audit` call
the same functions directly, because pages need their messages in both languages.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tokumei.errors import TokumeiError
from tokumei.progress import Advance, listening
from tokumei_studio.jobs.record import ENDED, FAILED, LOCK, NEGATIVE, PROGRESS, TERMINATED, Job, write_json

# Pages ask about once a second.
TOLD_SECONDS = 0.4


class Telling:
    """Keeps the progress of a job in a file, a few times a second at most."""

    def __init__(self, path: Path) -> None:
        self._path, self._told = path, 0.0
        self._stages: list[dict[str, Any]] = []
        self.step = ""

    def begin(self, step: str) -> None:
        """Tell that a step begins."""
        self.step = step
        self._stages.clear()
        self._tell(now=True)

    @contextmanager
    def stage(self, name: str, total: float | None) -> Iterator[Advance]:
        """Listen to a stage of the work."""
        own: dict[str, Any] = {"name": name, "total": total, "done": 0.0}
        self._stages.append(own)
        self._tell()

        def advance(amount: float) -> None:
            own["done"] += amount
            self._tell()

        try:
            yield advance
        finally:
            self._stages.remove(own)
            self._tell()

    def _tell(self, *, now: bool = False) -> None:
        moment = time.monotonic()
        if now or moment - self._told >= TOLD_SECONDS:
            self._told = moment
            write_json(self._path, {"step": self.step, "stages": self._stages})


class _Terminated(BaseException):
    """Somebody asks the job to end."""


def main(folder: Path) -> None:
    """Run a job to its end; the lock is held until then."""
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    os.ftruncate(lock, 0)
    os.write(lock, str(os.getpid()).encode())
    signal.signal(signal.SIGTERM, _terminate)
    job, begun = Job.read(folder), time.monotonic()
    telling = Telling(folder / PROGRESS)
    status, error = 0, ""
    try:
        with listening(telling.stage):
            for step in job.steps:
                telling.begin(step.name)
                status, error = _run(step.words, folder / f"{step.name}.json")
                if status not in (0, NEGATIVE):
                    break
    except (_Terminated, KeyboardInterrupt):
        status = TERMINATED
    except Exception as fault:
        # Its text may hold data: the page tells its kind, the messages of the job have the rest.
        status, error = FAILED, f"internal error ({type(fault).__name__}); see {folder.name}/messages.txt in jobs"
        traceback.print_exc()
    write_json(folder / ENDED, {"status": status, "seconds": round(time.monotonic() - begun, 1), "error": error})


def _terminate(_number: int, _frame: object) -> None:
    raise _Terminated


def _run(words: Sequence[str], output: Path) -> tuple[int, str]:
    """Run one command; return its exit status and, if it failed, the sentence it told."""
    if words[0] in ("describe", "audit"):
        return _run_telling(words, output)
    from tokumei.cli.main import main as command_line  # noqa: PLC0415 - the lock is held before anything is loaded

    before = os.dup(1)
    with output.open("wb") as file:
        output.chmod(0o600)
        os.dup2(file.fileno(), 1)
        try:
            command_line([*words, "--json"])
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else FAILED
        finally:
            sys.stdout.flush()
            os.dup2(before, 1)
            os.close(before)
    return status, "" if status in (0, NEGATIVE) else _told(output)


def _told(output: Path) -> str:
    try:
        return str(json.loads(output.read_text(encoding="utf-8"))["error"]["message"])
    except (json.JSONDecodeError, KeyError):
        return ""


def _run_telling(words: Sequence[str], output: Path) -> tuple[int, str]:
    from tokumei_studio.telling import audited, described  # noqa: PLC0415 - the lock is held before anything is loaded

    options = _options(words[1:])
    try:
        document = described(options) if words[0] == "describe" else audited(options)
    except TokumeiError as error:
        return FAILED, str(error)
    except MemoryError:
        return FAILED, "the memory is not enough for this; give less data or use a larger machine"
    write_json(output, document)
    return int(document.get("verdict") == "unsafe"), ""


def _options(words: Sequence[str]) -> Mapping[str, str]:
    """Return the options of a command by name; what stands alone is the input."""
    given: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        if word.startswith("--"):
            given[word.removeprefix("--")] = next(rest)
        else:
            given["input"] = word
    return given


if __name__ == "__main__":
    main(Path(sys.argv[1]))
