"""The sample method and attack of PWS Cup 2023, and our own (later contests, spec 5).

``rand`` and ``sort`` follow Ruby's generator draw by draw. ``neighbours`` gives every row the public cells of a random
row that differs in a few of them: as many rows could be the true one. ``vote`` asks all rows of B that could be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints
from tokumei.contests.pws2023.tables import SECRET_COLUMNS, STAR, VALUES
from tokumei.contests.ruby_random import RubyRandom
from tokumei.parts import Part, parameter


@dataclass(frozen=True, kw_only=True)
class RandomCells(Part):
    """The official sample: every tenth cell or so is replaced by one of 0 to 9 and ``*``."""

    name: ClassVar[str] = "rand"

    def anonymize(self, table: Ints, seed: int) -> Ints:
        """Return A from O = P|R, by Ruby's draws."""
        draw, made = RubyRandom(seed), table.copy().ravel()
        for cell in range(made.size):
            if draw.rand(10) == 0:
                made[cell] = draw.rand(STAR + 1)
        return made.reshape(table.shape)


@dataclass(frozen=True, kw_only=True)
class Neighbours(Part):
    """Ours: the public cells of every row come from a random row that differs in at most so many of them."""

    name: ClassVar[str] = "neighbours"
    differing: int = parameter(3, "public cells that may differ", low=1, high=8)
    tries: int = parameter(20_000, "rows that are tried; the nearest of them is taken if none fits", low=1)

    def anonymize(self, table: Ints, seed: int) -> Ints:
        """Return A: R unchanged beside the public cells of another row."""
        made = table.copy()
        width = table.shape[1] - SECRET_COLUMNS
        public = np.ascontiguousarray(table[:, :width])
        made[:, :width] = public[_neighbours(public, self.differing, min(self.tries, 50 * len(table)), seed)]
        return made


@njit(cache=True)
def _neighbours(public: Ints, differing: int, tries: int, seed: int) -> Ints:
    """Return for every row another one, drawn until it differs in at most so many cells, else the nearest drawn."""
    np.random.seed(seed)  # noqa: NPY002 the generator of the compiled code, not numpy's
    rows, width = public.shape
    chosen = np.arange(rows)
    for row in range(rows):
        least = width + 1
        for _ in range(tries):
            other = np.random.randint(rows)  # noqa: NPY002
            count = 0
            for column in range(width):
                count += public[row, column] != public[other, column]
            if other != row and count < least:
                least, chosen[row] = count, other
                if count <= differing:
                    break
    return chosen


@dataclass(frozen=True, kw_only=True)
class SortAttack(Part):
    """The official sample: the rows of P and of B are matched by their rank; ``*`` is drawn."""

    name: ClassVar[str] = "sort"

    def answers(self, public: Ints, published: Ints, seed: int) -> Ints:
        """Return F."""
        rank = np.empty(len(public), dtype=np.int64)
        rank[np.lexsort(public.T[::-1])] = np.arange(len(public))
        found = published[rank, -SECRET_COLUMNS:]
        stars = found == STAR
        found[stars] = RubyRandom(seed).draws(int(stars.sum()), VALUES)
        return found


@dataclass(frozen=True, kw_only=True)
class VoteAttack(Part):
    """Ours: all rows of B vote on every secret cell, each by how well its public cells fit."""

    name: ClassVar[str] = "vote"
    kept: float = parameter(0.6, "the share of public cells that are supposed to be unchanged", low=0.05, high=0.999)
    radius: int = parameter(0, "rows that differ in at most so many public cells vote alike (0: by fit)", low=0, high=8)

    def answers(self, public: Ints, published: Ints, seed: int) -> Ints:
        """Return F; equal votes go to the smaller digit."""
        del seed
        width = public.shape[1]
        usual = np.bincount(public.ravel(), minlength=VALUES) / public.size
        gain = np.log((self.kept + (1 - self.kept) * usual) / ((1 - self.kept) * usual))
        seen = np.ascontiguousarray(published[:, :width])
        secret = np.ascontiguousarray(published[:, width:])
        return _votes(np.ascontiguousarray(public), seen, secret, np.append(gain, 0.0), self.radius)


@njit(cache=True)
def _votes(public: Ints, seen: Ints, secret: Ints, gain: Floats, radius: int) -> Ints:
    """Return the digits with most votes; a row within the radius outweighs all others."""
    answers = np.zeros((len(public), secret.shape[1]), dtype=np.int64)
    votes = np.zeros((secret.shape[1], 11))
    fits = np.zeros(len(seen))
    for row in range(len(public)):
        for other in range(len(seen)):
            total = 0.0
            differing = 0
            for column in range(public.shape[1]):
                if public[row, column] == seen[other, column]:
                    total += gain[public[row, column]]
                else:
                    differing += 1
            fits[other] = 1000.0 if radius > 0 and differing <= radius else total
        most = fits.max()
        votes[:] = 0.0
        for other in range(len(seen)):
            # What is a thousand times less likely than the best does not decide.
            if fits[other] > most - 7.0:
                weight = np.exp(fits[other] - most)
                for column in range(secret.shape[1]):
                    votes[column, secret[other, column]] += weight
        for column in range(secret.shape[1]):
            answers[row, column] = votes[column, :10].argmax()
    return answers


METHODS: Mapping[str, type[RandomCells | Neighbours]] = {part.name: part for part in (RandomCells, Neighbours)}
ATTACKS: Mapping[str, type[SortAttack | VoteAttack]] = {part.name: part for part in (SortAttack, VoteAttack)}
