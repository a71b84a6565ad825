"""Grouping a part of the data that lies in files: from coded records to what is published of them, as text.

A part is some neighbouring blocks of units. Every block is grouped and merged on its own, as in memory; the cells of
a line are written once, in the order of their text, and every member of the group shows them under its number. Who is
grouped with whom is secret: the files are readable by their owner only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import Cells, Coarsened, ColumnFacts, Field, History, Release, Schema, cell_errors, cells_text
from tokumei.engine import UNIT, read_pile, task_output
from tokumei.methods.grouping.merging import Merged, line_cells
from tokumei.methods.grouping.record_table import RecordTable
from tokumei.methods.grouping.work import GroupingWork

ROW = "row"


def original_name(number: int) -> str:
    """Return the column of the original codes of a field whose codes are coarse."""
    return f"original-{number}"


@dataclass(frozen=True, eq=False, slots=True)
class Opening:
    """What coarse records are told by: the whole original without its records, the names of categories, and spreads."""

    original: History
    labels: Mapping[str, pl.Series]
    spreads: Mapping[str, float]

    def opened(self, cells: Mapping[str, Cells]) -> Release:
        """Return lines whose cells hold the original values."""
        lines = len(next(iter(cells.values())))
        names = pl.Series(np.zeros(lines, dtype=np.int64)).cast(pl.String)
        release = Release(self.original.schema, names, cells)
        return Coarsened(self.original, self.original, self.labels).opened(release)


@dataclass(frozen=True, eq=False, slots=True)
class Coded:
    """What of the whole data a part needs: what the columns mean, their dictionaries and spreads.

    ``opening`` is there where the records are coarse (`tokumei.data.coarsening`).
    """

    schema: Schema
    categories: Mapping[str, pl.Series]
    spreads: Mapping[str, float]
    weights: Mapping[str, float]
    opening: Opening | None = None


@dataclass(frozen=True, eq=False, slots=True)
class SolveJob:
    """Group the blocks of one part: records from pile ``number`` below ``piles``, units of each block in ``blocks``."""

    number: int
    piles: Path
    blocks: Path
    folder: Path
    coded: Coded
    work: GroupingWork

    @property
    def figures(self) -> Path:
        """What is counted of the part."""
        return self.folder / f"{self.number:05d}.npz"

    @property
    def records(self) -> Path:
        """The published records: unit, row of the original, and a text for every field."""
        return self.folder / f"{self.number:05d}.parquet"

    @property
    def outputs(self) -> tuple[Path, Path]:
        """The files that the task leaves behind."""
        return self.records, self.figures


def solve_part(job: SolveJob) -> None:
    """Group, align, merge and write the blocks of one part."""
    history, originals, units, rows = _part_history(read_pile(job.piles, job.number), job.coded)
    table = RecordTable.from_history(history, job.coded.weights, spreads=job.coded.spreads)
    with np.load(job.blocks) as stored:
        members, bounds = stored["members"], stored["bounds"]
    opening = job.coded.opening
    frames, figures = [], _Figures(job.coded.spreads if opening is None else opening.spreads)
    for start, stop in pairwise(bounds.tolist()):
        block = table.take(np.searchsorted(units, members[start:stop]))
        merged, _ = job.work.merged(block, job.work.groups(block))
        unit = units[block.owners[merged.name]]
        cells = {
            name: line_cells(history, name, merged.rows, merged.starts, spread=spread)
            for name, spread in job.coded.spreads.items()
        }
        frames.append(_published(_Lines.of(history, cells, opening), originals, merged, figures, unit, rows))
    with task_output(job.records) as partial:
        pl.concat(frames).write_parquet(partial, compression="lz4", statistics=False)
    with task_output(job.figures) as partial, partial.open("wb") as file:
        np.savez(file, **dict[str, Any](figures.arrays()))


@dataclass(frozen=True, eq=False, slots=True)
class _Lines:
    """The cells of the lines of a block, as they are published and as sets and ranges of original values."""

    fields: Sequence[Field]
    written: Mapping[str, Cells]
    cells: Mapping[str, Cells]

    @classmethod
    def of(cls, history: History, cells: Mapping[str, Cells], opening: Opening | None) -> _Lines:
        if opening is None:
            return cls(history.schema.fields, cells, cells)
        opened = opening.opened(cells)
        return cls(history.schema.fields, opened.written, opened.cells)


def _part_history(frame: pl.DataFrame, coded: Coded) -> tuple[History, Mapping[str, Ints], Ints, Ints]:
    """Return the records of a part sorted as `History.order` has them, the original codes, its units, and their rows.

    Records that are equal in the grid stay in the order of their original codes, as in memory.
    """
    names = [str(number) for number in range(len(coded.schema.fields))]
    originals = {name: original_name(number) for number, name in enumerate(names)}
    frame = frame.sort(UNIT, *names, *(one for one in originals.values() if one in frame.columns), ROW)
    unit = frame[UNIT].to_numpy().astype(np.int64)
    begins = np.concatenate(([True], np.diff(unit) != 0))
    units, subject = unit[begins], np.cumsum(begins) - 1
    codes = {
        field.name: frame[name].cast(pl.Int64).to_numpy()
        for name, field in zip(names, coded.schema.fields, strict=True)
    }
    history = History(coded.schema, pl.Series(units).cast(pl.String), subject, codes, coded.categories)
    known = {
        field.name: frame[originals[name] if originals[name] in frame.columns else name].cast(pl.Int64).to_numpy()
        for name, field in zip(names, coded.schema.fields, strict=True)
    }
    return history, known, units, frame[ROW].to_numpy()


def _published(  # noqa: PLR0917
    lines: _Lines, originals: Mapping[str, Ints], merged: Merged, figures: _Figures, unit: Ints, rows: Ints
) -> pl.DataFrame:
    """Return the published records of a block, sorted by unit and text."""
    text = pl.DataFrame(cells_text(lines.written, lines.fields))
    text.columns = [str(number) for number in range(text.width)]
    rank = np.empty(text.height, dtype=np.int64)
    rank[text.select(pl.arg_sort_by(text.columns)).to_series().to_numpy()] = np.arange(text.height)
    order = np.lexsort((merged.source, rank[merged.line], unit))
    line, source = merged.line[order], merged.source[order]
    figures.add(originals, lines, line, source, unit)
    return text[line].with_columns(
        pl.Series(UNIT, unit[order]).cast(pl.UInt32), pl.Series(ROW, np.where(source < 0, -1, rows[source]))
    )


class _Figures:
    """What is counted of the published records of a part; parts are added up afterwards."""

    def __init__(self, spreads: Mapping[str, float]) -> None:
        self.spreads = spreads
        self._errors: dict[str, list[float]] = {name: [] for name in spreads}
        self._columns: dict[str, ColumnFacts] = {}
        self._units: list[Ints] = []
        self._real = 0

    def add(self, originals: Mapping[str, Ints], lines: _Lines, line: Ints, source: Ints, unit: Ints) -> None:
        """Count one block."""
        real = source >= 0
        for name, column in lines.cells.items():
            values = originals[name][source[real]]
            errors = cell_errors(values, column.take(line[real]), self.spreads[name])
            self._errors[name].append(float(errors.sum()))
            facts = ColumnFacts.of(lines.written[name].take(line))
            self._columns[name] = self._columns[name] + facts if name in self._columns else facts
        self._units.append(unit)
        self._real += int(real.sum())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the figures as named arrays."""
        units, published = np.unique(np.concatenate(self._units), return_counts=True)
        arrays: dict[str, npt.NDArray[Any]] = {"units": units, "published": published, "real": np.array(self._real)}
        for number, (name, facts) in enumerate(self._columns.items()):
            arrays[f"errors-{number}"] = np.array(self._errors[name])
            arrays[f"facts-{number}"] = np.array([facts.suppressed, facts.divisor, facts.missing])
            arrays[f"widths-{number}"] = facts.widths.to_numpy()
        return arrays
