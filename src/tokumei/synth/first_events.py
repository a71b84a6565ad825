"""Times of competing events, drawn from cumulative hazards: the earliest event happens, and nothing after the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from tokumei.array_types import Bools, Floats


@dataclass(frozen=True, eq=False)
class Hazard:
    """A cumulative hazard: what has come together at every moment, and how many times as much every person has."""

    moments: Floats
    cumulative: Floats
    relative: Floats

    def draw(self, rng: Generator) -> Floats:
        """Return a time for everybody by inverting the hazard, linearly between moments.

        Nothing happens before the first moment; what would happen after the last one is infinitely far away.
        """
        needed = -np.log(rng.random(len(self.relative))) / self.relative
        return np.where(needed > self.cumulative[-1], np.inf, np.interp(needed, self.cumulative, self.moments))


def draw_first_events(
    hazards: Mapping[str, Hazard], count: int, rng: Generator, *, end: float
) -> tuple[Floats, dict[str, Bools]]:
    """Return when something happened to everybody (``end`` for nothing), and per cause to whom it happened.

    Causes are drawn in their order; the first one named wins a tie.
    """
    drawn = {cause: hazard.draw(rng) for cause, hazard in hazards.items()}
    times = np.full(count, end)
    causes = {cause: np.zeros(count, dtype=bool) for cause in drawn}
    for cause, when in drawn.items():
        earlier = when < times
        for happened in causes.values():
            happened[earlier] = False
        causes[cause][earlier] = True
        times = np.where(earlier, when, times)
    return times, causes
