"""Sample methods A1-A5 and attacks I1-I3, T1-T3 of PWS Cup 2019, draw by draw, and one of our own each (spec 4).

The official programs draw from numpy's legacy generator under seed 1. Our own: ``histories`` publishes one trace for a
whole group of people, so that no attack tells them apart; ``assignment`` uses every time of the reference trace and
gives every pseudonym another user.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import lambertw

from tokumei.array_types import Floats, Ints
from tokumei.contests.pws2019.traces import GRID, HIDDEN, HOSPITALS, SLOTS_PER_DAY, Cells
from tokumei.data import assign
from tokumei.parts import Part, parameter

UNSEEN = 1e-8
USED_SHARE = 0.1
MOST_MEMBERS = 10
HOME_SLOTS = 2


@dataclass(frozen=True, kw_only=True)
class RegionMethod(Part):
    """A sample method: the texts of all cells from the true regions (users in rows)."""

    def cells(self, true: Ints, draw: np.random.RandomState) -> list[str]:
        """Return the cells in the order of users and times."""
        return [str(region) for region in self.regions(true, draw).ravel().tolist()]

    def regions(self, true: Ints, draw: np.random.RandomState) -> Ints:
        """Return a region for every cell."""
        del draw
        return true


@dataclass(frozen=True, kw_only=True)
class NoMethod(RegionMethod):
    """A1: nothing."""

    name: ClassVar[str] = "A1-none"


@dataclass(frozen=True, kw_only=True)
class Blocks(RegionMethod):
    """A2, MRLH: hides a cell with probability ``hide``, else names all regions of its block."""

    name: ClassVar[str] = "A2-MRLH"
    bits_x: int = parameter(2, "bits of the column that are dropped", low=0, high=5)
    bits_y: int = parameter(2, "bits of the row that are dropped", low=0, high=5)
    hide: float = parameter(0.5, "the probability that a cell is hidden", low=0, high=1)

    def cells(self, true: Ints, draw: np.random.RandomState) -> list[str]:
        """Return blocks and stars."""
        every = np.arange(1, GRID.count + 1)
        row, column = GRID.places(every)
        block = (row >> self.bits_y) * GRID.side + (column >> self.bits_x)
        texts = {number: " ".join(map(str, every[block == number].tolist())) for number in np.unique(block).tolist()}
        flat = true.ravel()
        hidden = draw.random_sample(len(flat)) < self.hide
        own = block[flat - 1].tolist()
        return [HIDDEN if star else texts[number] for star, number in zip(hidden.tolist(), own, strict=True)]


@dataclass(frozen=True, kw_only=True)
class RandomizedRegions(RegionMethod):
    """A3, k-ary randomized response over all regions."""

    name: ClassVar[str] = "A3-kRR"
    epsilon: float = parameter(0.1, "the privacy budget of a cell", low=0)

    def regions(self, true: Ints, draw: np.random.RandomState) -> Ints:
        """Return true or other regions; one draw decides both."""
        total = GRID.count - 1 + np.exp(self.epsilon)
        keep, other = np.exp(self.epsilon) / total, 1 / total
        drawn = draw.random_sample(true.size).reshape(true.shape)
        shift = ((drawn - keep) / other).astype(np.int64)
        return np.where(drawn < keep, true, shift + (shift >= true - 1) + 1)


@dataclass(frozen=True, kw_only=True)
class PlanarLaplace(RegionMethod):
    """A4, planar Laplace noise: l-privacy within r km."""

    name: ClassVar[str] = "A4-PL"
    level: float = parameter(0.1, "l, the privacy level", low=1e-9)
    radius: float = parameter(1.0, "r, the kilometres within which it holds", low=1e-9)

    def regions(self, true: Ints, draw: np.random.RandomState) -> Ints:
        """Return the regions of the moved centres: angle, then radius by the inverse of its distribution."""
        drawn = draw.random_sample(2 * true.size).reshape(-1, 2)
        angle = (drawn[:, 0] * 2 * np.pi).reshape(true.shape)
        branch = lambertw((drawn[:, 1] - 1) / math.e, -1).real.reshape(true.shape)
        length = -1 / (self.level / self.radius) * (branch + 1)
        row, column = GRID.places(true)
        latitudes, longitudes = GRID.centres
        north = latitudes[row] + length * np.sin(angle) / GRID.km_north
        return GRID.region_at(north, longitudes[column] + length * np.cos(angle) / GRID.km_east)


@dataclass(frozen=True, kw_only=True)
class SwappedTraces(RegionMethod):
    """A5, Yamaoka anonymization: whole traces are permuted among the first users."""

    name: ClassVar[str] = "A5-YA"
    share: float = parameter(1.0, "the share of users, from the first on", low=0, high=1)

    def regions(self, true: Ints, draw: np.random.RandomState) -> Ints:
        """Return the traces with some users permuted."""
        order = np.arange(int(len(true) * self.share))
        draw.shuffle(order)
        moved = true.copy()
        moved[order] = true[: len(order)]
        return moved


@dataclass(frozen=True, kw_only=True)
class SharedHistories(RegionMethod):
    """Ours: one trace per group of at least k people with similar traces; nobody can tell them apart."""

    name: ClassVar[str] = "histories"
    k: int = parameter(4, "people in a group at least", low=2, high=100)
    utility: float = parameter(0.701, "the utility to keep; groups beyond it keep their own traces", low=0, high=1)
    hide_hospitals: bool = parameter(False, "hide cells whose true region is a hospital (against trace inference)")

    def cells(self, true: Ints, draw: np.random.RandomState) -> list[str]:
        """Return the traces, with stars where hospitals are hidden."""
        flat = super().cells(true, draw)
        if self.hide_hospitals:
            for cell in np.flatnonzero(np.isin(true.ravel(), HOSPITALS)).tolist():
                flat[cell] = HIDDEN
        return flat

    def regions(self, true: Ints, draw: np.random.RandomState) -> Ints:
        """Return for every group, time by time, the member's region with the least loss for all."""
        left, made = list(range(len(true))), []
        draw.shuffle(left)
        while left:
            loss = GRID.losses(true[left[0]][None, :], true[left]).mean(axis=1)
            size = self.k if len(left) >= 2 * self.k else len(left)
            group = [left[place] for place in np.argsort(loss, kind="stable")[:size].tolist()]
            own = true[group]
            costs = np.stack([GRID.losses(row[None, :], own).sum(axis=0) for row in own])
            made.append((float(costs.min(axis=0).sum()) / own.shape[1], group, costs.argmin(axis=0)))
            chosen = set(group)
            left = [user for user in left if user not in chosen]
        shared, spent = true.copy(), 0.0
        if self.hide_hospitals:
            spent = float(np.isin(true, HOSPITALS).sum()) / true.shape[1]
        for loss_of_all, group, choice in sorted(made, key=lambda one: (one[0] / len(one[1]), one[1])):
            if spent + loss_of_all <= (1 - self.utility) * len(true):
                spent += loss_of_all
                shared[group] = true[group][choice, np.arange(true.shape[1])]
        return shared


METHODS: Mapping[str, type[RegionMethod]] = {
    part.name: part for part in (NoMethod, Blocks, RandomizedRegions, PlanarLaplace, SwappedTraces, SharedHistories)
}


def shuffled_ids(users: int, draw: np.random.RandomState) -> Ints:
    """Return the user (from 0) behind every pseudonym, in the order of pseudonyms."""
    order = np.arange(users)
    draw.shuffle(order)
    return np.argsort(order)


@dataclass(frozen=True, eq=False, slots=True)
class Published:
    """What an attacker sees: reference traces, and the published cells of every pseudonym (times in order)."""

    reference: Ints
    cells: Cells

    @property
    def users(self) -> int:
        """The number of users and of pseudonyms."""
        return len(self.reference)


def visits(reference: Ints) -> Floats:
    """Return the share of times that every user spent in every region; unseen ones have almost none."""
    users, times = reference.shape
    counts = np.zeros((users, GRID.count + 1))
    np.add.at(counts, (np.repeat(np.arange(users), times), reference.ravel()), 1)
    return np.where(counts == 0, UNSEEN, counts / times)


def likelihoods(seen: Published, draw: np.random.RandomState, *, home: bool) -> Floats:
    """Return the log likelihoods of I2 and T2 (home: I3 and T3) for every pseudonym and user.

    Every published cell is drawn for or, at home, taken if it is one of the first slots of a day.
    """
    times = seen.reference.shape[1]
    first = np.arange(times) % SLOTS_PER_DAY < HOME_SLOTS
    chances = visits(seen.reference[:, first] if home else seen.reference)
    members, hidden = seen.cells.member_lists(), seen.cells.hidden
    scores = np.zeros((seen.users, seen.users))
    for cell, region_set in enumerate(members):
        used = first[cell % times] if home else draw.random_sample() < USED_SHARE
        if used and not hidden[cell]:
            own = region_set.copy()
            if len(own) > 1:
                draw.shuffle(own)
            own = own[:MOST_MEMBERS]
            # Added one after another as there: rounding decides between users who are equally likely.
            scores[cell // times] += np.log(np.add.accumulate(chances[:, own] / len(own), axis=1)[:, -1])
    return scores


def guessed_users(name: str, seen: Published, draw: np.random.RandomState) -> Ints:
    """Return the user (from 0) that an attack names for every pseudonym."""
    if name == "I1-rand":
        order = np.arange(seen.users)
        draw.shuffle(order)
        return order
    if name == "assignment":
        return assign(-_all_times(seen)).columns
    return likelihoods(seen, draw, home=name == "I3-HomeProb").argmax(axis=1)


def guessed_traces(name: str, seen: Published, draw: np.random.RandomState) -> Ints:
    """Return the region that an attack names for every user and time."""
    users, times = seen.users, seen.reference.shape[1]
    if name == "T1-rand":
        return (draw.random_sample(users * times) * GRID.count).astype(np.int64).reshape(users, times) + 1
    if name == "replay":
        return seen.reference
    if name == "assignment":
        owners = assign(-_all_times(seen)).columns
        return _likely_members(seen, owners)
    scores = likelihoods(seen, draw, home=name == "T3-HomeProb")
    answers = np.zeros((users, times), dtype=np.int64)
    everywhere = np.arange(1, GRID.count + 1)
    members, hidden = seen.cells.member_lists(), seen.cells.hidden
    owners = np.zeros(users, dtype=np.int64)
    for pseudonym in range(users):
        owners[pseudonym] = scores[pseudonym].argmax()
        scores[:, owners[pseudonym]] = -np.inf
    for cell, own in enumerate(members):
        choice = everywhere.copy() if hidden[cell] else own.copy()
        if len(choice) > 1:
            draw.shuffle(choice)
        answers[owners[cell // times], cell % times] = choice[0]
    return answers


def _all_times(seen: Published) -> Floats:
    """Return log likelihoods of whole traces: near regions of the reference at near times of the day count too."""
    users, times = seen.reference.shape
    chances = np.log(_smooth(seen.reference))
    scores = np.zeros((users, users))
    weights = 1 / np.maximum(seen.cells.counts, 1)
    for pseudonym in range(users):
        own = (seen.cells.rows >= pseudonym * times) & (seen.cells.rows < (pseudonym + 1) * times)
        scores[pseudonym] = chances[:, seen.cells.members[own]] @ weights[seen.cells.rows[own]]
    return scores


def _smooth(reference: Ints) -> Floats:
    """Return visits spread over the neighbouring regions."""
    every = np.arange(1, GRID.count + 1)
    near = 1 - GRID.losses(every[:, None], every[None, :])
    kernel = near**4 / (near**4).sum(axis=1, keepdims=True)
    spread = visits(reference)[:, 1:] @ kernel + 0.02 / GRID.count
    return np.concatenate([np.ones((len(reference), 1)), spread / spread.sum(axis=1, keepdims=True)], axis=1)


def _likely_members(seen: Published, owners: Ints) -> Ints:
    """Return the likeliest published member at every time, and the reference where the cell is hidden."""
    times = seen.reference.shape[1]
    answers = seen.reference.copy()
    chances = _smooth(seen.reference)
    for cell, own in enumerate(seen.cells.member_lists()):
        if len(own):
            user = owners[cell // times]
            answers[user, cell % times] = own[chances[user, own].argmax()]
    return answers


IDENTITY_ATTACKS = ("I1-rand", "I2-VisitProb", "I3-HomeProb", "assignment")
TRACE_ATTACKS = ("T1-rand", "T2-VisitProb", "T3-HomeProb", "replay", "assignment")
