"""Sensitive columns in a release: every record of a group shows all values that its members have there.

A cell of one aligned row alone could hold one value, and then tells it of every member; the set of the group stays the
same when its members exchange their values, so that it says nothing of who has which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import MISSING, Cells, History, RangeCells, Release, Secret, SetCells


def with_group_values(  # noqa: PLR0917 - what a group is lies in four values
    history: History, release: Release, secret: Secret, group: Ints, names: Sequence[str], whole: Sequence[str] = ()
) -> Release:
    """Return a release whose columns of these names show, in every record of a group, all values of the group.

    ``group`` is the group of every subject, -1 for those who are not published; columns of ``whole`` show all values
    that the data has.
    """
    rows = np.flatnonzero(group[history.subject] >= 0)
    rows = rows[np.argsort(group[history.subject[rows]], kind="stable")]
    known, starts = np.unique(group[history.subject[rows]], return_index=True)
    owner = secret.owners.select("pseudonym", pl.col("subject").cast(pl.String))
    subjects = pl.DataFrame({"subject": history.subjects.cast(pl.String), "group": group})
    by_name = owner.join(subjects, on="subject", how="left").select(pl.col("pseudonym").cast(pl.String), "group")
    shown = pl.DataFrame({"pseudonym": release.pseudonyms.cast(pl.String)})
    line = np.searchsorted(
        known, shown.join(by_name, on="pseudonym", how="left", maintain_order="left")["group"].to_numpy()
    )
    cells: dict[str, Cells] = dict(release.cells)
    for name in names:
        codes = history.codes[name][rows]
        column: Cells
        if name in whole:
            every = np.tile(np.unique(history.codes[name]), len(known))
            bounds = np.arange(len(known) + 1) * (len(every) // max(len(known), 1))
            column = SetCells.of_lists(bounds, every, history.categories[name])
        elif name in history.categories:
            column = SetCells.of_lists(np.append(starts, len(codes)), codes, history.categories[name])
        else:
            low, high = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
            column = RangeCells.of_ranges(low, high, suppressed=low == MISSING, missing=high == MISSING)
        cells[name] = column.take(line)
    return replace(release, cells=cells)
