"""Folders for evaluations, closed to others and removed afterwards, even those that a killed worker left behind."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tokumei_arena import environment

__all__ = ["sweep", "work_folder"]


def _place() -> Path:
    place = environment.home() / "work"
    place.mkdir(mode=0o700, exist_ok=True)
    return place


@contextmanager
def work_folder() -> Iterator[Path]:
    """Return a new folder that only we can read, for the time of one evaluation; its name tells whose it is."""
    with tempfile.TemporaryDirectory(
        prefix=f"{socket.gethostname()}.{os.getpid()}.", dir=_place(), ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


def sweep() -> int:
    """Remove what processes of this machine that are no more left behind; return how many folders."""
    removed = 0
    for folder in _place().glob(f"{socket.gethostname()}.*"):
        number = folder.name.split(".")[-2]
        if number.isdigit() and not Path(f"/proc/{number}").exists() and Path("/proc/self").exists():
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
    return removed
