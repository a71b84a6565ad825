"""How many requests there were and how long they took, over all web processes of a machine.

Each process counts for itself and writes its counts to a file of its own now and then; who asks reads all of them. The
files of processes that died stay until the server starts anew: counters never go back.
"""

from __future__ import annotations

import json
import os
import threading
import time
from bisect import bisect_left
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from tokumei_arena import environment

# Upper bounds of the classes of times, in seconds.
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5, 10.0)
WRITE_SECONDS = 5.0
SEPARATOR = "|"


class Requests:
    """Counts of one process: by method, route and status, and by class of time."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.classes: Counter[str] = Counter()
        self.seconds = 0.0
        self._lock = threading.Lock()
        self._written = 0.0

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        with self._lock:
            self.counts[SEPARATOR.join((method, route, str(status)))] += 1
            self.classes[str(bisect_left(BOUNDS, seconds))] += 1
            self.seconds += seconds
            due = time.monotonic() - self._written > WRITE_SECONDS
        if due:
            self.write()

    def write(self) -> None:
        """Write the counts of this process to its file."""
        with self._lock:
            self._written = time.monotonic()
            text = json.dumps({"counts": self.counts, "classes": self.classes, "seconds": self.seconds})
        path = counts_folder() / f"web-{os.getpid()}.json"
        part = path.with_suffix(f".{threading.get_ident()}.part")
        # Counting must never be the reason why a page is not shown.
        with suppress(OSError):
            part.write_text(text, encoding="ascii")
            part.replace(path)

    def add(self, document: dict[str, Any]) -> None:
        """Add the counts of another process."""
        self.counts.update(document["counts"])
        self.classes.update(document["classes"])
        self.seconds += float(document["seconds"])


OWN = Requests()


def counts_folder() -> Path:
    """Return the folder of the counts."""
    folder = environment.home() / "counts"
    folder.mkdir(mode=environment.OWNER_ONLY_FOLDER, exist_ok=True)
    return folder


def forget_counts() -> None:
    """Begin to count anew: a server starts."""
    for path in counts_folder().iterdir():
        path.unlink(missing_ok=True)


def all_requests() -> Requests:
    """Return the counts of all processes of this machine together."""
    OWN.write()
    total = Requests()
    for path in sorted(counts_folder().glob("web-*.json")):
        with suppress(OSError, ValueError, KeyError):
            total.add(json.loads(path.read_text(encoding="ascii")))
    return total
