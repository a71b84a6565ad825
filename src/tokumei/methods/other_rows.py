"""Other rows in place of given ones, chosen so that counts of values and of pairs, and moments, are about theirs."""

from __future__ import annotations

import numpy as np
from numba import njit

from tokumei.array_types import Floats, Ints


def choose_rows(
    places: Ints, values: Floats, given: Ints, others: Ints, *, tries: int, weight: float, rng: np.random.Generator
) -> Ints:
    """Return as many of the other rows as are given, whose sums of products are as near to theirs as was found.

    Every row is a sparse vector: at ``places`` it has ``values`` (1 for a value of a category, a number itself for a
    number). Random rows are exchanged for others while the squared differences of all sums of products of two entries
    fall; the counts of single values (products with themselves) weigh more by ``weight``. So many exchanges are tried
    per row. At least as many others are needed.
    """
    order = rng.permutation(others)
    chosen, spare = order[: len(given)].copy(), order[len(given) :].copy()
    if len(spare) and len(given):
        tried = np.stack([rng.integers(len(side), size=tries * len(chosen)) for side in (chosen, spare)], axis=1)
        size = int(places.max()) + 1
        lacking = _products(places[given], values[given], size) - _products(places[chosen], values[chosen], size)
        _exchange(places, values, chosen, spare, lacking, tried, weight)
    return chosen


def _products(places: Ints, values: Floats, size: int) -> Floats:
    """Return the sums of products of all pairs of entries."""
    total = np.zeros((size, size))
    for one in range(places.shape[1]):
        for other in range(places.shape[1]):
            np.add.at(total, (places[:, one], places[:, other]), values[:, one] * values[:, other])
    return total


@njit(cache=True)
def _exchange(  # noqa: PLR0917 compiled code takes no names
    places: Ints, values: Floats, chosen: Ints, spare: Ints, lacking: Floats, tried: Ints, weight: float
) -> None:
    """Exchange chosen rows for spare ones wherever that brings the sums nearer."""
    width = places.shape[1]
    for at in range(len(tried)):
        leaves, comes = chosen[tried[at, 0]], spare[tried[at, 1]]
        # |L + xx' - yy'|^2 - |L|^2 = 2 (x'Lx - y'Ly) + |x|^4 + |y|^4 - 2 (x'y)^2, and the same of the diagonal.
        change = 0.0
        shared = 0.0
        lengths = np.zeros(2)
        for side in range(2):
            row = leaves if side == 0 else comes
            sign = 2.0 if side == 0 else -2.0
            for one in range(width):
                place, value = places[row, one], values[row, one]
                lengths[side] += value * value
                change += sign * weight * lacking[place, place] * value * value + weight * value**4
                for other in range(width):
                    change += sign * lacking[place, places[row, other]] * value * values[row, other]
        for one in range(width):
            for other in range(width):
                if places[leaves, one] == places[comes, other]:
                    both = values[leaves, one] * values[comes, other]
                    shared += both
                    change -= 2.0 * weight * both * both
        change += lengths[0] ** 2 + lengths[1] ** 2 - 2.0 * shared * shared
        if change >= 0.0:
            continue
        for one in range(width):
            for other in range(width):
                lacking[places[leaves, one], places[leaves, other]] += values[leaves, one] * values[leaves, other]
                lacking[places[comes, one], places[comes, other]] -= values[comes, one] * values[comes, other]
        chosen[tried[at, 0]], spare[tried[at, 1]] = comes, leaves
