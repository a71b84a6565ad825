"""What the attacks of 2021 share: for every row that the attacker knows, three rows of D, or the answer "deleted"."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.contests.pws2021.table import HealthTable, health_table
from tokumei.data import Guesses, History, Release
from tokumei.parts import Attack

DELETED = -1
GUESSES = 3


class RowAttack(Attack):
    """Tells, for every test row, whether it was deleted, or which rows of D it may have become."""

    needs: ClassVar[tuple[str, ...]] = ("rows",)

    @abstractmethod
    def choose(self, test: HealthTable, published: HealthTable, *, rng: np.random.Generator) -> Ints:
        """Return three choices per test row, best first: rows of D, or -1."""

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:
        """Return the choices for the known rows, in their order."""
        choices = np.full((len(knowledge), GUESSES), DELETED, dtype=np.int64)
        if len(knowledge) and len(release):
            choices = self.choose(health_table(knowledge), health_table(release), rng=rng)
        known = knowledge.subjects[knowledge.subject]
        return Guesses.of_choices(known, release.pseudonyms, choices, attack=self.name)
