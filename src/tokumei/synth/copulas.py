"""Tables of new rows with the margins and rank correlations of given ones: Gaussian copulas, and single margins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from tokumei.array_types import Floats

# Below this a correlation matrix is taken for singular.
SMALLEST_EIGENVALUE = 1e-8


def normal_scores(values: Floats) -> Floats:
    """Return the normal scores of mean ranks, column by column."""
    from scipy.special import ndtri  # noqa: PLC0415 - scipy loads when a copula is drawn
    from scipy.stats import rankdata  # noqa: PLC0415 - scipy loads when a copula is drawn

    return np.asarray(ndtri(rankdata(values, axis=0) / (len(values) + 1)))


def draw_copula(values: Floats, count: int, rng: Generator) -> Floats:
    """Draw rows from the Gaussian copula of these columns, with their margins (quantiles between their values)."""
    from scipy.special import ndtr  # noqa: PLC0415 - scipy loads when a copula is drawn

    with np.errstate(invalid="ignore", divide="ignore"):
        related = np.atleast_2d(np.nan_to_num(np.corrcoef(normal_scores(values), rowvar=False)))
    np.fill_diagonal(related, 1.0)
    weights, axes = np.linalg.eigh(related)
    if weights.min() < SMALLEST_EIGENVALUE:
        related = axes * np.maximum(weights, SMALLEST_EIGENVALUE) @ axes.T
    shares = ndtr(rng.multivariate_normal(np.zeros(len(related)), related, size=count))
    return np.column_stack([np.quantile(values[:, at], shares[:, at]) for at in range(values.shape[1])])


def draw_margin(values: Any, rng: Generator) -> Any:
    """Draw as many values as there are, with the shares of their levels, in the order of the levels."""
    levels, counts = np.unique(values, return_counts=True)
    return rng.choice(levels, size=len(values), p=counts / len(values))
