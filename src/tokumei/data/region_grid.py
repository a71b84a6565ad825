"""A square grid of numbered regions on the map, and what it costs to name another region than the true one.

Identifiers are side * y + x + 1 from the south-west. Identifiers that are no regions are computed with as Python's
arithmetic and indices let them, as programs do that check nothing; `RegionGrid.outside` says which ones would end
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tokumei.array_types import Bools, Floats, Ints

HIDDEN_REGION = "*"


@dataclass(frozen=True, kw_only=True)
class RegionGrid:
    """A grid of so many regions a side between degrees; a degree has so many kilometres, ``far`` loses everything.

    ``sensitive`` regions (hospitals) tell more than others.
    """

    side: int
    south: float
    north: float
    west: float
    east: float
    km_north: float
    km_east: float
    far: float
    sensitive: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """The number of regions."""
        return self.side * self.side

    @cached_property
    def centres(self) -> tuple[Floats, Floats]:
        """The latitudes of all rows and the longitudes of all columns."""
        height, width = self._steps
        steps: Floats = np.arange(self.side, dtype=np.float64)
        return self.south + height * steps + height / 2, self.west + width * steps + width / 2

    @property
    def _steps(self) -> tuple[float, float]:
        return (self.north - self.south) / self.side, (self.east - self.west) / self.side

    def places(self, regions: Ints) -> tuple[Ints, Ints]:
        """Return row and column of identifiers, computed for any number."""
        counted = regions - 1
        return np.trunc(counted / self.side).astype(np.int64), counted % self.side

    def outside(self, regions: Ints) -> Bools:
        """Return which identifiers end a program that checks nothing with an IndexError."""
        row, _column = self.places(regions)
        return (row >= self.side) | (row < -self.side)

    def distances(self, true: Ints, other: Ints) -> Floats:
        """Return the kilometres between the centres of regions, pair by pair."""
        (row, column), (other_row, other_column) = self.places(true), self.places(other)
        latitudes, longitudes = self.centres
        north = (latitudes[row] - latitudes[other_row]) * self.km_north
        east = (longitudes[column] - longitudes[other_column]) * self.km_east
        return np.sqrt(north**2 + east**2)

    def losses(self, true: Ints, other: Ints) -> Floats:
        """Return the loss of naming another region: its distance over what is far, at most 1."""
        return np.minimum(self.distances(true, other) / self.far, 1.0)

    def region_at(self, latitudes: Floats, longitudes: Floats) -> Ints:
        """Return the region of coordinates; what is outside counts to the border."""
        height, width = self._steps
        row = np.clip(np.trunc((latitudes - self.south) / height), 0, self.side - 1)
        column = np.clip(np.trunc((longitudes - self.west) / width), 0, self.side - 1)
        return (row * self.side + column + 1).astype(np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class RegionCells:
    """Published cells: all their members one after another, the row of each, and which rows are hidden."""

    members: Ints
    rows: Ints
    counts: Ints
    hidden: Bools

    def member_lists(self) -> list[Ints]:
        """Return the members of every row."""
        return np.split(self.members, np.cumsum(self.counts)[:-1])
