"""How many pseudonyms the records of one subject are spread over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.parts import Metric


@dataclass(frozen=True, kw_only=True)
class PseudonymsPerSubject(Metric):
    """Mean number of pseudonyms under which a published subject appears: 1 keeps all links, more loses some.

    Detects renewed, split and exchanged pseudonyms, whose loss no cell metric sees. It does not see which links were
    lost: a subject of 100 records that lost one of them counts as one that was cut in half.
    """

    name: ClassVar[str] = "pseudonyms-per-subject"
    summary: ClassVar[str] = "mean number of pseudonyms of a published subject (lost links)"
    source: ClassVar[str] = "PWS Cup 2016, pseudonyms by period"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the mean over subjects with a published record (0 if there is none); part: the largest number."""
        real = np.flatnonzero(secret.rows >= 0)
        pairs = pl.DataFrame(
            {
                "pseudonym": release.pseudonyms.cast(pl.String).gather(real),
                "subject": history.subject[secret.rows[real]],
            }
        )
        counts = pairs.unique().group_by("subject").len()["len"].to_numpy()
        value = float(counts.mean()) if len(counts) else 0.0
        largest = float(counts.max()) if len(counts) else 0.0
        return Score(name=self.name, value=value, goal=Goal.LOWER, parts={"largest": largest})
