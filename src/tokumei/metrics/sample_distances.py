"""How far two samples of one column are apart, whatever else stands beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokumei.array_types import Floats


def ks_distance(one: Floats, other: Floats, *, signed: bool = False) -> float:
    """Return the largest distance of two empirical distribution functions, or of the second's above the first's.

    >>> ks_distance(np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    0.5
    """
    grid = np.concatenate([one, other])
    gap = _share_below(other, grid) - _share_below(one, grid)
    return float(max(gap.max(), 0.0) if signed else np.abs(gap).max())


def _share_below(values: Floats, grid: Floats) -> Floats:
    return np.searchsorted(np.sort(values), grid, side="right") / len(values)


def total_variation(one: Sequence[object], other: Sequence[object]) -> float:
    """Return half the sum of the differences of all shares.

    >>> total_variation(["a", "a", "b", "b"], ["a", "b", "b", "c"])
    0.25
    """
    shares: list[dict[object, float]] = [{}, {}]
    for share, values in zip(shares, (one, other), strict=True):
        for value in values:
            share[value] = share.get(value, 0.0) + 1.0
    sizes = len(one), len(other)
    every = {**shares[0], **shares[1]}
    return 0.5 * sum(
        abs(shares[0].get(value, 0.0) / sizes[0] - shares[1].get(value, 0.0) / sizes[1]) for value in every
    )


def rank_correlations(values: Floats) -> Floats:
    """Return Spearman's correlations of all columns; NaN where a column is constant."""
    from scipy.stats import rankdata  # noqa: PLC0415 - takes half a second, and is needed here alone

    ranks = rankdata(values, axis=0)
    away = ranks - ranks.mean(axis=0)
    spread = np.sqrt((away**2).sum(axis=0))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(away.T @ away / np.outer(spread, spread))
