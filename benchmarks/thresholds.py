"""The tables of r(n') and of the sharp threshold for n' up to 1000, in exact numbers (spec B.7)."""

from __future__ import annotations

from math import comb

from benchmarks.harness import Benchmark
from benchmarks.inputs import Inputs
from tokumei.audits.thresholds import official_thresholds, sharp_thresholds

__all__ = ["benchmark", "official", "sharp"]

LARGEST = 1000
# p = 1/3, alpha = 1/2000.
BASE, LEVEL = 3, 2000


def benchmark(_inputs: Inputs) -> Benchmark:
    """Return the benchmark; it needs no data."""

    def library() -> dict[str, float]:
        return _figures(official_thresholds(LARGEST), sharp_thresholds(LARGEST))

    def by_hand() -> dict[str, float]:
        return _figures([official(n) for n in range(LARGEST + 1)], [sharp(n) for n in range(LARGEST + 1)])

    return Benchmark(
        name="thresholds", summary="r and sharp r for n' up to 1000", library=library, plain=by_hand, limit=2.0
    )


def _figures(one: list[int], other: list[int]) -> dict[str, float]:
    return {"sum of r": sum(one), "sum of sharp r": sum(other), "last r": one[-1], "last sharp r": other[-1]}


def official(n: int) -> int:
    """Return min { s : sum over k >= s of C(n,k) p^k < alpha }, n + 1 if there is none."""
    total, power = 0, 1
    for k in range(n, -1, -1):
        # In units of p^n: C(n,k) 3^(n-k).
        total += comb(n, k) * power
        power *= BASE
        if total * LEVEL >= BASE**n:
            return k + 1
    return 1


def sharp(n: int) -> int:
    """Return min { s : some k <= s has C(n,k) p^k / C(s,k) < alpha }, n + 1 if there is none."""
    # The value falls as s grows, so that halving finds the least s.
    low, high = 1, n + 1
    while low < high:
        middle = (low + high) // 2
        if _refutes(n, middle):
            high = middle
        else:
            low = middle + 1
    return low


def _refutes(n: int, s: int) -> bool:
    """Return whether s hits of n guesses cannot happen with probability alpha under H0."""
    ways, choices, power = 1, 1, 1
    for k in range(1, s + 1):
        ways = ways * (n - k + 1) // k
        choices = choices * (s - k + 1) // k
        power *= BASE
        if ways * LEVEL < choices * power:
            return True
    return False
