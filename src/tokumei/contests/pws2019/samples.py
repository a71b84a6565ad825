"""Sample methods A1-A5 and attacks I1-I3, T1-T3 of PWS Cup 2019, draw by draw, and one of our own each (spec 4).

The official programs draw from numpy's legacy generator under seed 1. Our own: ``histories`` publishes one trace for a
whole group of people, so that no attack tells them apart; ``decoys`` makes every trace resemble another person's;
``assignment`` uses every time of the reference trace and
gives every pseudonym another user.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.attacks import SeenTraces, drawn_likelihoods, drawn_members, likely_members, trace_likelihoods
from tokumei.contests.pws2019.traces import GRID, SLOTS_PER_DAY
from tokumei.data import assign
from tokumei.methods import (
    Blocks,
    DecoyTraces,
    NoMethod,
    PlanarLaplace,
    RandomizedRegions,
    RegionMethod,
    SharedHistories,
    SwappedTraces,
)

HOME_SLOTS = 2


METHODS: Mapping[str, type[RegionMethod]] = {
    "A1-none": NoMethod,
    "A2-MRLH": Blocks,
    "A3-kRR": RandomizedRegions,
    "A4-PL": PlanarLaplace,
    "A5-YA": SwappedTraces,
    "histories": SharedHistories,
    "decoys": DecoyTraces,
}


def shuffled_ids(users: int, draw: np.random.RandomState) -> Ints:
    """Return the user (from 0) behind every pseudonym, in the order of pseudonyms."""
    order = np.arange(users)
    draw.shuffle(order)
    return np.argsort(order)


def likelihoods(seen: SeenTraces, draw: np.random.RandomState, *, home: bool) -> Floats:
    """Return the log likelihoods of I2 and T2 (home: I3 and T3) for every pseudonym and user.

    Every published cell is drawn for or, at home, taken if it is one of the first slots of a day.
    """
    first = np.arange(seen.reference.shape[1]) % SLOTS_PER_DAY < HOME_SLOTS
    return drawn_likelihoods(seen, GRID, draw, at=first if home else None)


def guessed_users(name: str, seen: SeenTraces, draw: np.random.RandomState) -> Ints:
    """Return the user (from 0) that an attack names for every pseudonym."""
    if name == "I1-rand":
        order = np.arange(seen.users)
        draw.shuffle(order)
        return order
    if name == "assignment":
        return assign(-trace_likelihoods(seen, GRID)).columns
    return likelihoods(seen, draw, home=name == "I3-HomeProb").argmax(axis=1)


def guessed_traces(name: str, seen: SeenTraces, draw: np.random.RandomState) -> Ints:
    """Return the region that an attack names for every user and time."""
    users, times = seen.users, seen.reference.shape[1]
    if name == "T1-rand":
        return (draw.random_sample(users * times) * GRID.count).astype(np.int64).reshape(users, times) + 1
    if name == "replay":
        return seen.reference
    if name == "assignment":
        owners = assign(-trace_likelihoods(seen, GRID)).columns
        return likely_members(seen, owners, GRID)
    return drawn_members(seen, likelihoods(seen, draw, home=name == "T3-HomeProb"), GRID, draw)


IDENTITY_ATTACKS = ("I1-rand", "I2-VisitProb", "I3-HomeProb", "assignment")
TRACE_ATTACKS = ("T1-rand", "T2-VisitProb", "T3-HomeProb", "replay", "assignment")
