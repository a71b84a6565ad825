"""All records of a data set as integer codes on the disk, from which any of them are taken in any order.

Which original record a published one came from is a row number, and the rows of one part of a release lie all over the
original. So every batch of the original is coded once, each field an array in a file of its own, and the rows that are
asked for are looked up through the memory map of those files.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tokumei.array_types import Ints
from tokumei.data.cells import MISSING
from tokumei.data.data_set import DataSet
from tokumei.data.files import atomic_folder
from tokumei.data.history import History
from tokumei.data.survey import Survey, located

SUBJECT = 0


@dataclass(frozen=True, eq=False, slots=True)
class _Column:
    """One field of one batch: 0 where it is missing, else the code less ``base``, in the fewest bytes."""

    file: Path
    base: int

    @classmethod
    def write(cls, codes: Ints, file: Path) -> _Column:
        present = codes[codes != MISSING]
        low, high = (int(present.min()), int(present.max())) if len(present) else (0, 0)
        base = low - 1
        shifted = np.where(codes == MISSING, 0, codes - base)
        np.save(file, shifted.astype(np.min_scalar_type(high - base)))
        return cls(file, base)

    def take(self, rows: Ints) -> Ints:
        stored = np.load(self.file, mmap_mode="r")[rows].astype(np.int64)
        return np.where(stored == 0, MISSING, stored + self.base)


@dataclass(frozen=True, eq=False, repr=False)
class CodedRows:
    """The rows ``bounds[b]`` to ``bounds[b + 1]`` of a data set are batch b: its subjects and its fields."""

    survey: Survey
    bounds: Ints
    columns: tuple[tuple[_Column, ...], ...]

    @classmethod
    def write(cls, data_set: DataSet, survey: Survey, folder: Path) -> CodedRows:
        """Code a data set after its survey into files of a new folder, all of them or none."""
        names = [spec.name for spec in survey.schema.fields]
        bounds, columns = [0], []
        with atomic_folder(folder) as temporary:
            for number, batch in enumerate(data_set.batches(survey.schema.sources())):
                coded = survey.coded(located(batch, survey.schema, survey.records))
                arrays = [coded.subject, *(coded.codes[name] for name in names)]
                written = [
                    _Column.write(codes, temporary / f"{number}-{field}.npy") for field, codes in enumerate(arrays)
                ]
                columns.append(tuple(_Column(folder / column.file.name, column.base) for column in written))
                bounds.append(bounds[-1] + len(coded))
        return cls(survey, np.array(bounds, dtype=np.int64), tuple(columns))

    def take(self, rows: npt.ArrayLike) -> History:
        """Return the records at these row numbers, in this order; subjects and categories are those of the whole."""
        wanted = np.asarray(rows, dtype=np.int64)
        order = np.argsort(wanted, kind="stable")
        cuts = np.searchsorted(wanted[order], self.bounds)
        fields = len(self.survey.schema.fields) + 1
        arrays = [np.empty(len(wanted), dtype=np.int64) for _ in range(fields)]
        for number, (begin, end) in enumerate(pairwise(cuts)):
            if begin == end:
                continue
            places = order[begin:end]
            within = wanted[places] - self.bounds[number]
            for array, column in zip(arrays, self.columns[number], strict=True):
                array[places] = column.take(within)
        codes = {spec.name: array for spec, array in zip(self.survey.schema.fields, arrays[1:], strict=True)}
        return History(self.survey.schema, self.survey.subjects, arrays[SUBJECT], codes, self.survey.categories)
