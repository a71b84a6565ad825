"""How many pseudonyms the records of one subject are spread over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from tokumei.data import Goal, PublishedPart, Score, Survey
from tokumei.parts import CombinableMetric


@dataclass(frozen=True, kw_only=True)
class PseudonymsPerSubject(CombinableMetric):
    """Mean number of pseudonyms under which a published subject appears: 1 keeps all links, more loses some.

    Detects renewed, split and exchanged pseudonyms, whose loss no cell metric sees. It does not see which links were
    lost: a subject of 100 records that lost one of them counts as one that was cut in half.
    """

    name: ClassVar[str] = "pseudonyms-per-subject"
    summary: ClassVar[str] = "mean number of pseudonyms of a published subject (lost links)"
    source: ClassVar[str] = "PWS Cup 2016, pseudonyms by period"

    def tally(self, part: PublishedPart) -> dict[str, Any]:
        """Return the number of pseudonyms of every subject; none of them is in another part."""
        pairs = pl.DataFrame({"pseudonym": part.pseudonyms, "subject": part.original.subject}).unique()
        return {"pseudonyms": np.bincount(pairs["subject"].to_numpy(), minlength=len(part.survey.subjects))}

    def score(self, survey: Survey, tally: Mapping[str, Any]) -> Score:  # noqa: ARG002 - the sums say it all
        """Return the mean over subjects with a published record (0 if there is none); part: the largest number."""
        counts = tally["pseudonyms"][tally["pseudonyms"] > 0]
        value = float(counts.mean()) if len(counts) else 0.0
        largest = float(counts.max()) if len(counts) else 0.0
        return Score(name=self.name, value=value, goal=Goal.LOWER, parts={"largest": largest})
