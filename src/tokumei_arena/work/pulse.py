"""The pulse of a job: it prolongs the lease as long as the job is worked on, whatever takes long.

The database is asked in the thread of the worker only. What merely moves bytes (a copy from a slow store) runs in
another thread meanwhile, so that a copy longer than the lease does not look like the silence of a dead worker.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

Moved = TypeVar("Moved")
BEATS_PER_LEASE = 3
# Threads stay: connections to an object store belong to threads and take time to make.
_movers = ThreadPoolExecutor(thread_name_prefix="mover")


class Pulse:
    """Called again and again, it beats when it is time, and says whether to go on: never without the lease."""

    def __init__(
        self, beat: Callable[[], bool], stopped: Callable[[], bool], *, lease_seconds: float, longest_move: float
    ) -> None:
        self._beat, self._stopped = beat, stopped
        self._every, self._longest_move = lease_seconds / BEATS_PER_LEASE, longest_move
        self._last = time.monotonic()
        self._held = True

    def __call__(self) -> bool:
        """Prolong the lease if it is time; return whether to go on."""
        if self._stopped():
            return False
        if self._held and time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            self._held = self._beat()
        return self._held

    def moving(self, action: Callable[[], Moved]) -> Moved:
        """Return what an action gives that asks the database nothing, prolonging the lease meanwhile.

        An action that hangs is given up on: from some moment on the lease is left to run out.
        """
        future = _movers.submit(action)
        until = time.monotonic() + self._longest_move
        while time.monotonic() < until and not wait([future], timeout=self._every).done:
            self()
        return future.result()
