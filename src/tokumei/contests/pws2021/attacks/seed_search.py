"""Search the seed of a public generator whose output holds some known rows (spec D.8, rejected attacks; F-D12).

Shows why a release must not be made with a seed that can be guessed: whoever knows the generator and a few rows tries
all seeds. The search can be stopped and resumed: a `SeedState` says where it stands.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from tokumei.contests.pws2021.rows import row_hashes
from tokumei.contests.pws2021.table import HealthTable
from tokumei.data import distinct
from tokumei.errors import ParameterError
from tokumei.parts import Part, parameter
from tokumei.progress import stage

Generator = Callable[[np.random.Generator], HealthTable]


@dataclass(frozen=True, slots=True)
class SeedState:
    """Where a search stands: the next seed to try, the best one so far, and the seed that holds all known rows."""

    next_seed: int
    best_seed: int | None = None
    best_rows: int = 0
    known_rows: int = 0
    found: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the state as plain values."""
        return asdict(self)

    def to_json(self) -> str:
        """Return the state as text, as `from_json` reads it."""
        return json.dumps(self.as_dict()) + "\n"

    @classmethod
    def from_json(cls, text: str) -> SeedState:
        """Read a state; text that is none raises ParameterError."""
        try:
            return cls(**json.loads(text))
        except (ValueError, TypeError):
            message = "the file of the search is no state of a seed search; name another file or remove it"
            raise ParameterError(message, code="seed-state") from None


@dataclass(frozen=True, kw_only=True)
class SeedSearch(Part):
    """Try the seeds of a range until the generator gives a table that holds all known rows."""

    name: ClassVar[str] = "seed-guess"
    summary: ClassVar[str] = "search the seed of a public generator by rows known of its output"
    source: ClassVar[str] = "Data Protection Club, PWS Cup 2021"

    first: int = parameter(0, "the first seed", low=0)
    last: int = parameter(9_999_999, "the last seed", low=0)
    most: int | None = parameter(None, "how many seeds to try before the search is left for later", low=1)

    def run(self, generate: Generator, known: HealthTable, state: SeedState | None = None) -> SeedState:
        """Search on from a state, or from the first seed; seeds are those of `numpy.random.default_rng`."""
        wanted = distinct(row_hashes(known))
        current = state or SeedState(self.first, known_rows=len(wanted))
        if current.found is not None:
            return current
        stop = self.last + 1 if self.most is None else min(self.last + 1, current.next_seed + self.most)
        best_seed, best_rows = current.best_seed, current.best_rows
        seed = current.next_seed
        with stage("seeds", max(stop - seed, 0)) as advance:
            while seed < stop:
                made = row_hashes(generate(np.random.default_rng(seed)))
                hits = int(np.isin(wanted, made).sum())
                if best_seed is None or hits > best_rows:
                    best_seed, best_rows = seed, hits
                seed += 1
                advance(1)
                if hits == len(wanted):
                    return SeedState(seed, best_seed, best_rows, len(wanted), seed - 1)
        return SeedState(seed, best_seed, best_rows, len(wanted))
