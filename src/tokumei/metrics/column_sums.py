"""What the cells of every column cost: summed over the records of a part, then averaged over all of the original.

A record of the original that was not published costs 1 per cell; where records have survey weights, each counts by its
own. Sums are rounded once (`math.fsum`), so that they do
not depend on the order of the records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tokumei.array_types import Floats
from tokumei.data import PublishedPart, Survey


def counted_sums(part: PublishedPart, costs: Sequence[Floats]) -> dict[str, Any]:
    """Return the sums of a part: of the costs of its cells, a column each, and of the weight of their records."""
    counted = np.flatnonzero(part.counted)
    weights = part.original.weights
    scale = 1.0 if weights is None else weights[counted]
    sums = [math.fsum((column[counted] * scale).tolist()) for column in costs]
    return {"costs": np.array(sums, dtype=np.float64), "published": part.original.weight(counted)}


def column_means(survey: Survey, tally: Mapping[str, Any]) -> dict[str, float]:
    """Return the mean cost of every column over all records of the original."""
    names = [spec.name for spec in survey.schema.fields]
    if survey.records == 0:
        return dict.fromkeys(names, 0.0)
    deleted = survey.weight - tally["published"]
    return {name: float((cost + deleted) / survey.weight) for name, cost in zip(names, tally["costs"], strict=True)}


def mean_of(parts: Mapping[str, float]) -> float:
    """Return the mean of all columns, 0 if there are none."""
    return math.fsum(parts.values()) / len(parts) if parts else 0.0
