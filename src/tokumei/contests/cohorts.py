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


def sealed(content: bytes, drawn: str) -> tuple[bytes, bytes]:
    """Return the line that is published before, and what opens it: a salt from what was drawn, then the content."""
    opening = hashlib.sha256(f"salt:{drawn}".encode()).hexdigest().encode() + b"\n" + content
    return hashlib.sha256(opening).hexdigest().encode() + b"\n", opening


def opens(line: bytes, opening: bytes) -> bool:
    """Return whether this is what was committed to.

    >>> opens(*sealed(b"0,3", "drawn")), opens(sealed(b"0,3", "drawn")[0], b"0,4")
    (True, False)
    """
    return hashlib.sha256(opening).hexdigest() == line.decode("ascii", "replace").strip()
