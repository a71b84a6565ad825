"""Discernibility: how large the crowds are in which published records hide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import Goal, History, Release, Score, Secret, distinct
from tokumei.parts import Metric


def class_sizes(release: Release) -> Ints:
    """Return the sizes of the classes of records whose cells are all equal, ascending."""
    keys = [key for column in release.cells.values() for key in column.sort_keys()]
    if not len(release) or not keys:
        return np.array([len(release)] if len(release) else [], dtype=np.int64)
    frame = pl.DataFrame([pl.Series(str(place), key) for place, key in enumerate(keys)])
    return frame.group_by(pl.all()).len()["len"].sort().to_numpy().astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class Discernibility(Metric):
    """Every published record costs the size of its class of equal records, every deleted one the number of all records.

    Lower is finer data, and smaller crowds: it is a measure of utility, to be read beside the smallest class. Classes
    are those of single records; pseudonyms, which link records to histories, are not looked at, so a class of many
    records does not mean that their histories are alike. Dummy records do not count.
    """

    name: ClassVar[str] = "discernibility"
    summary: ClassVar[str] = "sum of squared class sizes, deleted records counted with all records"
    source: ClassVar[str] = "Bayardo and Agrawal, Data privacy through optimal k-anonymization (2005)"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the measure; parts: divided by the squared number of records, number of classes, smallest, mean."""
        real = np.flatnonzero(secret.rows >= 0)
        sizes = class_sizes(release.take(real))
        total = len(history)
        deleted = total - len(distinct(secret.rows[real]))
        value = float((sizes.astype(np.float64) ** 2).sum() + float(deleted) * total)
        parts = {
            "normalized": value / total**2 if total else 0.0,
            "classes": float(len(sizes)),
            "smallest class": float(sizes[0]) if len(sizes) else 0.0,
            "mean class": float(sizes.mean()) if len(sizes) else 0.0,
        }
        return Score(name=self.name, value=value, goal=Goal.LOWER, lowest=float(total), parts=parts)
