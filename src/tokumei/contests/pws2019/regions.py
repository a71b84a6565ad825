"""The regions of PWS Cup 2019: a grid of 32 x 32 cells, distances between their centres, hospitals (spec 4).

Identifiers are 32y + x + 1 from the south-west. The official programs compute with identifiers that are no regions as
Python's arithmetic and indices let them; `losses` does the same.
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Bools, Floats, Ints

SIDE = 32
REGIONS = SIDE * SIDE
SLOTS_PER_DAY = 20
FAR_KM = 2.0
_LOW_Y, _HIGH_Y, _LOW_X, _HIGH_X = 35.65, 35.75, 139.68, 139.8
HEIGHT, WIDTH = (_HIGH_Y - _LOW_Y) / SIDE, (_HIGH_X - _LOW_X) / SIDE
CENTRE_Y = _LOW_Y + HEIGHT * np.arange(SIDE) + HEIGHT / 2
CENTRE_X = _LOW_X + WIDTH * np.arange(SIDE) + WIDTH / 2
KM_Y, KM_X = 111, 91
_HOSPITALS = """2 43 50 147 150 152 174 183 186 205 237 296 303 326 331 344 358 420 434 449 471 491 497 507 522 535 550
561 628 631 708 771 782 821 871 883 995"""
HOSPITALS = np.array(_HOSPITALS.split(), dtype=np.int64)


def places(regions: Ints) -> tuple[Ints, Ints]:
    """Return row and column of identifiers, as the official programs compute them for any number."""
    counted = regions - 1
    return np.trunc(counted / SIDE).astype(np.int64), counted % SIDE


def outside(regions: Ints) -> Bools:
    """Return which identifiers end the official programs with an IndexError."""
    row, _column = places(regions)
    return (row >= SIDE) | (row < -SIDE)


def distances(true: Ints, other: Ints) -> Floats:
    """Return the kilometres between the centres of regions, pair by pair."""
    (row, column), (other_row, other_column) = places(true), places(other)
    north = (CENTRE_Y[row] - CENTRE_Y[other_row]) * KM_Y
    east = (CENTRE_X[column] - CENTRE_X[other_column]) * KM_X
    return np.sqrt(north**2 + east**2)


def losses(true: Ints, other: Ints) -> Floats:
    """Return the loss of naming another region: its distance over 2 km, at most 1."""
    return np.minimum(distances(true, other) / FAR_KM, 1.0)


def region_at(y: Floats, x: Floats) -> Ints:
    """Return the region of coordinates; what is outside counts to the border."""
    row = np.clip(np.trunc((y - _LOW_Y) / HEIGHT), 0, SIDE - 1)
    column = np.clip(np.trunc((x - _LOW_X) / WIDTH), 0, SIDE - 1)
    return (row * SIDE + column + 1).astype(np.int64)
