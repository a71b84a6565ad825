"""What classes of equal records say of a sensitive column: k, l, t, alpha, beta and delta.

Definitions: k Samarati (2001); alpha Wong et al. (2006); l distinct, entropy and recursive Machanavajjhala et al.
(2007); t Li et al. (2007), by equal distance for categories and by ordered distance for numbers; beta, basic and
enhanced, Cao and Karras (2012); delta Brickell and Shmatikov (2008). They are those of pyCANON (Sainz-Pardo Diaz and
Lopez Garcia 2022), whose figures a test compares, but for two of its readings: it rounds the entropy l down, and in the
recursive c it sorts the counts of a class upwards (``recursive_upwards``), where the paper sorts them downwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Floats, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFigures:
    """The figures of one sensitive column; ``recursive`` is the c that l = ``distinct`` needs, 0 if that is 1."""

    k: int
    distinct: int
    entropy: float
    recursive: float
    recursive_upwards: float
    alpha: float
    t: float
    beta: float
    enhanced_beta: float
    delta: float


def class_figures(group: Ints, values: Ints, *, ordered: bool) -> ClassFigures:
    """Return the figures of classes (one number per record) and the values of a sensitive column.

    >>> found = class_figures(np.array([0, 0, 1, 1]), np.array([5, 6, 5, 6]), ordered=False)
    >>> found.k, found.distinct, round(found.entropy, 3), found.alpha, found.t
    (2, 2, 2.0, 0.5, 0.0)
    """
    _, group = np.unique(group, return_inverse=True)
    _, value = np.unique(values, return_inverse=True)
    classes, different = int(group.max()) + 1, int(value.max()) + 1
    counts = np.bincount(group * different + value, minlength=classes * different).reshape(classes, different)
    sizes = counts.sum(axis=1)
    inside = counts / sizes[:, None]
    overall = counts.sum(axis=0) / sizes.sum()
    distinct = int((counts > 0).sum(axis=1).min())
    rise = float(((inside - overall) / overall).max())
    with np.errstate(divide="ignore"):
        ratio = np.where(counts > 0, np.log(inside / overall), 0.0)
        surprise = np.where(counts > 0, -np.log(np.where(counts > 0, inside, 1.0)), 0.0)
    return ClassFigures(
        k=int(sizes.min()),
        distinct=distinct,
        entropy=float(np.exp((inside * surprise).sum(axis=1).min())),
        recursive=_recursive(counts, distinct, upwards=False),
        recursive_upwards=_recursive(counts, distinct, upwards=True),
        alpha=float(inside.max()),
        t=_distance(inside - overall, ordered=ordered),
        beta=rise,
        enhanced_beta=min(rise, float(-np.log(overall.min()))),
        delta=float(np.abs(ratio).max()),
    )


def _recursive(counts: Ints, distinct: int, *, upwards: bool) -> float:
    """Return the largest ratio of the first count to those from the l-th on, over all classes."""
    if distinct < 2:
        return 0.0
    falling = -np.sort(-counts, axis=1)
    if not upwards:
        return float((falling[:, 0] / falling[:, distinct - 1 :].sum(axis=1)).max())
    present = (counts > 0).sum(axis=1)
    smallest = falling[np.arange(len(counts)), present - 1]
    # Sorted upwards, the counts from the l-th on are all but the l - 1 smallest.
    place = np.arange(counts.shape[1])
    kept = place < (present - (distinct - 1))[:, None]
    return float((smallest / np.where(kept, falling, 0).sum(axis=1)).max())


def _distance(difference: Floats, *, ordered: bool) -> float:
    """Return the largest earth mover's distance of a class from all records."""
    if difference.shape[1] < 2:
        return 0.0
    if ordered:
        return float((np.abs(np.cumsum(difference, axis=1)).sum(axis=1) / (difference.shape[1] - 1)).max())
    return float((np.abs(difference).sum(axis=1) / 2).max())
