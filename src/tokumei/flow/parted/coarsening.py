"""Second stage where the schema has grids: coded rows become what the grids tell of them.

What comes after (the cut, groups, alignment, cells) is computed from the coarse codes alone, as in memory
(`tokumei.data.coarsening`); the original codes of coarse fields go along only to say what got lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.data import History, Schema, Sums, Survey, category_labels, coarse_columns, coarsened_part
from tokumei.engine import UNIT, task_output
from tokumei.errors import InfeasibleError
from tokumei.flow.parted.coding import CodedBatch, CodeJob, code_column, joined_moments, kept_survey, write_sums
from tokumei.methods import ROW, Opening, original_name


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CoarsenJob(CodedBatch):
    """Tell the rows of a coded batch by the grids of the schema; coarse fields keep their original codes beside."""

    source: Path

    @classmethod
    def of(cls, coding: Sequence[CodeJob], folder: Path) -> list[CoarsenJob]:
        """Return the jobs for all coded batches, with their files in a folder."""
        return [cls(number=job.number, source=job.codes, survey=job.survey, folder=folder) for job in coding]


def refuse_grids_in_memory_only(schema: Schema) -> None:
    """Raise InfeasibleError for what is told of columns by looking at all data at once."""
    rare = [column.name for column in schema.columns if column.rare]
    if rare or schema.demands:
        what = f"rare values ('rare' of the column '{rare[0]}')" if rare else "demands of sensitive columns"
        message = (
            f"out of core there are no {what} yet; give one file that fits into memory, or delete them from the schema "
            "(sensitive = { l = 1 } only measures)"
        )
        raise InfeasibleError(message, code="in-memory-only")
    ordered = {field.column for field in schema.fields if not field.nominal}
    for name, column in coarse_columns(schema).items():
        if name in ordered and str(column.grid).startswith("level"):
            message = (
                f"out of core the column '{name}' has no grid of a hierarchy; give it a calendar unit, a width or "
                "1-2-5, or give one file that fits into memory"
            )
            raise InfeasibleError(message, code="in-memory-only")


def opening_of(survey: Survey) -> Opening | None:
    """Return what makes cells of coarse records hold the original values; None where the schema has no grids."""
    if not coarse_columns(survey.schema):
        return None
    whole = survey.empty()
    return Opening(whole, category_labels(whole), survey.spreads())


def coarsen_rows(job: CoarsenJob) -> None:
    """Write the coarse codes of a batch, and what the records of its subjects add up to."""
    survey = kept_survey(job.survey)
    fields, coarse = survey.schema.fields, coarse_columns(survey.schema)
    frame = pl.read_parquet(job.source, glob=False)
    codes = {field.name: frame[str(number)].cast(pl.Int64).to_numpy() for number, field in enumerate(fields)}
    subject = frame[UNIT].to_numpy().astype(np.int64)
    history = History(survey.schema, survey.subjects, subject, codes, survey.categories)
    labels = category_labels(survey.empty())
    told = coarsened_part(history, labels, _names(labels))
    columns = [frame[UNIT], frame[ROW]]
    columns += [code_column(told, field, str(number)) for number, field in enumerate(fields)]
    columns += [
        code_column(history, field, original_name(number))
        for number, field in enumerate(fields)
        if field.column in coarse
    ]
    with task_output(job.codes) as partial:
        pl.DataFrame(columns).write_parquet(partial, compression="lz4", statistics=False)
    write_sums(told, job.sums, [Sums.of(told.codes[field.name]) for field in fields])


def coarse_survey(survey: Survey, jobs: Sequence[CoarsenJob]) -> Survey:
    """Return the survey of the coarse records."""
    moments = joined_moments([job.sums for job in jobs])
    fields = survey.schema.fields
    sums = {field.name: one for field, one in zip(fields, moments, strict=True) if not field.nominal}
    return replace(survey, categories={**survey.categories, **_names(category_labels(survey.empty()))}, sums=sums)


def _names(labels: dict[str, pl.Series]) -> dict[str, pl.Series]:
    """Return the dictionaries of names; every category of a survey occurs, and so does its name."""
    return {name: known.cast(pl.String).unique().sort().alias(name) for name, known in labels.items()}
