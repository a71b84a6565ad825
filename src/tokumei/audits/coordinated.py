"""What several attackers reach who agree on their guesses: together they win wherever one of them wins.

Independent attempts overlap by chance. Attackers who agree take the same groups and give each other's guesses a wide
berth, so that what makes one of them win is rarely what makes another win. Choosing the guesses is a covering problem:
of all ways in which the members of a few groups may be named (worlds), as many as possible shall be won by somebody.
It is solved by taking the best next guess, then exchanging guesses while that helps; the best possible may be a little
better, and can never win more than all attempts together would if no two of them overlapped.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations

import numpy as np

from tokumei.array_types import Bools

MOST_WORLDS = 4_096
STARTS = 2


@lru_cache(maxsize=64)
def coordinated_survival(size: int, guesses: int, needed: int, attempts: int, probability: float) -> float:
    """Return how probably a release survives so many attempts that agree, each winning with ``probability``.

    Each names ``guesses`` members of groups of ``size`` exchangeable ones and wins with ``needed`` right names. Where
    the worlds are too many to list, or other groups win more, it is what is left if no two attempts overlap.
    """
    worst = max(0.0, 1.0 - attempts * probability)
    wins = _wins(size, guesses, needed)
    if wins is None or abs(float(wins[0].mean()) - probability) > 1e-9:
        return worst
    return max(worst, 1.0 - max(_covered(wins, attempts, np.random.default_rng(start)) for start in range(STARTS)))


def _wins(size: int, guesses: int, needed: int) -> Bools | None:
    """Return which guess (row) wins in which world (column), None if there are too many."""
    orders = np.array(list(permutations(range(size)))) if size <= 6 else np.empty((MOST_WORLDS + 1, 0))
    groups = -(-guesses // size)
    if groups == 0 or len(orders) ** groups > MOST_WORLDS:
        return None
    hits = np.zeros((1, 1), dtype=np.int8)
    for group in range(groups):
        named = min(size, guesses - group * size)
        right = (orders[:, None, :named] == orders[None, :, :named]).sum(axis=2).astype(np.int8)
        hits = (hits[:, None, :, None] + right[None, :, None, :]).reshape(len(hits) * len(right), -1)
    return np.asarray(hits >= needed)


def _covered(wins: Bools, attempts: int, rng: np.random.Generator) -> float:
    """Return the share of worlds that somebody wins, by the best next guess and then by exchanges."""
    # Guesses and worlds are the same orders, so that rows serve as columns.
    by_world = wins.view(np.int8)
    count = np.zeros(wins.shape[1], dtype=np.int64)
    # What every guess would win in worlds that nobody wins yet, kept up to date.
    gain = by_world.sum(axis=0, dtype=np.int16)

    def add(guess: int) -> None:
        worlds = np.flatnonzero(wins[guess])
        gain[:] -= by_world[worlds[count[worlds] == 0]].sum(axis=0, dtype=np.int16)
        count[worlds] += 1

    def remove(guess: int) -> None:
        worlds = np.flatnonzero(wins[guess])
        count[worlds] -= 1
        gain[:] += by_world[worlds[count[worlds] == 0]].sum(axis=0, dtype=np.int16)

    chosen: list[int] = []
    for _ in range(attempts):
        chosen.append(int(rng.choice(np.flatnonzero(gain == gain.max()))))
        add(chosen[-1])
    better = True
    while better:
        better = False
        for place, guess in enumerate(tuple(chosen)):
            remove(guess)
            best = int(np.argmax(gain))
            taken = best if gain[best] > gain[guess] else guess
            better |= taken != guess
            chosen[place] = taken
            add(taken)
    return float((count > 0).mean())
