"""re-id(P, Q): the share of the rows of M' whose origin an attacker names (spec A.2), beside what chance gives."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from tokumei.array_types import Ints
from tokumei.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGuesses:
    """How many of the n guesses are right.

    ``baseline`` is what blind guessing gives on average. ``control`` is what these very guesses give on average when P
    is shuffled: their success if the data told nothing about P.
    """

    n: int
    hits: int
    baseline: float
    control: float

    @property
    def rate(self) -> float:
        """The re-identification rate."""
        return self.hits / self.n if self.n else 0.0

    def as_dict(self) -> dict[str, float]:
        """Return the fields of ``safety --json``."""
        return {"hits": self.hits, "n": self.n, "rate": self.rate, "baseline": self.baseline, "control": self.control}


def judge_rows(truth: Ints, guesses: Ints, *, originals: int | None = None) -> RowGuesses:
    """Return the hits of Q against P; ``originals`` is the number of rows of M, if it is known.

    >>> judge_rows(np.array([2, 4, 1]), np.array([2, 1, 4])).hits
    1
    """
    if len(truth) != len(guesses):
        message = f"P has {len(truth):,} rows and Q {len(guesses):,}; give one guess for every row of M'"
        raise InputError(message, code="wrong-length")
    n = len(truth)
    named = int(np.isin(guesses, truth).sum())
    blind = max(n if originals is None else originals, 1)
    return RowGuesses(n=n, hits=int((truth == guesses).sum()), baseline=1 / blind, control=named / n / n if n else 0.0)


def chance_limit(n: int, originals: int, *, alpha: float = 0.001) -> int:
    """Return the most hits that blind guessing reaches with a probability above alpha (binomial, spec-free).

    >>> chance_limit(4334, 4334), chance_limit(3, 4)
    (5, 3)
    """
    chance = 1 / max(originals, 1)
    at_least, hits = 1.0, 0
    while hits < n:
        at_least -= comb(n, hits) * chance**hits * (1 - chance) ** (n - hits)
        if at_least < alpha:
            return hits
        hits += 1
    return n
