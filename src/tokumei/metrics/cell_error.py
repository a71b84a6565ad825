"""The utility U of PWS Cup 2018: the expected error of the cells, averaged over all records and columns (spec B.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tokumei.data import Goal, PublishedPart, Score, Survey, cell_errors
from tokumei.metrics.column_sums import column_means, counted_sums, mean_of
from tokumei.parts import CombinableMetric


@dataclass(frozen=True, kw_only=True)
class CellError(CombinableMetric):
    """How much the cells of a release say less than the original: 0 nothing lost, 1 everything suppressed.

    Detects widened ranges, larger sets, suppressed cells and deleted records. It does not see lost links between
    records (several pseudonyms per subject) or dummy records.
    """

    name: ClassVar[str] = "cell-error"
    summary: ClassVar[str] = "expected error of the generalized cells, mean over records and columns"
    source: ClassVar[str] = "PWS Cup 2018 report, utility U"

    def tally(self, part: PublishedPart) -> dict[str, Any]:
        """Return the sum of the errors of every column, and how many records of the original have been published."""
        errors = [
            cell_errors(part.original.codes[name], part.release.cells[name], spread)
            for name, spread in part.survey.spreads().items()
        ]
        return counted_sums(part, errors)

    def score(self, survey: Survey, tally: Mapping[str, Any]) -> Score:
        """Return U with one part per column; records of the original that were not published cost 1 per cell."""
        parts = column_means(survey, tally)
        return Score(name=self.name, value=mean_of(parts), goal=Goal.LOWER, parts=parts)
