"""From a data set to a release in parts: choose, make out of core, write."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tokumei.data import DataSet, History, exceeds_memory, history_of, output_told
from tokumei.errors import SchemaError
from tokumei.flow.estimating import Estimate, Size, estimate_in_parts
from tokumei.flow.parted.coarsening import refuse_grids_in_memory_only
from tokumei.flow.parted.figures import Figures
from tokumei.flow.parted.making import Running, make_parts, require_parts, run_digest, work_folder
from tokumei.flow.parted.writing import write_parted
from tokumei.flow.plan import Plan, complete
from tokumei.flow.publishing import Places, Published
from tokumei.methods import KAnonymity
from tokumei.profiles import propose_schema, refined_schema, rounding_schema

# Rows that show what the columns mean; whether one of them names people is seen in all rows, or foreseen in these.
SAMPLE_ROWS = 100_000


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MadeInParts:
    """A release that was made out of core and written; ``data`` is its input."""

    data: DataSet
    plan: Plan
    method: KAnonymity
    figures: Figures
    records: int
    published: Published


def needs_parts(path: Path | None, running: Running | None) -> bool:
    """Return whether an input is made out of core: a folder of parts, what memory does not hold, or as asked for."""
    if path is None:
        return False
    return running is not None or path.is_dir() or exceeds_memory(path)


def open_data_set(path: Path, plan: Plan, *, subject: str | None = None) -> tuple[DataSet, History, Plan]:
    """Return the input of a plan, some of its records to look at, and the plan with its schema and hash."""
    data = DataSet.open(path)
    head = data.head(SAMPLE_ROWS)
    if plan.schema is None:
        inferred = propose_schema(head, subject=subject)
        if inferred.proposal is not None:
            inferred.proposal.refuse_doubt(str(path))
        schema = refined_schema(inferred.schema, data)
    else:
        schema = rounding_schema(plan.schema, data)
    schema.check_against(list(data.columns), str(path))
    schema.check_whole()
    sample = history_of(head, schema, file=str(data.parts[0]), lines=np.arange(head.height) + 1)
    filled = replace(plan, schema=schema, input=str(path), input_sha256=data.sha256, data_format="parquet")
    plan.refuse_other_input(data.sha256, data.path)
    return data, sample, filled


def foresee_parts(
    path: Path, plan: Plan, running: Running, *, subject: str | None = None
) -> tuple[Plan, Size, Estimate]:
    """Return the plan that a release in parts would follow, the size of its data, and what it will take."""
    data, sample, filled = open_data_set(path, plan, subject=subject)
    whole, method = complete(sample, filled, threads=running.workers)
    assert whole.schema is not None
    refuse_grids_in_memory_only(whole.schema)
    size = Size.of_data_set(data, sample.schema)
    return whole, size, estimate_in_parts(size, require_parts(method), workers=running.at_once())


def release_in_parts(
    path: Path, plan: Plan, places: Places, running: Running, *, subject: str | None = None
) -> MadeInParts:
    """Make and write a release of a data set that need not fit into memory."""
    data, sample, filled = open_data_set(path, plan, subject=subject)
    whole, method = complete(sample, filled, threads=running.workers, sample=True)
    strict = require_parts(method)
    assert whole.schema is not None
    refuse_grids_in_memory_only(whole.schema)
    sample.schema.check_publishable()
    if sample.schema.kept:
        message = "out of core no column can be kept unchanged; drop it in the schema, or let it be generalized"
        raise SchemaError(message)
    if sample.schema.household:
        message = "out of core households cannot be kept apart; allow more memory (--memory), or drop the column"
        raise SchemaError(message)
    with output_told(places.folder), work_folder(running, places.folder, run_digest(data, whole)) as folder:
        made = make_parts(data, whole, strict, folder, running)
        data.refuse_changed()
        published = write_parted(made, strict, places)
    return MadeInParts(
        data=data, plan=made.plan, method=strict, figures=made.figures, records=made.survey.records, published=published
    )
