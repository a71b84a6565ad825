"""SIGTERM ends the tests: fixtures take down what they started, workers of xdist end too, the exit status is 143.

Commands that run inside the process of the tests turn an interrupt into their exit status, so that the end of the tests
would look like the end of a command: whoever runs one calls ``go_on`` afterwards.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

import pytest

__all__ = ["ENDING", "Ending"]


class Ending:
    """A plugin of pytest that lets SIGTERM unwind the stack as Ctrl-C does."""

    def __init__(self) -> None:
        self.asked = False
        self._workers: list[int] = []

    def pytest_configure(self) -> None:
        """Listen from the start.

        A shell that runs the tests in the background lets them ignore Ctrl-C, and processes inherit what is ignored:
        those that tests interrupt would go on.
        """
        signal.signal(signal.SIGTERM, self._end)
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _end(self, _number: int, _frame: FrameType | None) -> NoReturn:
        self.asked = True
        for process in self._workers:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
        raise KeyboardInterrupt

    def go_on(self) -> None:
        """Go on ending where somebody has swallowed the interrupt."""
        if self.asked:
            raise KeyboardInterrupt

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodeready(self, node: Any) -> None:
        """Remember a worker of xdist that must hear of the end."""
        # Execnet names its process nowhere else.
        self._workers.append(node.gateway._io.popen.pid)

    def pytest_runtest_logfinish(self) -> None:
        """End at the latest after the test that was running."""
        self.go_on()

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Say that the system ended the tests."""
        if self.asked:
            session.exitstatus = 128 + signal.SIGTERM


ENDING = Ending()
