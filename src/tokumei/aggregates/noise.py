"""Noise through OpenDP: discrete Laplace or Gaussian noise on whole numbers, and keys that enough people share.

OpenDP draws from the operating system's entropy, without floating-point gaps, and its maps say what a mechanism costs:
the figures that are booked are theirs, not ours. There is no seed. (Laplace: Dwork et al. 2006; discrete Gaussian and
zCDP: Canonne, Kamath and Steinke 2020; stable keys by a threshold: Korolova et al. 2009.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np

from tokumei.array_types import Ints
from tokumei.errors import InfeasibleError, ParameterError

LARGEST_SCALE = 1e12
# Scales are found by halving: so often, far below what anybody could tell.
_HALVINGS = 60


class NoiseName(StrEnum):
    """The form of the noise."""

    LAPLACE = "laplace"
    GAUSSIAN = "gaussian"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a mechanism spends, as OpenDP proves it; the scale of its noise and, of keys, the threshold."""

    epsilon: float
    delta: float
    scale: float
    threshold: int = 0


def _opendp() -> Any:
    try:
        import opendp.prelude as dp  # noqa: PLC0415 - an extra
    except ImportError:
        message = "differentially private tables need the library OpenDP; install it: pip install 'tokumei[dp]'"
        raise ParameterError(message, code="missing-extra") from None
    dp.enable_features("contrib")
    return dp


def library() -> str:
    """Return the version of OpenDP."""
    return version("opendp")


@cache
def noise_mechanism(cells: int, largest: int, epsilon: float, delta: float, noise: NoiseName) -> tuple[Any, Cost]:
    """Return the mechanism of least noise for this budget, and what it costs.

    A person changes at most ``cells`` values, each by at most ``largest``: an L1 distance of their product, an L2
    distance of the root of ``cells`` times ``largest``.
    """
    dp = _opendp()
    domain = dp.vector_domain(dp.atom_domain(T=int))
    if noise is NoiseName.LAPLACE:
        distance = cells * largest

        def laplace(size: float) -> Any:
            return dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=size)

        scale = _smallest(lambda size: laplace(size).map(distance) <= epsilon, distance / epsilon)
        return laplace(scale), Cost(laplace(scale).map(distance), 0.0, scale)
    # Rounded up, so that no floating-point error lowers the sensitivity.
    root = float(np.nextafter(np.sqrt(cells) * largest, np.inf))

    def gaussian(size: float) -> Any:
        return dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=size))

    scale = _smallest(lambda size: gaussian(size).map(root).epsilon(delta) <= epsilon, root / epsilon)
    return gaussian(scale), Cost(gaussian(scale).map(root).epsilon(delta), delta, scale)


def noisy(
    values: Ints, *, cells: int, largest: int, epsilon: float, delta: float, noise: NoiseName
) -> tuple[Ints, Cost]:
    """Return values of cells with noise, and what that costs."""
    mechanism, cost = noise_mechanism(cells, largest, epsilon, delta, noise)
    return np.array(mechanism(values.tolist()) if len(values) else [], dtype=np.int64), cost


@cache
def key_mechanism(cells: int, epsilon: float, delta: float) -> tuple[Any, Cost]:
    """Return what publishes keys with the noisy number of their people, and what it costs.

    A key that one person alone brings passes the threshold with a probability that delta pays for. It passes at the
    threshold, too: measured with OpenDP 0.16, whose map counts only what lies above it (threshold 3, scale 1: a count
    of 1 passed in 0.101 of 20,000 draws, the map said 0.036). So the larger of its delta and of the exact tail counts.
    """
    dp = _opendp()
    space = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)), dp.l01inf_distance(dp.absolute_distance(T=int))
    distance = (cells, cells, 1)

    def mechanism(size: float, threshold: int) -> Any:
        return dp.m.make_laplace_threshold(*space, scale=size, threshold=threshold)

    scale = _smallest(lambda size: mechanism(size, 2).map(distance)[0] <= epsilon, cells / epsilon)

    def lost(threshold: int) -> float:
        # P(Z >= t) of the discrete Laplace distribution, for each key that the person alone has.
        tail = math.exp(-(threshold - 1) / scale) / (1 + math.exp(-1 / scale))
        return max(cells * tail, float(mechanism(scale, threshold).map(distance)[1]))

    low, high = 1, 2
    while lost(high) > delta:
        low, high = high, 2 * high
        if high > LARGEST_SCALE:
            message = f"no threshold keeps to delta = {delta:g}; raise delta or epsilon, or name the keys (--keys)"
            raise InfeasibleError(message)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if lost(middle) <= delta else (middle, high)
    chosen = mechanism(scale, high)
    return chosen, Cost(chosen.map(distance)[0], lost(high), scale, high)


def shared_keys(people: Mapping[str, int], *, cells: int, epsilon: float, delta: float) -> tuple[dict[str, int], Cost]:
    """Return the keys that enough people share with the noisy number of their people, and what that costs."""
    mechanism, cost = key_mechanism(cells, epsilon, delta)
    released = mechanism(dict(people)) if people else {}
    return {str(key): int(count) for key, count in released.items()}, cost


def _smallest(fits: Any, guess: float) -> float:
    """Return nearly the smallest scale that fits, found by halving around a guess."""
    high = guess
    while not fits(high):
        high *= 2
        if high > LARGEST_SCALE:
            message = "no noise is enough for this epsilon and delta; raise them, or lower the bounds of a person"
            raise InfeasibleError(message)
    low = high / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high or high - low < 1e-6 * high:
            break
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high
