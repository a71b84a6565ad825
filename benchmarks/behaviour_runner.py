"""Runs command lines of any installed ``tokumei``: many in one process of its interpreter, or each in a process.

Most of a short command's time is the import of its libraries; one process for a group of lines needs a fifth of it.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Ran", "Runner"]

TIMEOUT = 1800
# Runs in the interpreter beside the executable: takes one request per line, answers each with the exit status.
DRIVER = """
import io, json, os, sys
from importlib.metadata import entry_points
requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
[entry] = entry_points(group="console_scripts", name="tokumei")
main = entry.load()
for line in requests:
    words, folder, streams = json.loads(line)
    os.chdir(folder)
    for number, (name, mode) in enumerate(zip(streams, ("rb", "wb", "wb"))):
        with open(name, mode) as file:
            os.dup2(file.fileno(), number)
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(open(number, mode, closefd=False), encoding="utf-8", write_through=number > 0)
        for number, mode in ((0, "rb"), (1, "wb"), (2, "wb"))
    )
    try:
        sys.argv = ["tokumei", *words]
        main()
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException as error:
        status = f"{type(error).__name__}: {error}"
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass
    answers.write(json.dumps(status) + "\\n")
    answers.flush()
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command line gave: its exit status (a text if the process itself failed) and both streams."""

    status: int | str
    out: bytes
    err: bytes


def _environment() -> dict[str, str]:
    """Return the environment of all runs: a plain terminal of fixed width, no settings of this shell."""
    ours = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TMPDIR")}
    return {**ours, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "LANG": "C.UTF-8", "TZ": "UTC"}


@dataclass(slots=True)
class Runner:
    """Runs lines of one executable; ``apart`` gives each a process of its own."""

    tokumei: Path
    apart: bool = False
    _process: subprocess.Popen[str] | None = field(default=None, init=False)

    def run(self, line: str, folder: Path) -> Ran:
        """Run one line (what follows ``tokumei``, perhaps with ``< FILE``) in a folder."""
        command, _, given = line.partition(" < ")
        stdin = folder / given.strip() if given else Path(os.devnull)
        words = shlex.split(command)
        return self._apart(words, folder, stdin) if self.apart else self._together(words, folder, stdin)

    def close(self) -> None:
        """End the process that runs the lines."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait(TIMEOUT)
        self._process = None

    def _apart(self, words: list[str], folder: Path, stdin: Path) -> Ran:
        with stdin.open("rb") as given:
            ran = subprocess.run(
                [self.tokumei, *words],
                cwd=folder,
                stdin=given,
                capture_output=True,
                env=_environment(),
                timeout=TIMEOUT,
                check=False,
            )
        return Ran(ran.returncode, ran.stdout, ran.stderr)

    def _together(self, words: list[str], folder: Path, stdin: Path) -> Ran:
        if self._process is None:
            self._process = subprocess.Popen(
                [self.tokumei.parent / "python", "-c", DRIVER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=_environment(),
                text=True,
                # Not the folder of this project, whose packages would be found before the installed ones.
                cwd=folder,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.TemporaryDirectory(prefix="tokumei-streams-") as streams:
            out, err = Path(streams) / "out", Path(streams) / "err"
            request = [words, str(folder), [str(stdin), str(out), str(err)]]
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
            if not answer:
                # The process has died under this line: the next one gets a new process.
                answer = json.dumps(f"the process ended with {self._process.wait(TIMEOUT)}")
                self._process = None
            return Ran(json.loads(answer), *(path.read_bytes() if path.exists() else b"" for path in (out, err)))
