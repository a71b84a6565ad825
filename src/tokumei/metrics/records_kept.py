"""How many of the original records are published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tokumei.data import Goal, History, Release, Score, Secret, distinct
from tokumei.parts import Metric


@dataclass(frozen=True, kw_only=True)
class RecordsKept(Metric):
    """Share of the original records of which the release holds a published form, however generalized.

    Detects deletion and sampling. It does not see what generalization, noise or lost links cost; dummy records are
    counted in a part of their own.
    """

    name: ClassVar[str] = "records-kept"
    summary: ClassVar[str] = "share of the original records that are published"
    source: ClassVar[str] = "PWS Cup 2018 report, deleted records"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the share; parts: share of subjects with a published record, dummies per published record."""
        kept = distinct(secret.rows[secret.rows >= 0])
        people = len(distinct(history.subject[kept]))
        parts = {
            "subjects": people / len(history.subjects) if len(history.subjects) else 1.0,
            "dummies": float((secret.rows < 0).mean()) if len(release) else 0.0,
        }
        value = len(kept) / len(history) if len(history) else 1.0
        return Score(name=self.name, value=value, goal=Goal.HIGHER, highest=1.0, parts=parts)
