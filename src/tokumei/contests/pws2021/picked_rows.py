"""pick: the test rows CT of an attacker and their true rows in D ."""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Bools, Ints
from tokumei.errors import InfeasibleError

OFFICIAL_SEED = 100
TEST_ROWS_EACH = 50
LARGEST_SEED = 2**32


def draw_rows(count: int, deleted: Ints, *, rng: np.random.Generator, each: int = TEST_ROWS_EACH) -> tuple[Ints, Ints]:
    """Return test rows as `pick_rows` does, drawn by a generator whose seed cannot be searched through.

    If fewer than ``each`` rows were deleted, all of them are drawn, and more of the kept ones instead.
    """
    kept = np.ones(count, dtype=bool)
    kept[deleted] = False
    gone, left = np.flatnonzero(~kept), np.flatnonzero(kept)
    few = min(each, len(gone))
    if len(left) < 2 * each - few:
        message = f"only {len(left)} rows are kept, but {2 * each - few} of them are to be drawn; draw fewer"
        raise InfeasibleError(message, code="too-few-rows")
    drawn = (rng.choice(gone, few, replace=False), rng.choice(left, 2 * each - few, replace=False))
    return _answered(kept, np.sort(np.concatenate(drawn)))


def shuffled(rows: Ints, answers: Ints, *, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return test rows and answers in a random order, which tells nothing of where a row stands in D."""
    order = rng.permutation(len(rows))
    return rows[order], answers[order]


def _answered(kept: Bools, chosen: Ints) -> tuple[Ints, Ints]:
    """Return the chosen rows with their rows in D, or -1."""
    place = np.cumsum(kept) - 1
    return chosen, np.where(kept[chosen], place[chosen], -1)


def pick_rows(count: int, deleted: Ints, *, seed: int = OFFICIAL_SEED, each: int = TEST_ROWS_EACH) -> tuple[Ints, Ints]:
    """Return the drawn rows of B in ascending order, ``each`` deleted and ``each`` kept, and their rows in D or -1.

    Seed 100 gives the draw of the published program; a real contest needs a secret seed for every draw.
    """
    kept = np.ones(count, dtype=bool)
    kept[deleted] = False
    left = np.flatnonzero(kept)
    for name, rows in (("deleted", deleted), ("kept", left)):
        if len(rows) < each:
            message = f"only {len(rows)} rows are {name}, but {each} of them are to be drawn; draw fewer"
            raise InfeasibleError(message, code="too-few-rows")
    # The published program draws through the legacy generator, afresh for either group.
    draws = [
        np.random.RandomState(seed % LARGEST_SEED).choice(len(rows), each, replace=False) for rows in (deleted, left)
    ]
    return _answered(kept, np.sort(np.concatenate([deleted[draws[0]], left[draws[1]]])))
