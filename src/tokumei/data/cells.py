"""Generalized columns: a value, a range ``[lo;hi]``, a set ``{a;b}`` or a suppressed cell ``*``, held as arrays.

A column of an ordered field (date, datetime, number, latitude, longitude) is a `RangeCells`: two integer arrays in
steps of the field; a plain value has ``lo == hi``. A column of a category is a `SetCells`: offsets and ascending
dictionary codes; a plain value is a set of one. Suppressed cells are a mask; their arrays hold zeros (ranges) or
nothing (sets), so that equal columns have equal arrays and nothing of the original value stays behind the mask.

A date or a number that is missing in the original has no place in a range. Its cell is under the mask too, so that
whoever computes leaves it out, and under a second one that says so: it is published as an empty text, not as ``*``. A
cell that covers values and missing ones is suppressed. Missing categories are a value of their own, the empty text.

>>> cells = RangeCells.of_values([3, 5]).hull(RangeCells.of_values([4, 5]))
>>> cells.lo.tolist(), cells.hi.tolist(), cells.contains([4, 6]).tolist()
([3, 5], [4, 5], [True, False])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Bools, Ints

# The code of a value that is missing in the original: outside every range, inside cells that are missing or withheld.
MISSING = int(np.iinfo(np.int64).min)


def _ints(values: npt.ArrayLike) -> Ints:
    return np.ascontiguousarray(values, dtype=np.int64)


def _distinct(keys: Ints) -> Ints:
    """Return the ascending distinct keys; np.unique hashes integers, which takes twenty times as long as sorting."""
    if (keys[1:] > keys[:-1]).all():
        return keys
    keys = np.sort(keys)
    return keys[np.concatenate(([True], keys[1:] != keys[:-1]))]


@dataclass(frozen=True, eq=False, slots=True)
class RangeCells:
    """A column of inclusive integer ranges with a suppression mask, and those of its cells that say "missing"."""

    lo: Ints
    hi: Ints
    suppressed: Bools
    missing: Bools

    @classmethod
    def of_values(cls, values: npt.ArrayLike) -> Self:
        """Return plain cells, one per value; missing values stay missing."""
        codes = _ints(values)
        return cls.of_ranges(codes, codes, missing=codes == MISSING)

    @classmethod
    def of_ranges(
        cls,
        lo: npt.ArrayLike,
        hi: npt.ArrayLike,
        *,
        suppressed: npt.ArrayLike | None = None,
        missing: npt.ArrayLike | None = None,
    ) -> Self:
        """Return cells ``[lo;hi]``, ``*`` where the first mask is set, and missing ones where the second is."""
        low, high = _ints(lo), _ints(hi)
        nowhere = np.zeros(len(low), dtype=np.bool_)
        absent = nowhere if missing is None else np.asarray(missing, dtype=np.bool_)
        mask = absent if suppressed is None else absent | np.asarray(suppressed, dtype=np.bool_)
        if mask.any():
            low, high = np.where(mask, 0, low), np.where(mask, 0, high)
        if (low > high).any():
            message = "a range must not have its lower end above its upper end"
            raise ValueError(message)
        return cls(low, high, mask.copy(), absent.copy())

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.lo)

    @property
    def plain(self) -> Bools:
        """Which cells are single values."""
        return (self.lo == self.hi) & ~self.suppressed

    @property
    def withheld(self) -> Bools:
        """Which cells are published as ``*``: suppressed, and not merely missing."""
        return self.suppressed & ~self.missing

    def width(self) -> Ints:
        """Return ``hi - lo`` in steps (0 for plain and for suppressed cells)."""
        return self.hi - self.lo

    def contains(self, values: npt.ArrayLike) -> Bools:
        """Return, cell by cell, whether the original value is a possible one."""
        codes = _ints(values)
        inside = self.suppressed | ((self.lo <= codes) & (codes <= self.hi))
        return np.where(self.missing, codes == MISSING, inside) if self.missing.any() else inside

    def hull(self, other: Self) -> Self:
        """Return, cell by cell, the smallest range that covers both; suppression wins."""
        return self.of_ranges(
            np.minimum(self.lo, other.lo),
            np.maximum(self.hi, other.hi),
            suppressed=self.suppressed | other.suppressed,
            missing=self.missing & other.missing,
        )

    def hull_of_groups(self, starts: npt.ArrayLike) -> Self:
        """Return one hull per run of consecutive cells; ``starts`` are the first positions of the runs."""
        first = _ints(starts)
        return self.of_ranges(
            np.minimum.reduceat(self.lo, first),
            np.maximum.reduceat(self.hi, first),
            suppressed=np.logical_or.reduceat(self.suppressed, first),
            missing=np.logical_and.reduceat(self.missing, first),
        )

    def suppress(self, mask: npt.ArrayLike) -> Self:
        """Return the cells with those under the mask suppressed too, missing ones as well."""
        hidden = np.asarray(mask, dtype=np.bool_)
        return self.of_ranges(self.lo, self.hi, suppressed=self.suppressed | hidden, missing=self.missing & ~hidden)

    def equals(self, other: Self) -> Bools:
        """Return, cell by cell, whether both columns say the same."""
        masks = (self.suppressed == other.suppressed) & (self.missing == other.missing)
        return (self.lo == other.lo) & (self.hi == other.hi) & masks

    def take(self, rows: npt.ArrayLike) -> Self:
        """Return the cells at these positions."""
        index = _ints(rows)
        return type(self)(self.lo[index], self.hi[index], self.suppressed[index], self.missing[index])

    def sort_keys(self) -> tuple[Ints, ...]:
        """Return integer columns that are equal exactly where cells are equal."""
        return (self.lo, self.hi, self.suppressed.astype(np.int64) + self.missing)


@dataclass(frozen=True, eq=False, slots=True)
class SetCells:
    """A column of sets of categories: cell i holds ``codes[offsets[i]:offsets[i + 1]]``, ascending and distinct."""

    offsets: Ints
    codes: Ints
    suppressed: Bools
    categories: pl.Series

    @classmethod
    def of_values(cls, values: npt.ArrayLike, categories: pl.Series) -> Self:
        """Return plain cells, one per dictionary code."""
        codes = _ints(values)
        return cls(np.arange(len(codes) + 1), codes.copy(), np.zeros(len(codes), dtype=np.bool_), categories)

    @classmethod
    def of_lists(
        cls,
        offsets: npt.ArrayLike,
        codes: npt.ArrayLike,
        categories: pl.Series,
        *,
        suppressed: npt.ArrayLike | None = None,
    ) -> Self:
        """Return cells from lists of codes in any order, with duplicates; suppressed cells lose their elements."""
        bounds, elements = _ints(offsets), _ints(codes)
        count = len(bounds) - 1
        mask = np.zeros(count, dtype=np.bool_) if suppressed is None else np.asarray(suppressed, dtype=np.bool_).copy()
        owner = np.repeat(np.arange(count), np.diff(bounds))
        keep = ~mask[owner]
        owner, elements = owner[keep], elements[keep]
        key = _distinct(owner * max(len(categories), 1) + elements)
        owner, elements = np.divmod(key, max(len(categories), 1))
        sizes = np.bincount(owner, minlength=count)
        if ((sizes == 0) & ~mask).any():
            message = "a set must have at least one element"
            raise ValueError(message)
        return cls(np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), elements, mask, categories)

    @classmethod
    def of_sets(cls, sets: Sequence[Sequence[str] | None], categories: pl.Series) -> Self:
        """Return cells from Python lists of values (None: suppressed); for small data and tests."""
        code = {value: position for position, value in enumerate(categories.to_list())}
        sizes = [0 if values is None else len(values) for values in sets]
        flat = [code[value] for values in sets if values is not None for value in values]
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        return cls.of_lists(offsets, _ints(flat), categories, suppressed=[values is None for values in sets])

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.offsets) - 1

    @property
    def plain(self) -> Bools:
        """Which cells are single values."""
        return self.sizes() == 1

    @property
    def missing(self) -> Bools:
        """Which cells say that there is no value: the empty text alone."""
        absent = np.zeros(len(self), dtype=np.bool_)
        alone = np.flatnonzero(self.plain)
        absent[alone] = (self.categories == "").to_numpy()[self.codes[self.offsets[alone]]]
        return absent

    @property
    def withheld(self) -> Bools:
        """Which cells are published as ``*``."""
        return self.suppressed

    def sizes(self) -> Ints:
        """Return the number of elements per cell (0 where suppressed)."""
        return np.diff(self.offsets)

    def width(self) -> Ints:
        """Return the number of elements beyond the first (0 for plain and for suppressed cells)."""
        return np.maximum(self.sizes() - 1, 0)

    def owners(self) -> Ints:
        """Return, for every element, the cell it belongs to."""
        return np.repeat(np.arange(len(self)), self.sizes())

    def contains(self, values: npt.ArrayLike) -> Bools:
        """Return, cell by cell, whether the original value is a possible one."""
        wanted = _ints(values)
        owner = self.owners()
        hit = self.suppressed.copy()
        hit[owner[self.codes == wanted[owner]]] = True
        return hit

    def hull(self, other: Self) -> Self:
        """Return, cell by cell, the union of both sets; suppression wins."""
        owner = np.concatenate((self.owners(), other.owners()))
        elements = np.concatenate((self.codes, other.codes))
        order = np.argsort(owner, kind="stable")
        offsets = self.offsets + other.offsets
        return self.of_lists(offsets, elements[order], self.categories, suppressed=self.suppressed | other.suppressed)

    def hull_of_groups(self, starts: npt.ArrayLike) -> Self:
        """Return one union per run of consecutive cells; ``starts`` are the first positions of the runs."""
        first = _ints(starts)
        offsets = np.concatenate((self.offsets[first], self.offsets[-1:]))
        return self.of_lists(
            offsets, self.codes, self.categories, suppressed=np.logical_or.reduceat(self.suppressed, first)
        )

    def suppress(self, mask: npt.ArrayLike) -> Self:
        """Return the cells with those under the mask suppressed too."""
        hidden = self.suppressed | np.asarray(mask, dtype=np.bool_)
        return self.of_lists(self.offsets, self.codes, self.categories, suppressed=hidden)

    def equals(self, other: Self) -> Bools:
        """Return, cell by cell, whether both columns say the same."""
        same = (self.sizes() == other.sizes()) & (self.suppressed == other.suppressed)
        rows = np.flatnonzero(same)
        mine, theirs = self.take(rows), other.take(rows)
        same[rows[mine.owners()[mine.codes != theirs.codes]]] = False
        return same

    def take(self, rows: npt.ArrayLike) -> Self:
        """Return the cells at these positions."""
        index = _ints(rows)
        sizes = self.sizes()[index]
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        positions = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][index] - offsets[:-1], sizes)
        return type(self)(offsets, self.codes[positions], self.suppressed[index], self.categories)

    def sort_keys(self) -> tuple[Ints, ...]:
        """Return integer columns that are equal exactly where cells are equal."""
        if len(self.codes) == len(self) and not self.suppressed.any():
            return (self.codes,)
        # Many cells say the same: only those that differ are written out.
        kinds, first, kind = np.unique(self._packed(), return_index=True, return_inverse=True)
        text = self.take(first).to_lists().cast(pl.List(pl.String)).list.join(";")
        return (text.rank("dense").to_numpy().astype(np.int64)[kind] if len(kinds) else kind,)

    def _packed(self) -> Ints:
        """Return one integer per cell, equal exactly where the lists of codes are."""
        sizes, base = self.sizes(), len(self.categories) + 1
        key, values = np.zeros(len(self), dtype=np.int64), 1
        for place in range(int(sizes.max(initial=0))):
            if values * base >= 2**62:
                distinct, key = np.unique(key, return_inverse=True)
                values = len(distinct)
            longer = np.flatnonzero(sizes > place)
            key = key * base
            key[longer] += self.codes[self.offsets[longer] + place] + 1
            values *= base
        return key

    def to_lists(self) -> pl.Series:
        """Return the codes as a polars list column (an empty list where suppressed)."""
        frame = pl.DataFrame({"cell": self.owners(), "code": self.codes})
        grouped = frame.group_by("cell", maintain_order=True).agg("code")
        every = pl.DataFrame({"cell": np.arange(len(self))}).join(grouped, on="cell", how="left", maintain_order="left")
        return every["code"].fill_null([])


Cells = RangeCells | SetCells
