"""Traces of regions on a square grid without any real person: people on their way through a city.

Everybody starts a day at home and travels between places of their own and new ones, region by region, hardly ever
longer in one. So two days of a person are alike in where they go, not in when: a person is found again by what is
visited in many days, while the place at one moment tells little of that moment on another day. How often people
stay, how far they go and how alike two days are was set to what the practice traces of PWS Cup 2019 show.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from tokumei.array_types import Floats, Ints

PLACES = 8
# Quarters crowd around the middle of the grid, at this share of its side.
SPRAWL = 0.28
# Cells: how far own places lie from home, new ones from home, and where a day begins.
OWN_SPREAD, NEW_SPREAD, MORNING_SPREAD = 7.0, 8.0, 0.8
# The chances of another goal at a slot, of one of the own places for it, and of not moving.
NEW_GOAL, OWN_GOAL, RESTING = 0.55, 0.75, 0.05
STEP_SHAPE, STEP_SCALE, ASTRAY = 1.6, 3.2, 0.35


def generate_region_traces(users: int, days: int, rng: Generator, *, side: int = 32, slots: int = 20) -> Ints:
    """Return the regions of all users (rows) at all slots."""
    quarters = np.clip(rng.normal(side / 2, side * SPRAWL, size=(max(users // 12, 3), 2)), 0, side)
    homes = quarters[rng.integers(len(quarters), size=users)] + rng.normal(0, 1.5, size=(users, 2))
    own = homes[:, None, :] + rng.normal(0, OWN_SPREAD, size=(users, PLACES, 2))
    where, goals = homes, homes
    cells = np.empty((users, days * slots), dtype=np.int64)
    for slot in range(days * slots):
        if slot % slots == 0:
            where = homes + rng.normal(0, MORNING_SPREAD, size=homes.shape)
            goals = _goals(homes, own, rng)
        else:
            changed = rng.random(users) < NEW_GOAL
            goals = np.where(changed[:, None], _goals(homes, own, rng), goals)
            where = _moved(where, goals, rng)
        where = np.clip(where, 0, side - 0.001)
        row, column = where.astype(np.int64).T
        cells[:, slot] = row * side + column + 1
    return cells


def _goals(homes: Floats, own: Floats, rng: Generator) -> Floats:
    """Return where everybody goes next: one of the own places, the earlier ones more often, or a new one."""
    users = len(homes)
    chosen = np.minimum(rng.geometric(0.3, size=users) - 1, PLACES - 1)
    known = rng.random(users) < OWN_GOAL
    return np.where(known[:, None], own[np.arange(users), chosen], homes + rng.normal(0, NEW_SPREAD, size=homes.shape))


def _moved(where: Floats, goals: Floats, rng: Generator) -> Floats:
    """Return the positions half an hour later: a step of random length towards the goal, some of it astray."""
    users = len(where)
    way = goals - where
    far = np.sqrt((way**2).sum(axis=1))
    step = np.minimum(rng.gamma(STEP_SHAPE, STEP_SCALE, size=users), far) / np.maximum(far, 1e-9)
    made = where + way * step[:, None] + rng.normal(0, ASTRAY, size=where.shape)
    return np.where((rng.random(users) < RESTING)[:, None], where, made)
