"""How much memory may be used: half of the machine's, unless somebody says otherwise; and how many records that holds.

The figure per record is that of a whole run in memory: history, release, audit (measured: `tokumei.flow.estimating`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

BASE_MEGABYTES, MEGABYTES_PER_RECORD = 300.0, 1.8e-3

_allowed: ContextVar[float | None] = ContextVar("tokumei_memory", default=None)


def machine_gigabytes() -> float:
    """Return the memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9


def allowed_gigabytes() -> float:
    """Return how much memory may be used."""
    return _allowed.get() or machine_gigabytes() / 2


@contextmanager
def memory_limit(gigabytes: float | None) -> Iterator[None]:
    """Allow so much memory inside this block (None: what was allowed before)."""
    token = _allowed.set(gigabytes or _allowed.get())
    try:
        yield
    finally:
        _allowed.reset(token)


def records_held() -> int:
    """Return how many records may be held at once; data with more is looked at part by part.

    >>> with memory_limit(4):
    ...     records_held()
    2055555
    """
    return max(int((allowed_gigabytes() * 1e3 - BASE_MEGABYTES) / MEGABYTES_PER_RECORD), 0)
