"""Whose trace of regions is published: how likely every user is, from where they were before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import RegionCells, RegionGrid

UNSEEN = 1e-8


@dataclass(frozen=True, eq=False, slots=True)
class SeenTraces:
    """What an attacker sees: reference traces, and the published cells of every pseudonym (times in order)."""

    reference: Ints
    cells: RegionCells

    @property
    def users(self) -> int:
        """The number of users and of pseudonyms."""
        return len(self.reference)


def visits(reference: Ints, grid: RegionGrid) -> Floats:
    """Return the share of times that every user spent in every region; unseen ones have almost none."""
    users, times = reference.shape
    counts = np.zeros((users, grid.count + 1))
    np.add.at(counts, (np.repeat(np.arange(users), times), reference.ravel()), 1)
    return np.where(counts == 0, UNSEEN, counts / times)


def trace_likelihoods(seen: SeenTraces, grid: RegionGrid) -> Floats:
    """Return log likelihoods of whole traces: near regions of the reference at near times of the day count too."""
    users, times = seen.reference.shape
    chances = np.log(_smooth(seen.reference, grid))
    scores = np.zeros((users, users))
    weights = 1 / np.maximum(seen.cells.counts, 1)
    for pseudonym in range(users):
        own = (seen.cells.rows >= pseudonym * times) & (seen.cells.rows < (pseudonym + 1) * times)
        scores[pseudonym] = chances[:, seen.cells.members[own]] @ weights[seen.cells.rows[own]]
    return scores


def _smooth(reference: Ints, grid: RegionGrid) -> Floats:
    """Return visits spread over the neighbouring regions."""
    every = np.arange(1, grid.count + 1)
    near = 1 - grid.losses(every[:, None], every[None, :])
    kernel = near**4 / (near**4).sum(axis=1, keepdims=True)
    spread = visits(reference, grid)[:, 1:] @ kernel + 0.02 / grid.count
    return np.concatenate([np.ones((len(reference), 1)), spread / spread.sum(axis=1, keepdims=True)], axis=1)


def likely_members(seen: SeenTraces, owners: Ints, grid: RegionGrid) -> Ints:
    """Return the likeliest published member at every time, and the reference where the cell is hidden."""
    times = seen.reference.shape[1]
    answers = seen.reference.copy()
    chances = _smooth(seen.reference, grid)
    for cell, own in enumerate(seen.cells.member_lists()):
        if len(own):
            user = owners[cell // times]
            answers[user, cell % times] = own[chances[user, own].argmax()]
    return answers
