"""Published records beside the original ones they came from: a part of a release, or all of it.

What is summed over the records of one part is added to what is summed over the others, so that a figure about a whole
release needs one part at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Ints
from tokumei.data.history import History, Release, Secret
from tokumei.data.survey import Survey


@dataclass(frozen=True, eq=False, repr=False)
class PublishedPart:
    """Record i of ``release`` was made of record i of ``original``; dummies are left out and only counted.

    ``counted`` marks the records that stand for a row of the original which no other record stands for, or which stand
    for it last. ``survey`` is about the whole original, ``original`` has its subjects. No pseudonym is in two parts.
    """

    survey: Survey
    original: History
    release: Release
    counted: Bools
    dummies: int = 0

    @classmethod
    def whole(cls, history: History, release: Release, secret: Secret) -> PublishedPart:
        """Return all of a release as its one part."""
        real = np.flatnonzero(secret.rows >= 0)
        rows = secret.rows[real]
        survey = Survey.of_histories(history.schema, [history])
        return cls(survey, history.take(rows), release.take(real), last_of_each(rows), len(secret.rows) - len(real))

    def __len__(self) -> int:
        """Return the number of records that stand for one of the original."""
        return len(self.counted)

    @property
    def pseudonyms(self) -> pl.Series:
        """The pseudonyms of the records as text."""
        return self.release.pseudonyms.cast(pl.String)


def last_of_each(rows: Ints) -> Bools:
    """Return which entries are the last with their number.

    >>> last_of_each(np.array([4, 2, 4])).tolist()
    [False, True, True]
    """
    order = np.argsort(rows, kind="stable")
    last = np.ones(len(rows), dtype=np.bool_)
    last[order[:-1]] = rows[order[1:]] != rows[order[:-1]]
    return last
