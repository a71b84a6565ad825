"""Generalized information loss: how much of its domain a cell covers beyond a single value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tokumei.data import PublishedPart, Score, Survey
from tokumei.metrics.certainty_penalty import CertaintyPenalty
from tokumei.parts import CombinableMetric

_BEYOND = CertaintyPenalty(sets="beyond")


@dataclass(frozen=True, kw_only=True)
class GeneralizedLoss(CombinableMetric):
    """(Upper - lower) / (highest - lowest) of a range, (size - 1) / (values - 1) of a set, mean over all cells.

    0 nothing is generalized, 1 everything is suppressed or deleted. The same as ``ncp`` with ``sets=beyond``: a set is
    counted by what it adds to a single value, as in the loss of ARX, but over the values of the data instead of a
    hierarchy. It does not see values that were moved.
    """

    name: ClassVar[str] = "gen-iloss"
    summary: ClassVar[str] = "share of its domain that a cell covers beyond one value (GenILoss), mean over cells"
    source: ClassVar[str] = "Iyengar (2002); Nergiz and Clifton, Thoughts on k-anonymization (2007), Gen. ILM"

    def tally(self, part: PublishedPart) -> dict[str, Any]:
        """Return the sums of one part, as the certainty penalty adds them up."""
        return _BEYOND.tally(part)

    def score(self, survey: Survey, tally: Mapping[str, Any]) -> Score:
        """Return the loss with one part per column."""
        return replace(_BEYOND.score(survey, tally), name=self.name)
