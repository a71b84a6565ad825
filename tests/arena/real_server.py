"""Real servers for tests: ``tokumei arena serve`` in a folder of its own, with everything that can be killed."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

__all__ = ["RealServer", "environment", "far_side", "own_database", "until"]

PATIENCE_SECONDS = 90.0
PROJECT = Path(__file__).resolve().parents[2]
KILL = signal.SIGKILL


def until(look: Callable[[], Any], what: str, *, seconds: float = PATIENCE_SECONDS) -> None:
    """Look again and again until something holds."""
    deadline = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


@contextmanager
def own_database() -> Iterator[dict[str, str]]:
    """Give the variables of a database for one server: a new one of the test run's PostgreSQL, if there is one."""
    given = os.environ.get("DATABASE_URL")
    if not given:
        yield {}
        return
    import psycopg

    name = f"arena_{secrets.token_hex(8)}"
    with psycopg.connect(given, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[arg-type, unused-ignore]
        try:
            yield {"DATABASE_URL": urlunsplit(urlsplit(given)._replace(path=f"/{name}"))}
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # type: ignore[arg-type, unused-ignore]


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a server in this folder; files go where those of the test run go."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TOKUMEI_", "DJANGO_"))}
    for name in ("DATABASE_URL", "EMAIL_URL"):
        kept.pop(name, None)
    return {**kept, "TOKUMEI_ARENA_HOME": str(home), "PYTHONPATH": str(PROJECT), **more}


def far_side(variables: dict[str, str], module: str, *words: str) -> Any:
    """Run a module with the server's settings and database; return the JSON it prints."""
    ran = subprocess.run(
        [sys.executable, "-m", module, *words], env=variables, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class RealServer:
    """A running server; it may be killed and started again on the same port."""

    def __init__(self, variables: dict[str, str], *words: str) -> None:
        self.variables, self._words = variables, words
        self.home = Path(variables["TOKUMEI_ARENA_HOME"])
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.messages = self.home.with_name(f"{self.home.name}.err")
        self.told = self.home.with_name(f"{self.home.name}.out")
        self.start()

    def start(self) -> None:
        """Start everything and wait for the first page."""
        command = [sys.executable, "-W", "error", "-m", "tokumei", "arena", "serve", "--port", str(self.port)]
        with self.messages.open("ab") as stderr, self.told.open("wb") as stdout:
            words = [*command, *self._words]
            self.process = subprocess.Popen(words, env=self.variables, stdout=stdout, stderr=stderr)
        try:
            until(self.answers, f"the first page did not come: {self.messages}")
        except AssertionError:
            self.end()
            raise

    def answers(self) -> bool:
        """Return whether a page comes."""
        try:
            with urllib.request.urlopen(f"{self.url}/accounts/login/", timeout=PATIENCE_SECONDS) as response:  # noqa: S310
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def processes(self, kind: str) -> list[int]:
        """Return the numbers of what lives: 'web', 'worker' or 'evaluation'."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
                if kind == "evaluation":
                    mine = any(word.startswith(f"{self.home}/work/") for word in words)
                else:
                    # Most processes are none of ours: what they were given need not be read.
                    mine = "tokumei_arena.commands.child" in words and kind in words and self._owns(folder)
                if mine and (folder / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                    found.append(int(folder.name))
            except OSError:
                continue
        return sorted(found)

    def _owns(self, process: Path) -> bool:
        """Return whether a process was started for the folder of this server."""
        return f"TOKUMEI_ARENA_HOME={self.home}".encode() in (process / "environ").read_bytes().split(b"\0")

    def everything(self) -> list[int]:
        """Return the numbers of all processes but the supervisor."""
        return [one for kind in ("web", "worker", "evaluation") for one in self.processes(kind)]

    def kill(self, process: int) -> bool:
        """Kill -9; return whether it still lived."""
        try:
            os.kill(process, KILL)
        except ProcessLookupError:
            return False
        return True

    def end(self, number: signal.Signals = KILL) -> int:
        """End the supervisor and wait until all processes are gone; return its status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(PATIENCE_SECONDS)
        until(lambda: not self.everything(), "processes are left")
        return status
