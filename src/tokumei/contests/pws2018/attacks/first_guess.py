"""The smallest attack: one guess, the first pseudonym is the first subject (re-1 of PWS Cup 2018, spec B.9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.data import Guesses, History, Release
from tokumei.parts import Attack


def guess_first(subjects: pl.Series, pseudonyms: pl.Series) -> Guesses:
    """Return the one guess that pairs the first rows of both files; none if a file has no rows."""
    size = min(len(subjects), len(pseudonyms), 1)
    return Guesses.of_pairs(pseudonyms.head(size), subjects.head(size), attack=FirstGuess.name)


@dataclass(frozen=True, kw_only=True)
class FirstGuess(Attack):
    """Guess that the first published pseudonym belongs to the first subject of the original.

    Shows the form of an answer; it succeeds only by chance, or where a release keeps the order of the original.
    """

    name: ClassVar[str] = "re-1"
    summary: ClassVar[str] = "one guess: the first pseudonym is the first subject"
    source: ClassVar[str] = "PWS Cup 2018, sample attack re-1"

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:  # noqa: ARG002
        """Return one guess, or none if there is nothing to guess."""
        return guess_first(knowledge.subjects[knowledge.subject[:1]], release.pseudonyms)
