"""Records that carry what the table of people says of their subject: two tables as one, for who asks both together.

Only what stands in both tables is joined: a record whose subject has no row among the people is left out, and so is a
person without records.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.cells import Cells, SetCells
from tokumei.data.history import History, Release
from tokumei.data.schema import Schema
from tokumei.errors import InfeasibleError


def positions(texts: pl.Series, known: pl.Series) -> Ints:
    """Return where each text stands first in ``known``, -1 where it does not.

    >>> positions(pl.Series(["b", "c"]), pl.Series(["a", "b", "b"])).tolist()
    [1, -1]
    """
    table = pl.DataFrame({"text": known}).with_row_index("at").unique("text", keep="first", maintain_order=True)
    found = pl.DataFrame({"text": texts}).join(table, on="text", how="left", maintain_order="left")["at"]
    return found.cast(pl.Int64).fill_null(-1).to_numpy().copy()


def records_with_people(history: History) -> History:
    """Return the records with the columns of the table of people beside their own."""
    people = history.people
    if people is None:
        message = "the data has no table of people; give one beside the records"
        raise InfeasibleError(message, code="needs")
    place = np.full(len(history.subjects), -1, dtype=np.int64)
    place[people.subject] = np.arange(len(people))
    rows = np.flatnonzero(place[history.subject] >= 0)
    kept = history.take(rows)
    codes = {name: column[place[kept.subject]] for name, column in people.codes.items()}
    return replace(
        kept,
        schema=_joined(history.schema, people.schema),
        codes={**kept.codes, **codes},
        categories={**history.categories, **people.categories},
        people=None,
    )


def release_with_people(release: Release, original: History) -> Release:
    """Return the published records with the columns of the published table of people.

    Categories are coded as in ``original``, the joined records of the original; what does not occur there comes after.
    """
    people = release.people
    if people is None:
        message = "the release has no table of people; publish one beside the records"
        raise InfeasibleError(message, code="needs")
    row = positions(release.pseudonyms.cast(pl.String), people.pseudonyms.cast(pl.String))
    rows = np.flatnonzero(row >= 0)
    cells = {name: column.take(rows) for name, column in release.cells.items()}
    cells |= {name: column.take(row[rows]) for name, column in people.cells.items()}
    return replace(
        release,
        schema=_joined(release.schema, people.schema),
        pseudonyms=release.pseudonyms[rows],
        cells={name: _coded_as(column, original.categories.get(name)) for name, column in cells.items()},
        people=None,
    )


def _joined(records: Schema, people: Schema) -> Schema:
    return replace(records, columns=(*records.columns, *people.columns))


def _coded_as(cells: Cells, known: pl.Series | None) -> Cells:
    """Return sets coded by a dictionary that begins with the known categories."""
    if known is None or not isinstance(cells, SetCells):
        return cells
    own = cells.categories.cast(pl.String)
    every = pl.concat([known.cast(pl.String), own.alias(known.name)]).unique(maintain_order=True)
    return SetCells.of_lists(cells.offsets, positions(own, every)[cells.codes], every, suppressed=cells.suppressed)
