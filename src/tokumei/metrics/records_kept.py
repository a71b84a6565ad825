"""How many of the original records are published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tokumei.data import Goal, PublishedPart, Score, Survey
from tokumei.parts import CombinableMetric


@dataclass(frozen=True, kw_only=True)
class RecordsKept(CombinableMetric):
    """Share of the original records of which the release holds a published form, however generalized.

    Detects deletion and sampling. It does not see what generalization, noise or lost links cost; dummy records are
    counted in a part of their own.
    """

    name: ClassVar[str] = "records-kept"
    summary: ClassVar[str] = "share of the original records that are published"
    source: ClassVar[str] = "PWS Cup 2018 report, deleted records"

    def tally(self, part: PublishedPart) -> dict[str, Any]:
        """Return what the published original records weigh, under whom, and the numbers of records and dummies."""
        present = np.bincount(part.original.subject, minlength=len(part.survey.subjects)) > 0
        return {
            "kept": part.original.weight(np.flatnonzero(part.counted)),
            "people": present.astype(np.int64),
            "records": len(part) + part.dummies,
            "dummies": part.dummies,
        }

    def score(self, survey: Survey, tally: Mapping[str, Any]) -> Score:
        """Return the share; parts: share of subjects with a published record, dummies per published record."""
        people = int((tally["people"] > 0).sum())
        parts = {
            "subjects": people / len(survey.subjects) if len(survey.subjects) else 1.0,
            "dummies": tally["dummies"] / tally["records"] if tally["records"] else 0.0,
        }
        value = tally["kept"] / survey.weight if survey.records else 1.0
        return Score(name=self.name, value=value, goal=Goal.HIGHER, highest=1.0, parts=parts)
