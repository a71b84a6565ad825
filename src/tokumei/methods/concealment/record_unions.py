"""Published records as unions of original ones (k-concealment for histories, Def 3.6; spec C.3, step 5).

``source[e]`` is an original row that goes into the published record made from original row ``target[e]``: ordered cells
become the hull, categories the set of all values that go in; a missing value suppresses an ordered cell.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import Cells, History, Release, Secret, distinct
from tokumei.errors import InfeasibleError


def require_subjects(history: History, k: int, method: str) -> None:
    """Refuse fewer than k subjects; none at all are fine, nothing is published then."""
    count = len(history.subjects)
    if 0 < count < k:
        message = (
            f"'{method}' needs at least k = {k} subjects to hide one among them, the data has {count}; "
            "lower k or add subjects"
        )
        raise InfeasibleError(message)


def nothing_published(history: History, method: str) -> tuple[Release, Secret]:
    """Return the release of a history without records."""
    empty = np.empty(0, dtype=np.int64)
    cells = {spec.name: history.cells(spec.name).take(empty) for spec in history.schema.fields}
    owners = pl.DataFrame(schema={"pseudonym": pl.String, "subject": pl.String})
    return Release(history.schema, pl.Series("pseudonym", [], dtype=pl.String), cells, method), Secret(owners, empty)


def union_cells(history: History, source: Ints, target: Ints, rows: Ints) -> Mapping[str, Cells]:
    """Return one cell per field and row of ``rows``: the union of all sources of that target."""
    width = max(len(history), 1)
    key = distinct(target * width + source)
    targets, sources = np.divmod(key, width)
    present, starts = np.unique(targets, return_index=True)
    place = np.searchsorted(present, rows)
    return {
        spec.name: history.cells(spec.name).take(sources).hull_of_groups(starts).take(place)
        for spec in history.schema.fields
    }


def shuffled(release: Release, secret: Secret, rng: np.random.Generator) -> tuple[Release, Secret]:
    """Return both in a random order of records."""
    order = rng.permutation(len(release)).astype(np.int64)
    return release.take(order), secret.take(order)
