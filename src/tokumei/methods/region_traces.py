"""Methods for traces of numbered regions on a grid: blocks, randomized response, planar noise, swaps, shared traces.

A published cell is a region, several ones separated by blanks, or a star. Draws come from numpy's legacy generator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import lambertw

from tokumei.array_types import Ints
from tokumei.data import HIDDEN_REGION, RegionGrid
from tokumei.parts import Part, parameter


@dataclass(frozen=True, kw_only=True)
class RegionMethod(Part):
    """A method for traces of regions: the texts of all cells from the true regions (users in rows)."""

    def cells(self, true: Ints, grid: RegionGrid, draw: np.random.RandomState) -> list[str]:
        """Return the cells in the order of users and times."""
        return [str(region) for region in self.regions(true, grid, draw).ravel().tolist()]

    def regions(self, true: Ints, grid: RegionGrid, draw: np.random.RandomState) -> Ints:
        """Return a region for every cell."""
        del grid, draw
        return true


@dataclass(frozen=True, kw_only=True)
class NoMethod(RegionMethod):
    """Nothing is changed."""

    name: ClassVar[str] = "region-none"


@dataclass(frozen=True, kw_only=True)
class Blocks(RegionMethod):
    """MRLH: hides a cell with probability ``hide``, else names all regions of its block."""

    name: ClassVar[str] = "region-blocks"
    bits_x: int = parameter(2, "bits of the column that are dropped", low=0, high=5)
    bits_y: int = parameter(2, "bits of the row that are dropped", low=0, high=5)
    hide: float = parameter(0.5, "the probability that a cell is hidden", low=0, high=1)

    def cells(self, true: Ints, grid: RegionGrid, draw: np.random.RandomState) -> list[str]:
        """Return blocks and stars."""
        every = np.arange(1, grid.count + 1)
        row, column = grid.places(every)
        block = (row >> self.bits_y) * grid.side + (column >> self.bits_x)
        texts = {number: " ".join(map(str, every[block == number].tolist())) for number in np.unique(block).tolist()}
        flat = true.ravel()
        hidden = draw.random_sample(len(flat)) < self.hide
        own = block[flat - 1].tolist()
        return [HIDDEN_REGION if star else texts[number] for star, number in zip(hidden.tolist(), own, strict=True)]


@dataclass(frozen=True, kw_only=True)
class RandomizedRegions(RegionMethod):
    """K-ary randomized response over all regions."""

    name: ClassVar[str] = "region-response"
    epsilon: float = parameter(0.1, "the privacy budget of a cell", low=0)

    def regions(self, true: Ints, grid: RegionGrid, draw: np.random.RandomState) -> Ints:
        """Return true or other regions; one draw decides both."""
        total = grid.count - 1 + np.exp(self.epsilon)
        keep, other = np.exp(self.epsilon) / total, 1 / total
        drawn = draw.random_sample(true.size).reshape(true.shape)
        shift = ((drawn - keep) / other).astype(np.int64)
        return np.where(drawn < keep, true, shift + (shift >= true - 1) + 1)


@dataclass(frozen=True, kw_only=True)
class PlanarLaplace(RegionMethod):
    """Planar Laplace noise: l-privacy within r km."""

    name: ClassVar[str] = "region-laplace"
    level: float = parameter(0.1, "l, the privacy level", low=1e-9)
    radius: float = parameter(1.0, "r, the kilometres within which it holds", low=1e-9)

    def regions(self, true: Ints, grid: RegionGrid, draw: np.random.RandomState) -> Ints:
        """Return the regions of the moved centres: angle, then radius by the inverse of its distribution."""
        drawn = draw.random_sample(2 * true.size).reshape(-1, 2)
        angle = (drawn[:, 0] * 2 * np.pi).reshape(true.shape)
        branch = lambertw((drawn[:, 1] - 1) / math.e, -1).real.reshape(true.shape)
        length = -1 / (self.level / self.radius) * (branch + 1)
        row, column = grid.places(true)
        latitudes, longitudes = grid.centres
        north = latitudes[row] + length * np.sin(angle) / grid.km_north
        return grid.region_at(north, longitudes[column] + length * np.cos(angle) / grid.km_east)


@dataclass(frozen=True, kw_only=True)
class SwappedTraces(RegionMethod):
    """Yamaoka anonymization: whole traces are permuted among the first users."""

    name: ClassVar[str] = "region-swap"
    share: float = parameter(1.0, "the share of users, from the first on", low=0, high=1)

    def regions(self, true: Ints, grid: RegionGrid, draw: np.random.RandomState) -> Ints:
        """Return the traces with some users permuted."""
        del grid
        order = np.arange(int(len(true) * self.share))
        draw.shuffle(order)
        moved = true.copy()
        moved[order] = true[: len(order)]
        return moved


@dataclass(frozen=True, kw_only=True)
class SharedHistories(RegionMethod):
    """One trace per group of at least k people with similar traces; nobody can tell them apart."""

    name: ClassVar[str] = "region-histories"
    k: int = parameter(4, "people in a group at least", low=2, high=100)
    utility: float = parameter(0.701, "the utility to keep; groups beyond it keep their own traces", low=0, high=1)
    hide_sensitive: bool = parameter(False, "hide cells whose true region is a sensitive one (against trace inference)")

    def cells(self, true: Ints, grid: RegionGrid, draw: np.random.RandomState) -> list[str]:
        """Return the traces, with stars where sensitive regions are hidden."""
        flat = super().cells(true, grid, draw)
        if self.hide_sensitive:
            for cell in np.flatnonzero(np.isin(true.ravel(), grid.sensitive)).tolist():
                flat[cell] = HIDDEN_REGION
        return flat

    def regions(self, true: Ints, grid: RegionGrid, draw: np.random.RandomState) -> Ints:
        """Return for every group, time by time, the member's region with the least loss for all."""
        left, made = list(range(len(true))), []
        draw.shuffle(left)
        while left:
            loss = grid.losses(true[left[0]][None, :], true[left]).mean(axis=1)
            size = self.k if len(left) >= 2 * self.k else len(left)
            group = [left[place] for place in np.argsort(loss, kind="stable")[:size].tolist()]
            own = true[group]
            costs = np.stack([grid.losses(row[None, :], own).sum(axis=0) for row in own])
            made.append((float(costs.min(axis=0).sum()) / own.shape[1], group, costs.argmin(axis=0)))
            chosen = set(group)
            left = [user for user in left if user not in chosen]
        shared, spent = true.copy(), 0.0
        if self.hide_sensitive:
            spent = float(np.isin(true, grid.sensitive).sum()) / true.shape[1]
        for loss_of_all, group, choice in sorted(made, key=lambda one: (one[0] / len(one[1]), one[1])):
            if spent + loss_of_all <= (1 - self.utility) * len(true):
                spent += loss_of_all
                shared[group] = true[group][choice, np.arange(true.shape[1])]
        return shared
