"""Posterior places of a few ordered items in a long ordered list, when some of the items may be absent from it.

Test rows of 2021 come in the order of the original table, and so do the rows of D (spec D.6): the unknown places
ascend. With places drawn uniformly and sorted, every ascending sequence is equally likely beforehand, and a forward
and a backward pass over (item, place) give exact posteriors.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma

import numpy as np

from tokumei.array_types import Floats


@dataclass(frozen=True, eq=False, slots=True)
class Alignment:
    """P(item is present at place) for all items and places, and the log-likelihood of the ratios."""

    places: Floats
    log_likelihood: float

    @property
    def present(self) -> Floats:
        """P(item is present)."""
        return self.places.sum(axis=1)


def align_ordered(ratios: Floats, presence: float) -> Alignment:
    """Return posteriors from likelihood ratios (item at place : item absent) for ascending places."""
    items, places = ratios.shape
    emission = (1.0 - presence) + presence * ratios
    forward = np.empty_like(emission)
    backward = np.empty_like(emission)
    reached = np.ones(places)
    # Against the number of ascending sequences, which all weigh the same beforehand.
    log_likelihood = lgamma(places) + lgamma(items + 1) - lgamma(places + items)
    for item in range(items):
        forward[item] = emission[item] * reached
        total = forward[item].sum()
        log_likelihood += float(np.log(total))
        forward[item] /= total
        reached = np.cumsum(forward[item])
    onward = np.ones(places)
    for item in range(items - 1, -1, -1):
        backward[item] = onward / onward.sum()
        onward = np.cumsum((emission[item] * backward[item])[::-1])[::-1]
    posterior = forward * backward
    posterior /= posterior.sum(axis=1, keepdims=True)
    return Alignment(posterior * (presence * ratios / emission), log_likelihood)


def align_independently(ratios: Floats, presence: float) -> Alignment:
    """Return posteriors for items whose places know nothing of each other."""
    weight = presence * ratios / ratios.shape[1]
    total = (1.0 - presence) + weight.sum(axis=1)
    return Alignment(weight / total[:, None], float(np.log(total).sum()))
