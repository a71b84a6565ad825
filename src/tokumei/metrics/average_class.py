"""Average class size: how many published records say the same, on average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.metrics.discernibility import class_sizes
from tokumei.parts import Metric, parameter


@dataclass(frozen=True, kw_only=True)
class AverageClass(Metric):
    """Published records over classes of equal records, over k: 1 if all classes are as small as they may be.

    A measure of utility: it tells how much larger classes are than k asks for, not how wide their cells are. Classes
    are those of single records; dummy and deleted records do not count.
    """

    name: ClassVar[str] = "average-class"
    summary: ClassVar[str] = "mean size of the classes of equal records, over k (default: the smallest class)"
    source: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity (2006), C_AVG"

    k: int | None = parameter(None, "the k that was asked for; left out: the size of the smallest class", low=1)

    def measure(self, history: History, release: Release, secret: Secret) -> Score:  # noqa: ARG002 - the contract
        """Return the mean over k; parts: mean, classes, smallest class."""
        sizes = class_sizes(release.take(np.flatnonzero(secret.rows >= 0)))
        smallest = float(sizes[0]) if len(sizes) else 0.0
        mean = float(sizes.mean()) if len(sizes) else 0.0
        value = mean / (self.k or smallest or 1.0)
        parts = {"mean": mean, "classes": float(len(sizes)), "smallest": smallest}
        return Score(name=self.name, value=value, goal=Goal.LOWER, parts=parts)
