"""Keeps the processes of the server running: starts them, starts those again that die, ends all of them together.

The supervisors of uvicorn and granian leave their processes behind when they are killed, and none runs workers too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tokumei.cli.output import tell

LOOK_SECONDS = 0.1
GRACE_SECONDS = 10.0
# A process that dies at once is started again after a growing pause, so that a lasting fault does not eat the machine.
SHORT_LIFE_SECONDS, FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 5.0, 0.25, 30.0


class Child:
    """One process: what it is (web or worker), its arguments and the sockets it inherits."""

    def __init__(self, kind: str, *arguments: str, descriptors: Sequence[int] = ()) -> None:
        self.kind = kind
        self._arguments = arguments
        self._descriptors = tuple(descriptors)
        self._pause = 0.0
        self._again_at: float | None = None
        self._process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        """Return a new process; it loads its code and waits for ``go``."""
        self._began = time.monotonic()
        # A session of its own: Ctrl-C goes to the supervisor, which ends everything in order.
        return subprocess.Popen(
            [sys.executable, "-m", "tokumei_arena.commands.child", self.kind, *self._arguments],
            stdin=subprocess.PIPE,
            pass_fds=self._descriptors,
            env={**os.environ, "TOKUMEI_ARENA_ROLE": self.kind},
            start_new_session=True,
        )

    def go(self) -> None:
        """Let the process begin its work; one that is dead already is seen at the next look."""
        try:
            os.write(self._line(), b"\n")
        except BrokenPipeError:
            return

    def _line(self) -> int:
        stdin = self._process.stdin
        assert stdin is not None
        return stdin.fileno()

    def look(self) -> None:
        """Start the process again if it has died, after a pause if it lived for a short time only."""
        if self._process.poll() is None:
            return
        now = time.monotonic()
        if self._again_at is None:
            short = now - self._began < SHORT_LIFE_SECONDS
            longer = max(FIRST_PAUSE_SECONDS, min(2 * self._pause, LONGEST_PAUSE_SECONDS))
            self._pause = longer if short else 0.0
            self._again_at = now + self._pause
            tell(f"arena: a {self.kind} process has ended (status {self._process.returncode}); it is started again")
        if now >= self._again_at:
            self._again_at = None
            self._hang_up()
            self._process = self._started()
            self.go()

    def ask_to_end(self) -> None:
        """Ask the process to end in order."""
        if self._process.poll() is None:
            self._process.terminate()

    def end(self, deadline: float) -> None:
        """Wait until the process has ended; from the deadline on it is killed."""
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._hang_up()

    def _hang_up(self) -> None:
        if self._process.stdin is not None:
            self._process.stdin.close()


@contextmanager
def running(children: Sequence[Child]) -> Iterator[None]:
    """End all children when the block is left, whatever the reason."""
    try:
        yield
    finally:
        for child in children:
            child.ask_to_end()
        deadline = time.monotonic() + GRACE_SECONDS
        for child in children:
            child.end(deadline)


@contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """Give an event that Ctrl-C or SIGTERM sets: for a server both are the normal way to end."""
    stop = threading.Event()
    wanted = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in wanted}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def watch(children: Sequence[Child], stop: threading.Event) -> None:
    """Keep the children running until the event is set."""
    while not stop.wait(LOOK_SECONDS):
        for child in children:
            child.look()
