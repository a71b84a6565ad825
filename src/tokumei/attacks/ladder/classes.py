"""The distinct histories of a release, laid out for attackers who know only a little of somebody.

Pseudonyms that published the same are one class: nothing in the release tells its members apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
import scipy.sparse as sp

from tokumei.array_types import Bools, Floats, Ints
from tokumei.attacks.ladder.apart_shares import shares_apart
from tokumei.attacks.ladder.field_values import FieldValues, elements_of_sets, ends_of_ranges
from tokumei.attacks.matching.consistency import Histories, published_histories
from tokumei.data import MISSING, History, Kind, RangeCells, Release, SetCells

_WHEN_AND_WHERE = {Kind.DATE, Kind.DATETIME, Kind.PLACE}


@dataclass(frozen=True, eq=False)
class PublishedClasses:
    """Rows ``starts[c]`` to ``starts[c + 1]`` are the history of class c, shared by ``members[c]`` pseudonyms.

    Ordered fields are ``low``, ``high``, ``hidden`` and ``missing`` (field by row; what is missing is hidden, too); of
    the nominal field j, row r holds the codes ``elements[bounds[j, r]:bounds[j, r + 1]]``, none where it is hidden.
    ``weight`` is what one value of a hidden cell is worth: the inverse of the number of values that the original has
    there; ``codes`` is how many codes the original has for each nominal field, and ``kindred`` numbers alike those
    whose names begin alike. ``person`` are the columns that tell of the person and not of a record: all rows of a
    pseudonym show the same there. ``whereabouts`` are the ordered columns that tell when or where. ``apart`` says how
    often a class has each code of a column that is published apart.
    """

    histories: Histories
    starts: Ints
    members: Ints
    ordered: tuple[str, ...]
    nominal: tuple[str, ...]
    low: Ints
    high: Ints
    hidden: Bools
    missing: Bools
    bounds: Ints
    elements: Ints
    weight: Floats
    codes: tuple[int, ...]
    kindred: tuple[Ints, ...]
    person: tuple[str, ...] = ()
    whereabouts: frozenset[str] = frozenset()
    apart: Mapping[str, sp.csr_array] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.members)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields in the order of the columns of what is known: ordered ones first."""
        return (*self.ordered, *self.nominal)

    @cached_property
    def sizes(self) -> Ints:
        """The number of rows of every class."""
        return np.diff(self.starts)

    @cached_property
    def numbers(self) -> Ints:
        """The class of every row."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def shown(self) -> dict[str, FieldValues]:
        """The values that every field shows, class by class."""
        ordered = {
            name: ends_of_ranges(self.low[field], self.high[field], self.hidden[field], self.numbers, self.members)
            for field, name in enumerate(self.ordered)
        }
        nominal = {
            name: elements_of_sets(self.bounds[field], self.elements, self.numbers, self.members)
            for field, name in enumerate(self.nominal)
        }
        return {**ordered, **nominal}

    @cached_property
    def admitted(self) -> tuple[Ints, Ints, Bools]:
        """The values that ordered cells admit: ends, and which are withheld; missing ones admit what is missing."""
        low, high = (np.where(self.missing, MISSING, ends) for ends in (self.low, self.high))
        return low, high, self.hidden & ~self.missing

    def kindred_of(self, name: str, codes: Ints) -> Ints:
        """Return the number of what is kindred to codes of a nominal field."""
        kindred = self.kindred[self.nominal.index(name)]
        return kindred[np.minimum(codes, len(kindred) - 1)]

    def rows(self, number: int) -> slice:
        """Return where the rows of a class are."""
        return slice(int(self.starts[number]), int(self.starts[number + 1]))


def lay_out_classes(history: History, release: Release, *, person: tuple[str, ...] = ()) -> PublishedClasses:
    """Return the classes of a release; ``history`` gives the values that hidden cells may have.

    ``person`` names the columns that came from a table of people.
    """
    histories = published_histories(release)
    sizes = histories.sizes()[histories.first_of]
    starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    shift = np.repeat(histories.starts[histories.first_of] - starts[:-1], sizes)
    rows = histories.rows[np.arange(starts[-1]) + shift]
    ordered = tuple(spec.name for spec in release.schema.fields if not spec.nominal)
    nominal = tuple(spec.name for spec in release.schema.fields if spec.nominal)
    ranges = [cells.take(rows) for name in ordered if isinstance(cells := release.cells[name], RangeCells)]
    sets = [cells.take(rows) for name in nominal if isinstance(cells := release.cells[name], SetCells)]
    base = np.concatenate(([0], np.cumsum([len(cells.codes) for cells in sets]))).astype(np.int64)
    distinct = [
        max(len(np.unique(codes[codes != MISSING])), 1)
        for codes in (history.codes[name] for name in (*ordered, *nominal))
    ]
    nothing = np.zeros((0, len(rows)), dtype=np.int64)
    kinds = {column.name: column.kind for column in release.schema.columns}
    return PublishedClasses(
        histories=histories,
        starts=starts,
        members=np.bincount(histories.kind, minlength=len(starts) - 1).astype(np.int64),
        ordered=ordered,
        nominal=nominal,
        low=np.stack([cells.lo for cells in ranges]) if ranges else nothing,
        high=np.stack([cells.hi for cells in ranges]) if ranges else nothing,
        hidden=np.stack([cells.suppressed for cells in ranges]) if ranges else nothing.astype(np.bool_),
        missing=np.stack([cells.missing for cells in ranges]) if ranges else nothing.astype(np.bool_),
        bounds=(
            np.stack([cells.offsets + base[j] for j, cells in enumerate(sets)])
            if sets
            else np.zeros((0, len(rows) + 1), dtype=np.int64)
        ),
        elements=np.concatenate([cells.codes for cells in sets]) if sets else np.empty(0, dtype=np.int64),
        weight=1.0 / np.array(distinct, dtype=np.float64),
        codes=tuple(len(history.categories[name]) for name in nominal),
        kindred=tuple(_beginnings(history.categories[name].cast(pl.String)) for name in nominal),
        person=person,
        whereabouts=frozenset(spec.name for spec in release.schema.fields if kinds[spec.column] in _WHEN_AND_WHERE),
        apart=shares_apart(history, release, histories),
    )


def _beginnings(names: pl.Series) -> Ints:
    """Return which names begin alike, but for the last characters: neighbours in a list of codes do."""
    length = names.str.len_chars().median()
    kept = max(int(length) - 1, 1) if isinstance(length, (int, float)) else 1
    # What a release adds to the categories of the original comes after all of them.
    return np.append(names.str.slice(0, kept).rank("dense").to_numpy().astype(np.int64), 0)
