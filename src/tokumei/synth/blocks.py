"""What all synthetic generators share: subjects come in blocks, and every block has a random generator of its own.

A block's generator is derived from the seed and the block's number alone, so that a block is the same whatever was
made before it, and the first thousand subjects are the same however many follow. What all subjects share (a shop, a
town) has a generator derived from the seed in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.errors import ParameterError

BLOCK_SUBJECTS = 1000
_WORLD, _BLOCKS = 0, 1


@dataclass(frozen=True, slots=True)
class Block:
    """A run of subjects, numbered from ``first``, and the randomness that is theirs alone."""

    first: int
    size: int
    rng: np.random.Generator

    @property
    def numbers(self) -> Ints:
        """The numbers of the subjects, counted from zero over all blocks."""
        return np.arange(self.first, self.first + self.size, dtype=np.int64)


def resolve_seed(seed: int | None) -> int:
    """Return the seed, or one from the operating system's entropy if none is given."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if seed < 0:
        raise ParameterError(f"seed must be 0 or more, got {seed}")
    return seed


def blocks(subjects: int, seed: int) -> Iterator[Block]:
    """Cut the subjects into blocks, each with a generator made of the seed and its position."""
    if subjects < 1:
        raise ParameterError(f"subjects must be 1 or more, got {subjects}")
    for index, first in enumerate(range(0, subjects, BLOCK_SUBJECTS)):
        source = np.random.SeedSequence(seed, spawn_key=(_BLOCKS, index))
        yield Block(first, min(BLOCK_SUBJECTS, subjects - first), np.random.default_rng(source))


def world_rng(seed: int) -> np.random.Generator:
    """Return the generator of what all subjects share."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_WORLD,)))


def stratified(rng: np.random.Generator, size: int) -> Floats:
    """Return uniform numbers in random order, exactly one in each of ``size`` equal parts of (0, 1).

    A heavy-tailed quantity drawn this way has its tail in every block instead of in some of them.
    """
    return (rng.permutation(size) + rng.uniform(0.0, 1.0, size)) / size


def draw(uniforms: Floats, weights: npt.ArrayLike) -> Ints:
    """Return the position that each uniform number falls on when positions have these weights.

    >>> draw(np.array([0.1, 0.5, 0.9]), [1, 0, 3]).tolist()
    [0, 2, 2]
    """
    cumulative = np.cumsum(np.asarray(weights, dtype=np.float64))
    found = np.searchsorted(cumulative, uniforms * cumulative[-1], side="right")
    return np.minimum(found, len(cumulative) - 1).astype(np.int64)


def categories(names: tuple[str, ...], codes: Ints) -> pl.Series:
    """Return the text of category codes."""
    return pl.Series(names, dtype=pl.String)[codes]
