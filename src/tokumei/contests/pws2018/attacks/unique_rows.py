"""Link published records that stand unchanged and only once in the original (re-uniq of PWS Cup 2018, spec B.9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.data import Guesses, History, Release
from tokumei.errors import InputError
from tokumei.parts import Attack


def link_unique_rows(original: pl.DataFrame, published: pl.DataFrame) -> Guesses:
    """Return the guesses of re-uniq on text frames: the subject or pseudonym first, then the same cells in both.

    A record that occurs more than once in the original is unusable, even if all copies are of one subject (golden
    a06). The last link of a pseudonym wins; pseudonyms are listed in the order of their first link.
    """
    if original.width != published.width:
        message = f"the original has {original.width} columns and the published file {published.width}; give both alike"
        raise InputError(message)
    # Columns are named by position: a schema may use any name, also "subject".
    cells = [f"cell {number}" for number in range(1, original.width)]
    known, records = original.fill_null(""), published.fill_null("")
    known.columns, records.columns = ["subject", *cells], ["pseudonym", *cells]
    if not cells:
        # Without cells all records are alike; one alone is unique by being alone.
        known, records = known.with_columns(nothing=pl.lit("")), records.with_columns(nothing=pl.lit(""))
        cells = ["nothing"]
    unique = known.unique(cells, keep="none")
    links = records.join(unique, on=cells, how="inner", maintain_order="left")
    guesses = links.group_by("pseudonym", maintain_order=True).agg(pl.col("subject").last())
    return Guesses.of_pairs(guesses["pseudonym"], guesses["subject"], attack=UniqueRows.name)


@dataclass(frozen=True, kw_only=True)
class UniqueRows(Attack):
    """Guess whose record it is wherever an unchanged record belongs to nobody else.

    Finds everyone whose pseudonym still has one unmodified unique record; blind to any generalized cell.
    """

    name: ClassVar[str] = "re-uniq"
    summary: ClassVar[str] = "link records that were published unchanged and are unique in the original"
    source: ClassVar[str] = "PWS Cup 2018, sample attack re-uniq"

    def guess(self, knowledge: History, release: Release, *, rng: np.random.Generator) -> Guesses:  # noqa: ARG002
        """Return one guess per pseudonym that has a linked record."""
        return link_unique_rows(knowledge.text(), release.text())
