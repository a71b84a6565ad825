"""First stage: some rows of the input become integer codes, and every subject's counts and sums are noted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.data import MISSING, DataSet, Field, History, Sums, Survey, located
from tokumei.engine import UNIT, task_output
from tokumei.errors import UnreadableError
from tokumei.flow.parted.identifying import batch_tally
from tokumei.methods import ROW, Features


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CodedBatch:
    """What a task makes of a batch of rows, in a folder, after the survey that is kept in another one."""

    number: int
    survey: Path
    folder: Path

    @property
    def sums(self) -> Path:
        """The sums per subject, and the moments of every field where they are needed."""
        return self.folder / f"{self.number:05d}.npz"

    @property
    def codes(self) -> Path:
        """The coded rows: unit, row, and one column per field, named by its number."""
        return self.folder / f"{self.number:05d}.parquet"

    @property
    def outputs(self) -> tuple[Path, ...]:
        """The files that the task leaves behind."""
        return self.codes, self.sums


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CodeJob(CodedBatch):
    """Code a batch of the input, from the row ``first`` on."""

    data: DataSet
    first: int

    @property
    def tally(self) -> Path:
        """What tells whether a column names people."""
        return self.folder / "tallies" / f"{self.number:05d}.npz"

    @property
    def outputs(self) -> tuple[Path, ...]:
        """The files that the task leaves behind."""
        return self.codes, self.sums, self.tally


@lru_cache(maxsize=1)
def kept_survey(folder: Path) -> Survey:
    """Return the survey that is kept in a folder; tasks of one worker read it once."""
    survey = Survey.read(folder)
    if survey is None:
        raise UnreadableError(f"{folder}: the survey of the data is not there any more; run again", file=str(folder))
    return survey


def code_rows(job: CodeJob) -> None:
    """Write the codes of a batch, and what the records of its subjects add up to."""
    survey = kept_survey(job.survey)
    fields = survey.schema.fields
    batch = job.data.batch(job.first, survey.schema.sources())
    history = survey.coded(located(batch, survey.schema, survey.records))
    columns = [pl.Series(UNIT, history.subject).cast(pl.UInt32)]
    columns.append(pl.Series(ROW, np.arange(batch.first, batch.first + len(history))))
    columns += [code_column(history, field, str(number)) for number, field in enumerate(fields)]
    with task_output(job.codes) as partial:
        pl.DataFrame(columns).write_parquet(partial, compression="lz4", statistics=False)
    write_sums(history, job.sums, [Sums.of(history.codes[one.name]) if one.nominal else Sums() for one in fields])
    with task_output(job.tally) as partial, partial.open("wb") as file:
        np.savez(file, **dict[str, Any](batch_tally(history, survey)))


def code_column(history: History, field: Field, name: str) -> pl.Series:
    """Return the codes of a field as a column of a file."""
    column = pl.Series(name, history.codes[field.name])
    return column.cast(pl.Int32) if field.nominal else column


def write_sums(history: History, file: Path, moments: Sequence[Sums]) -> None:
    """Write what the codes of every field of a batch add up to for each subject, and ``moments`` of its fields."""
    units, place = np.unique(history.subject, return_inverse=True)
    sums = np.zeros((len(history.schema.fields), len(units)), dtype=np.int64)
    for number, field in enumerate(history.schema.fields):
        codes = history.codes[field.name]
        np.add.at(sums[number], place, np.where(codes == MISSING, 0, codes))
    exact = np.array([[str(part) for part in astuple(one)] for one in moments])
    with task_output(file) as partial, partial.open("wb") as stream:
        np.savez(stream, units=units, counts=np.bincount(place, minlength=len(units)), sums=sums, moments=exact)


def joined_moments(outputs: Sequence[Path]) -> list[Sums]:
    """Return the moments of every field over all batches."""
    found: list[Sums] = []
    for output in outputs:
        with np.load(output) as stored:
            more = [Sums(*map(int, one)) for one in stored["moments"]]
            found = [known + added for known, added in zip(found, more, strict=True)] if found else more
    return found


def joined_features(outputs: Sequence[Path], survey: Survey) -> Features:
    """Return the features of all subjects from the sums of all batches; exact, so that their cut says nothing."""
    fields = survey.schema.fields
    counts = np.zeros(len(survey.subjects), dtype=np.int64)
    sums = np.zeros((len(fields), len(counts)), dtype=np.int64)
    for output in outputs:
        with np.load(output) as stored:
            units = stored["units"]
            counts[units] += stored["counts"]
            sums[:, units] += stored["sums"]
    spreads = [
        moment.spread() if field.nominal else survey.sums[field.name].spread()
        for field, moment in zip(fields, joined_moments(outputs), strict=True)
    ]
    scale = np.array([1.0 / spread if spread > 0 else 0.0 for spread in spreads])
    means = (sums / np.maximum(counts, 1)).T * scale
    # In memory ordered fields come before nominal ones.
    order = sorted(range(len(fields)), key=lambda number: fields[number].nominal)
    return Features(counts, np.ascontiguousarray(means[:, order]))
