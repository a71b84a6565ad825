"""Delete cells at random, ids included (ano-del-lc of PWS Cup 2018, spec B.9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.data import History, Release, Secret
from tokumei.parts import Method, parameter


@dataclass(frozen=True, kw_only=True)
class DeleteCells(Method):
    """Suppress every cell independently; a record whose id was suppressed is deleted as a whole.

    A sample of the contest, not a protection: ids are kept, so every published record names its subject.
    """

    name: ClassVar[str] = "ano-del-lc"
    summary: ClassVar[str] = "suppress cells and delete records at random; ids are kept (sample, not safe)"
    source: ClassVar[str] = "PWS Cup 2018, sample anonymizer ano-del-lc"
    valid_under: ClassVar[frozenset[str]] = frozenset({"pws2018"})

    p: float = parameter(0.5, "probability that a cell or an id is deleted", low=0.0, high=1.0)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the records that keep their id, with cells suppressed, in random order."""
        rows = np.flatnonzero(rng.random(len(history)) >= self.p)
        rows = rng.permutation(rows).astype(np.int64)
        cells = {
            spec.name: history.cells(spec.name).take(rows).suppress(rng.random(len(rows)) < self.p)
            for spec in history.schema.fields
        }
        ids = history.subjects[history.subject[rows]].alias("pseudonym")
        owners = pl.DataFrame({"pseudonym": ids, "subject": ids}).unique().sort("pseudonym")
        return Release(history.schema, ids, cells, self.name), Secret(owners, rows)
