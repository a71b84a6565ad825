"""Normalized certainty penalty: how much of its domain a generalized cell covers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tokumei.array_types import Floats, Ints
from tokumei.data import MISSING, Cells, Goal, PublishedPart, RangeCells, Score, Survey
from tokumei.metrics.column_sums import column_means, counted_sums, mean_of
from tokumei.parts import CombinableMetric, parameter
from tokumei.words import Message


def range_penalties(lo: Ints, hi: Ints, lowest: int, highest: int) -> Floats:
    """Return the part of the domain [lowest;highest] that each range covers, by width; 0 if the domain is one value."""
    if highest <= lowest:
        return np.zeros(len(lo))
    inside = np.minimum(hi, highest) - np.maximum(lo, lowest)
    return np.maximum(inside, 0) / (highest - lowest)


def set_penalties(sizes: Ints, domain: int, *, sets: str) -> Floats:
    """Return size / domain, 0 for single values; or (size - 1) / (domain - 1) if ``sets`` is ``beyond``."""
    if domain <= 1:
        return np.zeros(len(sizes))
    if sets == "beyond":
        return (sizes - 1) / (domain - 1)
    return np.where(sizes > 1, sizes / domain, 0.0)


@dataclass(frozen=True, kw_only=True)
class CertaintyPenalty(CombinableMetric):
    """Mean penalty of all cells: 0 nothing generalized, 1 everything suppressed or deleted.

    A range costs its width over the width of the column (the part of it inside the column, at most 1), a set of more
    than one value its size over the number of values of the column, a suppressed cell 1, every cell of a deleted record
    1, a cell that was missing before nothing. The column's domain is what occurs in the original.

    Xu et al. (2006) define the penalty; sets follow Ghinita et al. (2007: 0 for a single value, else
    card / |A|), whose global certainty penalty is this mean. ``sets=beyond`` takes (size - 1) / (|A| - 1) instead, the
    loss metric of Iyengar (2002). It does not see values that were moved (noise, swapping, averages), only widened.
    """

    name: ClassVar[str] = "ncp"
    summary: ClassVar[str] = "share of its domain that a cell covers, mean over records and columns"
    source: ClassVar[str] = "Xu et al., Utility-based anonymization (2006); Ghinita et al. (2007), GCP; Iyengar (2002)"

    sets: str = parameter("size", "what a set costs: size/domain, or (size-1)/(domain-1)", choices=("size", "beyond"))

    def tally(self, part: PublishedPart) -> dict[str, Any]:
        """Return the sum of the penalties of every column, and the numbers of published records and moved values."""
        penalties: list[Floats] = []
        moved = 0
        for spec in part.survey.schema.fields:
            codes, cells = part.original.codes[spec.name], part.release.cells[spec.name]
            penalties.append(np.where(codes == MISSING, 0.0, self._penalties(part.survey, spec.name, cells)))
            moved += int((~cells.contains(codes) & (codes != MISSING)).sum())
        return {**counted_sums(part, penalties), "moved": moved}

    def score(self, survey: Survey, tally: Mapping[str, Any]) -> Score:
        """Return the penalty with one part per column."""
        parts = column_means(survey, tally)
        warnings = (Message("warning.ncp-moved", {"moved": tally["moved"]}),) if tally["moved"] else ()
        return Score(name=self.name, value=mean_of(parts), goal=Goal.LOWER, highest=1.0, parts=parts, warnings=warnings)

    def _penalties(self, survey: Survey, name: str, cells: Cells) -> Floats:
        """Return the penalty of every published cell of a column."""
        if isinstance(cells, RangeCells):
            penalty = range_penalties(cells.lo, cells.hi, survey.sums[name].low, survey.sums[name].high)
        else:
            penalty = set_penalties(cells.sizes(), len(survey.categories[name]), sets=self.sets)
        return np.where(cells.suppressed, 1.0, penalty)
