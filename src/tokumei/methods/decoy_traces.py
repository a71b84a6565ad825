"""Traces of regions that resemble another person's: as many of their cells move as the utility allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import RegionGrid, assign
from tokumei.methods.region_traces import RegionMethod
from tokumei.parts import parameter

# How wide habits are spread over the neighbourhood, in kilometres, and how much of them is anywhere.
WIDTH, ANYWHERE = 0.28, 0.02
HALVINGS = 16
# What the habits of the hour count beside those of the whole day.
SHARE = 0.7


@dataclass(frozen=True, kw_only=True)
class DecoyTraces(RegionMethod):
    """Every trace is drawn towards the habits of another person, its decoy, and away from its own.

    A cell moves to the region that speaks most for the decoy and least for its owner, less a price per kilometre;
    the one price for all cells is the least that keeps the utility. Decoys are drawn: near people are likelier.
    """

    name: ClassVar[str] = "region-decoys"
    utility: float = parameter(0.701, "the utility to keep", low=0, high=1)
    spread: float = parameter(0.5, "how freely decoys are drawn: 0 takes those that cost least", low=0, high=100)
    slots: int = parameter(20, "times of a day", low=1)
    hour: int = parameter(2, "neighbouring times of a day that share habits of their own", low=1)

    def regions(self, true: Ints, grid: RegionGrid, draw: np.random.RandomState) -> Ints:
        """Return the moved traces."""
        every = np.arange(1, grid.count + 1)
        losses = grid.losses(every[:, None], every[None, :])
        hours = np.arange(true.shape[1]) % self.slots // self.hour
        logs, decoys = self._speaking(true, hours, grid, draw)
        # A price so high that nothing moves, then the least one that is paid.
        low, high = 0.0, 1000.0
        moved = true.copy()
        for _ in range(HALVINGS):
            price = (low + high) / 2
            made = _drawn(true, hours, logs, decoys, losses, price=price)
            if 1 - losses[true - 1, made - 1].mean() >= self.utility:
                high, moved = price, made
            else:
                low = price
        return moved

    def _speaking(self, true: Ints, hours: Ints, grid: RegionGrid, draw: np.random.RandomState) -> tuple[Floats, Ints]:
        """Return how much every region speaks for everybody at every hour, and the decoys."""
        every = np.arange(1, grid.count + 1)
        kernel = np.exp(-((grid.distances(every[:, None], every[None, :]) / WIDTH) ** 2))
        kernel /= kernel.sum(axis=1, keepdims=True)
        whole = _habits(true, kernel)
        costs = -(whole @ np.log(whole).T) + self.spread * draw.gumbel(size=(len(true), len(true)))
        np.fill_diagonal(costs, costs.max() + 1e6)
        logs = [
            np.log((1 - SHARE) * whole + SHARE * _habits(true[:, hours == hour], kernel))
            for hour in range(hours.max() + 1)
        ]
        return np.stack(logs), assign(costs).columns


def _habits(true: Ints, kernel: Floats) -> Floats:
    """Return the share of every region in everybody's time, spread over the neighbourhood."""
    users, times = true.shape
    counts = np.zeros((users, len(kernel)))
    np.add.at(counts, (np.repeat(np.arange(users), times), true.ravel() - 1), 1 / times)
    spread = counts @ kernel + ANYWHERE / len(kernel)
    return spread / spread.sum(axis=1, keepdims=True)


def _drawn(true: Ints, hours: Ints, logs: Floats, decoys: Ints, losses: Floats, *, price: float) -> Ints:
    """Return where every cell goes at a price."""
    made = np.empty_like(true)
    for hour, own in enumerate(logs):
        chosen = hours == hour
        for user, decoy in enumerate(decoys.tolist()):
            seen, where = np.unique(true[user, chosen], return_inverse=True)
            best = (own[decoy] - own[user] - price * losses[seen - 1]).argmax(axis=1) + 1
            made[user, chosen] = best[where]
    return made
