"""What published histories say, as numbers that can be compared between releases of the same data.

Every cell, every record and every history becomes a 64-bit token: equal content gives equal tokens in every release,
whatever its pseudonyms and the order of its records. Ordered cells are also told coarsely, by the quantiles of the
original column in which they begin and end, so that values moved by noise still meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Ints
from tokumei.attacks.matching.consistency import Histories, published_histories
from tokumei.data import MISSING, Cells, History, RangeCells, Release, SetCells

Tokens = npt.NDArray[np.uint64]
SUPPRESSED, ABSENT = np.uint64(0x5), np.uint64(0x9)


@dataclass(frozen=True, eq=False, slots=True)
class Resolution:
    """How finely ordered cells are told: the borders of the bins of every ordered field; none: to the letter."""

    borders: Mapping[str, Ints]

    @classmethod
    def of(cls, history: History, bins: int) -> Resolution:
        """Return bins that hold equally many original values; 0 bins stand for every value as it is."""
        borders: dict[str, Ints] = {}
        for spec in history.schema.fields if bins else ():
            present = history.codes[spec.name][history.codes[spec.name] != MISSING]
            if not spec.nominal and len(present):
                places = np.arange(1, bins) * len(present) // bins
                borders[spec.name] = np.unique(np.sort(present)[places])
        return cls(borders)


@dataclass(frozen=True, eq=False)
class Content:
    """One release as tokens; ``histories`` are its records by pseudonym."""

    release: Release
    histories: Histories

    @classmethod
    def of(cls, release: Release, histories: Histories | None = None) -> Content:
        """Return the content of a release."""
        return cls(release, published_histories(release) if histories is None else histories)

    @cached_property
    def digests(self) -> Tokens:
        """One token per history: equal where the multisets of records are equal."""
        return self._summed(_records([_cells(cells, None) for cells in self._columns()]))

    def tokens(self, resolution: Resolution) -> tuple[Ints, Tokens]:
        """Return every token with the number of its pseudonym: cells, elements of sets, records, sizes, digests."""
        pseudonym = self.histories.owner
        names = [spec.name for spec in self.release.schema.fields]
        columns = [
            _cells(cells, resolution.borders.get(name)) for name, cells in zip(names, self._columns(), strict=True)
        ]
        parts = [(pseudonym, _told(column, number)) for number, column in enumerate(columns)]
        for number, cells in enumerate(self._columns()):
            if isinstance(cells, SetCells) and not cells.plain.all():
                parts.append((pseudonym[cells.owners()], _told(_elements(cells), number + 1000)))
        parts.append((pseudonym, _told(_records(columns), 2000)))
        every, sizes = np.arange(len(self.histories.names)), self.histories.sizes().astype(np.uint64)
        parts += [(every, _told(sizes, 3000)), (every, _told(self.digests, 4000))]
        return np.concatenate([owner for owner, _ in parts]), np.concatenate([token for _, token in parts])

    def _columns(self) -> list[Cells]:
        return [self.release.cells[spec.name] for spec in self.release.schema.fields]

    def _summed(self, tokens: Tokens) -> Tokens:
        """Return the sum over the records of every history, which does not depend on their order."""
        if len(tokens) == 0:
            return tokens
        return np.add.reduceat(_mixed(tokens)[self.histories.rows], self.histories.starts[:-1])


def _mixed(values: Tokens) -> Tokens:
    """Return the values scattered over all 64 bits (the finalizer of SplitMix64: Steele, Lea and Flood, 2014)."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _told(tokens: Tokens, kind: int) -> Tokens:
    """Return tokens of one kind, such as a column: those of other kinds differ."""
    return _mixed(tokens + _mixed(np.full(1, kind, dtype=np.uint64)))


def _records(columns: list[Tokens]) -> Tokens:
    """Return one token per record from those of its cells."""
    record = np.zeros(len(columns[0]) if columns else 0, dtype=np.uint64)
    for column in columns:
        record = _mixed(record) + column
    return _mixed(record)


def _cells(cells: Cells, borders: Ints | None) -> Tokens:
    """Return one token per cell; ordered cells by the bins of their ends where there are borders."""
    if isinstance(cells, RangeCells):
        ends = (cells.lo, cells.hi)
        low, high = ends if borders is None else (np.searchsorted(borders, end, "right") for end in ends)
        token = _mixed(_mixed(low.astype(np.int64).view(np.uint64)) + high.astype(np.int64).view(np.uint64))
    else:
        token = np.zeros(len(cells), dtype=np.uint64)
        # Elements are distinct within a cell: their sum stands for the set, in whatever order it was written.
        np.add.at(token, cells.owners(), _mixed(_elements(cells)))
    if isinstance(cells, RangeCells):
        token = np.where(cells.missing, ABSENT, token)
    return np.where(cells.withheld, SUPPRESSED, token)


def _elements(cells: SetCells) -> Tokens:
    """Return one token per element, by its text: releases may number categories differently."""
    return _category_tokens(cells.categories)[cells.codes]


def _category_tokens(categories: pl.Series) -> Tokens:
    digests = b"".join(blake2b(text.encode(), digest_size=8).digest() for text in categories.cast(pl.String).to_list())
    return np.frombuffer(digests, dtype=np.uint64)
