"""How a method changes values, as everybody knows who has its parameters: the probability of what is published.

A method that changes values declares its `Channel`: for every column it changes, how likely each published value is for
each original one. Attacks weigh subjects by it. All values are codes of the column; ``log_likelihood`` takes arrays of
original and published codes that broadcast against each other.

>>> round(float(np.exp(Replaced(truth=0.7, others=3).log_likelihood(np.array([1]), np.array([2]))[0])), 3)
0.1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from tokumei.array_types import Floats, Ints

# What a channel cannot do weighs so much: a single cell that something else changed does not clear the owner.
IMPOSSIBLE = -30.0


class ColumnChannel(Protocol):
    """How the values of one column are changed."""

    def log_likelihood(self, original: Ints, published: Ints) -> Floats:
        """Return the logarithm of the probability of the published codes given the original ones."""


@dataclass(frozen=True, slots=True)
class Unchanged:
    """Values stay as they are."""

    def log_likelihood(self, original: Ints, published: Ints) -> Floats:
        """Return 0 where both are equal."""
        return np.where(original == published, 0.0, IMPOSSIBLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noisy:
    """Discrete Laplace noise: z with probability proportional to exp(-|z| / scale), then kept within low and high."""

    scale: float
    low: int
    high: int

    def log_likelihood(self, original: Ints, published: Ints) -> Floats:
        """Return the probability (1 - q) / (1 + q) q^|z| with q = exp(-1 / scale); at a limit that of all beyond it.

        The mass beyond a limit at distance d is q^d / (1 + q) (Ghosh, Roughgarden and Sundararajan 2009, section 2).
        """
        q = np.exp(-1.0 / self.scale)
        away = np.abs(published.astype(np.float64) - original) / self.scale
        limited = (published <= self.low) | (published >= self.high)
        return np.where(limited, 0.0, np.log1p(-q)) - np.log1p(q) - away


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """A category stays with probability ``truth``, else it becomes one of the ``others``, all equally likely."""

    truth: float
    others: int

    def log_likelihood(self, original: Ints, published: Ints) -> Floats:
        """Return the probability of the truth, or of one of the others."""
        lie = max((1.0 - self.truth) / max(self.others, 1), 1e-300)
        return np.where(original == published, float(np.log(self.truth)), float(np.log(lie)))


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Swapped:
    """A share of the values changes places with values fewer than ``width`` ranks away; ``values`` is the column."""

    share: float
    width: int
    values: Ints

    def log_likelihood(self, original: Ints, published: Ints) -> Floats:
        """Return the probability: a value that moved is one of those within the width, all equally likely."""
        sorted_values = np.sort(self.values)
        middle = (np.searchsorted(sorted_values, original) + np.searchsorted(sorted_values, original, "right")) // 2
        start = np.searchsorted(sorted_values, published)
        end = np.searchsorted(sorted_values, published, "right")
        within = np.minimum(end, middle + self.width) - np.maximum(start, middle - self.width)
        reach = np.minimum(2 * self.width, len(sorted_values))
        moved = np.maximum(within, 0) / max(float(reach), 1.0)
        probability = (1.0 - self.share) * (original == published) + self.share * moved
        return np.log(np.maximum(probability, np.exp(IMPOSSIBLE)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounded:
    """Values become multiples of a base: the nearest, the one below, or one of both by chance (unbiased)."""

    base: int
    style: str

    def log_likelihood(self, original: Ints, published: Ints) -> Floats:
        """Return the probability of the published multiple."""
        lower, rest = np.divmod(original, self.base)
        if self.style == "random":
            up = rest / self.base
        else:
            up = ((2 * rest >= self.base) & (self.style == "nearest")).astype(np.float64)
        probability = np.where(published == lower * self.base, 1.0 - up, 0.0)
        probability = probability + np.where(published == (lower + 1) * self.base, up, 0.0)
        return np.log(np.maximum(probability, np.exp(IMPOSSIBLE)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited:
    """Values beyond a limit become the limit; None: there is none."""

    low: int | None = None
    high: int | None = None

    def log_likelihood(self, original: Ints, published: Ints) -> Floats:
        """Return 0 where the published value is the original one within the limits."""
        coded = original if self.low is None else np.maximum(original, self.low)
        coded = coded if self.high is None else np.minimum(coded, self.high)
        return np.where(coded == published, 0.0, IMPOSSIBLE)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Channel:
    """How a method changes records: by column (others stay as they are), and which share of the records it keeps.

    ``kept`` is the probability that a record is published; None: nothing is known of it.
    """

    columns: Mapping[str, ColumnChannel] = field(default_factory=dict)
    kept: float | None = 1.0
