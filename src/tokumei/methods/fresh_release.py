"""Records published under one fresh random pseudonym per subject, in random order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import Cells, Field, History, RangeCells, Release, Secret, SetCells, distinct
from tokumei.methods.pseudonyms import draw_pseudonyms


def plain_cells(history: History, field: Field, codes: Ints) -> Cells:
    """Return codes of a field as plain cells; missing values stay so."""
    return SetCells.of_values(codes, history.categories[field.name]) if field.nominal else RangeCells.of_values(codes)


def with_fresh_pseudonyms(
    history: History, rows: Ints, cells: Mapping[str, Cells], *, method: str, rng: np.random.Generator
) -> tuple[Release, Secret]:
    """Return the release and its secret; cell i of every column was made from row ``rows[i]`` of the original.

    A release does not depend on the order of the original rows if ``rows`` follows `History.order`.
    """
    names = draw_pseudonyms(len(history.subjects), rng=rng, avoid=history.subjects)
    shuffled = rng.permutation(len(rows))
    published = distinct(history.subject[rows])
    owners = pl.DataFrame({"pseudonym": names[published], "subject": history.subjects[published]})
    release = Release(history.schema, names[history.subject[rows]], dict(cells), method)
    return release.take(shuffled), Secret(owners.sort("pseudonym"), rows[shuffled])
