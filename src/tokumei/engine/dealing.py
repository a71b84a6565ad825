"""The shuffle: rows of one file go to the piles that a table of keys says, one file per pile and source.

    piles/00012/SOURCE.parquet     the rows of SOURCE whose unit belongs to pile 12
    piles/SOURCE.done              all rows of SOURCE are dealt

A pile is read by taking all its files in the order of their names.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.engine.tasks import task_output

UNIT = "unit"


@dataclass(frozen=True, slots=True)
class DealJob:
    """Deal the rows of ``source`` to piles below ``folder``; ``keys`` is a file with the pile of every unit."""

    source: Path
    keys: Path
    folder: Path

    @property
    def outputs(self) -> tuple[Path]:
        """The file that says that all rows are dealt."""
        return (self.folder / f"{self.source.stem}.done",)


def pile_folder(folder: Path, number: int) -> Path:
    """Return where the rows of a pile are."""
    return folder / f"{number:05d}"


def deal(job: DealJob) -> None:
    """Write the rows of a file to their piles."""
    frame = pl.read_parquet(job.source, glob=False)
    with np.load(job.keys) as stored:
        pile: Ints = stored["keys"][frame[UNIT].to_numpy()]
    order = np.argsort(pile, kind="stable")
    numbers, starts = np.unique(pile[order], return_index=True)
    ends = np.append(starts[1:], len(order))
    frame = frame[order]
    for number, start, end in zip(numbers.tolist(), starts.tolist(), ends.tolist(), strict=True):
        with task_output(pile_folder(job.folder, number) / f"{job.source.stem}.parquet") as partial:
            frame[start:end].write_parquet(partial, compression="lz4", statistics=False)
    with task_output(job.outputs[0]) as partial:
        partial.touch()


def read_pile(folder: Path, number: int) -> pl.DataFrame:
    """Return all rows of a pile."""
    files = sorted(pile_folder(folder, number).glob("*.parquet"))
    return pl.concat([pl.read_parquet(file, glob=False) for file in files])
