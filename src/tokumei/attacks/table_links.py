"""Linking what is known of people to other cells of theirs, through published tables that show both.

Of every person some columns are known; of the same people, in another order, other columns are known with one cell
hidden. Whose row it is and what the cell was is told by rows of the tables that resemble both, and by their two-way
counts of a known column and another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.data import assign, equal_texts, text_codes
from tokumei.parts import Part, parameter

# What stands in a hidden cell.
HIDDEN_CELL = "*"
Links = list[tuple[int, str]]


def hidden_column(row: pl.DataFrame, place: int) -> str | None:
    """Return the first column whose cell is hidden in a row."""
    return next((name for name in row.columns if row[name][place] == HIDDEN_CELL), None)


def nearest_links(people: pl.DataFrame, rows: pl.DataFrame, shown: pl.DataFrame, known: Sequence[str]) -> Links:
    """Return for every row the number of a person and the value of the hidden cell.

    The pair of person and row wins whose cells differ least from some row of the table; among equal ones the first
    person, then the first row of the table.
    """
    others = len(rows.columns) - equal_texts(rows, shown, rows.columns)
    own = len(known) - equal_texts(people, shown, known)
    links = []
    for place in range(rows.height):
        together = own + others[place]
        chosen = int(together.min(axis=1).argmin())
        hidden = hidden_column(rows, place)
        links.append((chosen, shown[hidden][int(together[chosen].argmin())] if hidden else ""))
    return links


@dataclass(frozen=True, eq=False, slots=True)
class _View:
    """A published table, its columns that are asked about, and how many cells of its rows are equal."""

    frame: pl.DataFrame
    asked: tuple[str, ...]
    people: Ints
    rows: Ints


@dataclass(frozen=True, kw_only=True)
class TableLinks(Part):
    """Links by the two-way tables of known and other columns, and by whole rows; hidden cells by similar rows."""

    smoothing: float = parameter(3.0, "people of the whole table added to every group", low=0.01)
    sharpness: float = parameter(1.0, "how much one more equal cell of a row weighs", low=0, high=20)

    def links(
        self,
        people: pl.DataFrame,
        rows: pl.DataFrame,
        tables: Sequence[pl.DataFrame],
        joined: pl.DataFrame,
        *,
        known: Sequence[str],
        values: Sequence[str],
    ) -> Links:
        """Return for every row the number of a person and the value of the hidden cell, one of ``values``.

        ``joined`` are the tables side by side, which count by whole rows only.
        """
        views = []
        for frame in (*tables, joined):
            asked = tuple(name for name in rows.columns if name in frame.columns)
            views.append(_View(frame, asked, equal_texts(people, frame, known), equal_texts(rows, frame, asked)))
        gain = np.zeros((rows.height, people.height))
        for view in views:
            together = np.stack([(view.people + row).max(axis=1) for row in view.rows]).astype(np.float64)
            gain += self.sharpness * (together - together.mean())
        # A column that stands in several tables speaks once.
        often = {name: sum(name in view.asked for view in views[:-1]) for name in rows.columns}
        for view in views[:-1]:
            gain += self._by_counts(people.select(known), rows, view, often)
        chosen = assign(gain.max() - gain).columns.tolist()
        return [(row, self._hidden(rows, views, place, row, values)) for place, row in enumerate(chosen)]

    def _by_counts(self, people: pl.DataFrame, rows: pl.DataFrame, view: _View, often: dict[str, int]) -> Floats:
        """Return the log likelihood ratios of the cells of rows given the known columns of people."""
        gain = np.zeros((rows.height, people.height))
        for column in people:
            (groups, own), texts = text_codes(view.frame[column.name], column)
            for name in view.asked:
                (values, asked), kinds = text_codes(view.frame[name], rows[name])
                counts = np.zeros((len(texts), len(kinds)))
                np.add.at(counts, (groups, values), 1)
                usual = (counts.sum(axis=0) + 0.5) / (counts.sum() + 0.5 * len(kinds))
                rates = (counts + self.smoothing * usual) / (counts.sum(axis=1, keepdims=True) + self.smoothing)
                gain += np.log(rates / usual)[own][:, asked].T / often[name]
        return gain

    def _hidden(self, rows: pl.DataFrame, views: Sequence[_View], place: int, row: int, values: Sequence[str]) -> str:
        hidden = hidden_column(rows, place)
        votes = dict.fromkeys(values if hidden else (), 0.0)
        for view in views:
            if hidden in view.asked:
                equal = view.rows[place].astype(np.float64) + view.people[row]
                weights = np.exp(self.sharpness * (equal - equal.max()))
                # A row that fits better than all others is likely the person's own.
                lead = equal.max() - np.partition(equal, -2)[-2] if len(equal) > 1 else 0.0
                for value in votes:
                    chosen = (view.frame[hidden] == value).to_numpy()
                    votes[value] += (0.5 + lead) * float(weights[chosen].sum() / weights.sum())
        return max(votes, key=lambda value: votes[value], default="")
