"""The limits of one evaluation: of files, and of the process that reads them, which limits itself before it does."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

OPEN_FILES, THREADS = 256, 256
# Libraries reserve address space that they never touch; the watcher of the parent limits what is really used.
ADDRESS_ROOM = 4_000_000_000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
KILL_AFTER_SECONDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of files (before anything parses them) and of the process that does."""

    upload_bytes: int
    unpacked_bytes: int
    zip_ratio: int
    zip_entries: int
    rows: int
    columns: int
    cell_length: int
    memory_bytes: int
    cpu_seconds: int
    wall_seconds: int

    @classmethod
    def of(cls, values: Mapping[str, int]) -> Limits:
        """Return the limits among these settings."""
        return cls(**{field.name: int(values[field.name]) for field in fields(cls)})

    def as_dict(self) -> dict[str, int]:
        """Return plain values for JSON."""
        return asdict(self)


def confine(limits: Limits, *, parent: int, own_processes: bool = False) -> None:
    """Set every limit; they cannot be raised again.

    ``parent`` is whoever started this process, 0 if somebody else ends it with its parent. The number of threads is
    limited where all processes of this user are ``own_processes``: it is counted by user.
    """
    cpu = limits.cpu_seconds
    for what, soft, hard in (
        (resource.RLIMIT_AS, limits.memory_bytes + ADDRESS_ROOM, limits.memory_bytes + ADDRESS_ROOM),
        (resource.RLIMIT_CPU, cpu, cpu + KILL_AFTER_SECONDS),
        (resource.RLIMIT_FSIZE, limits.unpacked_bytes, limits.unpacked_bytes),
        (resource.RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        _lower(what, soft, hard)
    if own_processes:
        _lower(resource.RLIMIT_NPROC, THREADS, THREADS)
    if sys.platform == "linux":
        library = ctypes.CDLL(None, use_errno=True)
        library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        library.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if parent and os.getppid() != parent:
        # The parent died before the signal was ordered.
        os._exit(1)


def _lower(what: int, soft: int, hard: int) -> None:
    """Set a limit, never above the one that holds already."""
    _, most = resource.getrlimit(what)
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(what, (soft, hard))
