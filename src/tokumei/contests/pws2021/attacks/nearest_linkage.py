"""rlink and attack, the sample attacks of 2021: the nearest rows of D by one-hot distance (spec D.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.contests.pws2021.attacks.row_attack import DELETED, GUESSES, RowAttack
from tokumei.contests.pws2021.rows import nearest_rows
from tokumei.contests.pws2021.table import HealthTable
from tokumei.parts import parameter


def padded_guesses(rows: Ints) -> Ints:
    """Return three guesses per row; a D of fewer than three rows leaves the others -1."""
    guesses = np.full((len(rows), GUESSES), DELETED, dtype=np.int64)
    guesses[:, : rows.shape[1]] = rows[:, :GUESSES]
    return guesses


@dataclass(frozen=True, kw_only=True)
class NearestLinkage(RowAttack):
    """Answer the three nearest rows of D; rows farther away than the median of all nearest distances are deleted."""

    name: ClassVar[str] = "rlink"
    summary: ClassVar[str] = "the three nearest rows; far rows are answered as deleted"
    source: ClassVar[str] = "PWS Cup 2021 sample program"

    def choose(self, test: HealthTable, published: HealthTable, *, rng: np.random.Generator) -> Ints:  # noqa: ARG002
        """Link by distance; nothing is left to chance, ties go to the smaller row number."""
        return self.link(test, published)[0]

    def link(self, test: HealthTable, release: HealthTable) -> tuple[Ints, Floats, float]:
        """Return the guesses, the three nearest distances of every test row, and the median of the nearest ones."""
        rows, distances = nearest_rows(test, release, GUESSES)
        median = float(np.median(distances[:, 0]))
        guesses = padded_guesses(rows)
        guesses[distances[:, 0] > median] = DELETED
        return guesses, distances, median


@dataclass(frozen=True, kw_only=True)
class ClosestRows(RowAttack):
    """Answer the nearest row of D for the closest pairs, deleted for all others (membership, 2020 style)."""

    name: ClassVar[str] = "attack"
    summary: ClassVar[str] = "the nearest row for the closest pairs"
    source: ClassVar[str] = "PWS Cup 2021 sample program"

    count: int = parameter(100, "how many pairs are answered", low=1)

    def choose(self, test: HealthTable, published: HealthTable, *, rng: np.random.Generator) -> Ints:  # noqa: ARG002
        """Answer the closest pairs."""
        rows, distances = nearest_rows(test, published, 1)
        guesses = padded_guesses(rows)
        guesses[np.argsort(distances[:, 0], kind="stable")[self.count :]] = DELETED
        return guesses
