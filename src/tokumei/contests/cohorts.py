"""Choices that nobody can bend afterwards: the hash of a secret is published before, the secret after.

So PWS Cup 2026 gave out its cohorts: by SHA-256 of the name of a team and a salt that had been committed to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def commitment(secret: str) -> str:
    """Return what is published before: the SHA-256 of the secret.

    >>> commitment("salt")[:12]
    '63479ad69a09'
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def assign_cohorts(names: Sequence[str], salt: str, *, cohorts: int) -> list[int]:
    """Return the cohort of every team in order of registration; one that is taken passes on to the next free one.

    >>> assign_cohorts(["a", "b", "c"], "salt", cohorts=3)
    [2, 0, 1]
    """
    if len(names) > cohorts:
        raise ValueError(f"{len(names)} teams cannot have one of {cohorts} cohorts each")
    taken: list[int] = []
    for name in names:
        place = int(hashlib.sha256((name + salt).encode()).hexdigest(), 16) % cohorts
        while place in taken:
            place = (place + 1) % cohorts
        taken.append(place)
    return taken
