"""Kernels of the ladder run over people in pieces, one thread for each core; results do not depend on their number."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from tokumei.engine import spread_over

# Pieces that are this many times as many as threads end at about the same time.
PIECES_PER_THREAD = 4
# Handing over a piece takes as long as some people.
FEWEST_PEOPLE = 16


def in_pieces(count: int, kernel: Callable[[int, int], None]) -> None:
    """Call ``kernel(begin, end)`` for parts of 0 ... count; it must release the GIL and write to its own part only."""
    threads = os.cpu_count() or 1
    pieces = max(1, min(threads * PIECES_PER_THREAD, count // FEWEST_PEOPLE))
    bounds = np.unique(np.linspace(0, count, pieces + 1).astype(np.int64)).tolist()

    def piece(begin: int, end: int) -> Callable[[], None]:
        return lambda: kernel(begin, end)

    spread_over(threads, [piece(begin, end) for begin, end in pairwise(bounds)])
