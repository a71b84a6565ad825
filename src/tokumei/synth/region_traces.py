"""Traces of regions on a square grid without any real person: homes and offices in a few quarters."""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Ints

# Slots of a day, by which people are still at home and are at the office.
HOME_UNTIL, OFFICE_FROM, OFFICE_UNTIL = 2, 4, 16
WANDERING, LOST = 0.25, 0.03


def generate_region_traces(users: int, days: int, rng: np.random.Generator, *, side: int = 32, slots: int = 20) -> Ints:
    """Return the regions of all users (rows) at all slots: home in the morning, the office by day, else between."""
    quarters = rng.integers(0, side, size=(max(users // 12, 3), 2))
    homes, offices = (
        np.clip(quarters[rng.integers(len(quarters), size=users)] + rng.integers(-1, 2, size=(users, 2)), 0, side - 1)
        for _ in range(2)
    )
    slot = np.arange(days * slots) % slots
    at_home, at_office = slot < HOME_UNTIL, (slot >= OFFICE_FROM) & (slot < OFFICE_UNTIL)
    share = np.where(at_home, 1.0, np.where(at_office, 0.0, 0.5))[None, :, None]
    place = np.floor(homes[:, None, :] * share + offices[:, None, :] * (1 - share)).astype(np.int64)
    moved = rng.random(place.shape[:2]) < WANDERING
    place = np.where(moved[:, :, None], place + rng.integers(-2, 3, size=place.shape), place)
    lost = rng.random(place.shape[:2]) < LOST
    place = np.clip(np.where(lost[:, :, None], rng.integers(0, side, size=place.shape), place), 0, side - 1)
    return place[:, :, 0] * side + place[:, :, 1] + 1
