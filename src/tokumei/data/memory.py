"""How much memory may be used: half of the machine's, unless somebody says otherwise; and how many records that holds.

The figure per record is that of a whole run in memory: history, release, audit (measured: `tokumei.flow.estimating`).
Whoever works part by part holds some rows at once, which take less each while they are read and coded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

BASE_MEGABYTES, MEGABYTES_PER_RECORD = 300.0, 1.8e-3
# The program by itself: its libraries and compiled kernels (measured with 300 people: judge 0.18, describe 0.27, audit
# 0.36 gigabytes). Less cannot be kept to.
LEAST_GIGABYTES = 0.4
FEWEST_ROWS, MEGABYTES_PER_ROW = 50_000, 5e-4

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


def records_held(beside: float = 0.0) -> int:
    """Return how many records may be held at once, beside so many other megabytes; more are looked at part by part.

    >>> with memory_limit(4):
    ...     records_held()
    2055555
    """
    return max(int((allowed_gigabytes() * 1e3 - BASE_MEGABYTES - beside) / MEGABYTES_PER_RECORD), 0)


def rows_at_once(most: int) -> int:
    """Return how many rows of a data set may be read and coded together, up to so many.

    >>> with memory_limit(0.5):
    ...     rows_at_once(1_000_000)
    400000
    """
    affordable = int((allowed_gigabytes() * 1e3 - BASE_MEGABYTES) / MEGABYTES_PER_ROW)
    return min(max(affordable, FEWEST_ROWS), most)
