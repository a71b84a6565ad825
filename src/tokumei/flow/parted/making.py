"""The one plan of a release that is made out of core, from a data set to the parts of a release.

    survey    dictionaries, spreads, subjects                     one pass
    code      integer codes; counts and sums per subject          a task per batch of the input
    gate      no column names people, by counts of all records
    coarsen   codes as public grids tell them, where there are   a task per batch
    cut       subjects lined up and cut into blocks, by features alone
    deal      records to the part of their block                  a task per batch
    solve     group, align, merge, write                          a task per part (some neighbouring blocks)
    draw      pseudonyms, once
    deal      published records to the part of their pseudonym    a task per part
    publish   sort, write, hash                                   a task per part of the release

The blocks, their groups and the pseudonyms are those that the method finds in memory. Everything between two stages
is files in a folder that only its owner can read, so that a run that was interrupted goes on at any task.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import DataSet, Survey, allowed_gigabytes, cut_parts, output_told, refuse_address, write_private
from tokumei.engine import DealJob, Engine, deal, open_engine, run_tasks, task_output
from tokumei.errors import InfeasibleError
from tokumei.flow.making import seeded
from tokumei.flow.parted.coarsening import CoarsenJob, coarse_survey, coarsen_rows, opening_of
from tokumei.flow.parted.coding import CodedBatch, CodeJob, code_rows, joined_features
from tokumei.flow.parted.figures import Figures, joined_figures
from tokumei.flow.parted.identifying import Tallies
from tokumei.flow.parted.publishing import PublishJob, publish_part
from tokumei.flow.plan import Plan, fresh_key
from tokumei.methods import (
    Coded,
    Features,
    KAnonymity,
    SolveJob,
    cut_features,
    draw_pseudonyms,
    read_weights,
    solve_part,
)
from tokumei.progress import stage

# Records of a task: so many that its fixed price is small, so few that losing one costs little; and so many tasks that
# workers share them evenly, as far as that leaves enough records.
FEWEST_TASK_RECORDS, MOST_TASK_RECORDS, ENOUGH_TASKS = 50_000, 1_000_000, 32
# Gigabytes that a worker holds at most while it works on a task, and that the driver holds.
WORKER_GIGABYTES, DRIVER_GIGABYTES = 0.8, 0.6
_PUBLISHABLE_SURPLUS = ("delete", "dummy")
_PUBLISHABLE_LOSS = ("auto", "cell-error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """How a release is made: on which engine, with how many workers, how much memory, and where it can be resumed.

    ``cluster`` is the address of a Dask scheduler, ``memory`` gigabytes (default: half of the machine's), ``resume``
    a folder that keeps what is finished (default: one that is removed).
    """

    engine: str = "threads"
    workers: int = 1
    cluster: str | None = None
    memory: float | None = None
    resume: Path | None = None

    def at_once(self) -> int:
        """Return how many tasks may be at work: no more than there is memory for, but one."""
        memory = allowed_gigabytes() if self.memory is None else self.memory
        return max(1, min(self.workers, int((memory - DRIVER_GIGABYTES) / WORKER_GIGABYTES)))


@dataclass(frozen=True, eq=False, slots=True)
class PartedRelease:
    """What the tasks left behind: the parts with what is told of them, the figures of all, the plan with its key."""

    parts: Sequence[PublishJob]
    figures: Figures
    survey: Survey
    plan: Plan


def require_parts(method: object) -> KAnonymity:
    """Return the method if it can work out of core, with its settings; raise InfeasibleError if not."""
    if not isinstance(method, KAnonymity):
        name = getattr(method, "name", "")
        message = f"the method '{name}' needs all data in memory at once; out of core there is k-anonymity"
        raise InfeasibleError(message, code="in-memory-only")
    if method.split is not None or method.surplus not in _PUBLISHABLE_SURPLUS:
        message = (
            f"out of core, surplus must be {' or '.join(_PUBLISHABLE_SURPLUS)} and nothing can be split; "
            "leave split out, or give one file that fits into memory"
        )
        raise InfeasibleError(message, code="in-memory-only")
    if method.loss not in _PUBLISHABLE_LOSS or method.suppress > 0:
        message = (
            "out of core, groups are found by the cell error and nobody is suppressed; leave loss and suppress out, or "
            "give one file that fits into memory"
        )
        raise InfeasibleError(message, code="in-memory-only")
    return replace(method, loss="cell-error")


@contextmanager
def work_folder(running: Running, beside: Path, digest: str) -> Iterator[Path]:
    """Yield the folder of the run: one that is kept until the run is done, or one that goes in any case."""
    if running.resume is None:
        with output_told(beside.parent):
            folder = Path(tempfile.mkdtemp(prefix=f".{beside.name[:40]}.", suffix=".work", dir=beside.parent.resolve()))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return
    refuse_address(running.resume)
    folder = running.resume / digest
    with output_told(running.resume):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def run_digest(data: DataSet, plan: Plan) -> str:
    """Return a name for a run that changes with its input, its plan and the version of the program."""
    text = "\n".join((data.sha256, replace(plan, input="", key="").to_toml(), plan.key, version("tokumei")))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def make_parts(data: DataSet, plan: Plan, method: KAnonymity, folder: Path, running: Running) -> PartedRelease:
    """Make the parts of a release below ``folder``; what is there of an earlier run is not made again."""
    assert plan.schema is not None
    plan = _with_key(plan, folder / "key")
    survey = _survey(data, plan, folder / "survey")
    if len(survey.subjects) < method.k:
        message = (
            f"k-anonymity with k = {method.k} needs at least {method.k} subjects, the data has "
            f"{len(survey.subjects)}; lower k or add data"
        )
        raise InfeasibleError(message)
    place = open_engine(running.engine, workers=running.at_once(), cluster=running.cluster)
    with output_told(folder), place as engine, stage(engine.dashboard or running.engine):
        coding = _coded(data, folder, engine)
        Tallies([job.tally for job in coding], [job.codes for job in coding], survey).refuse(plan.allow)
        solved = _solved(coding, survey, method, folder, engine)
        figures = joined_figures([job.figures for job in solved], survey, method=method.name)
        _draw_names(figures, survey, plan, folder)
        parts = _published([job.records for job in solved], survey, folder, engine)
    return PartedRelease(parts, figures, survey, plan)


def _with_key(plan: Plan, file: Path) -> Plan:
    """Return the plan with the key of its random choices: its own, or that of the run that is resumed."""
    if plan.seed is not None or plan.key:
        return plan
    if not file.is_file():
        write_private(file, fresh_key().encode())
    return replace(plan, key=file.read_text(encoding="ascii"))


def _survey(data: DataSet, plan: Plan, folder: Path) -> Survey:
    survey = Survey.read(folder)
    if survey is None:
        assert plan.schema is not None
        with stage("survey"):
            survey = Survey.of(data, plan.schema)
        with output_told(folder):
            survey.write(folder)
    return survey


def _coded(data: DataSet, folder: Path, engine: Engine) -> list[CodeJob]:
    """Code the input."""
    coding = [
        CodeJob(number=number, data=data, first=first, survey=folder / "survey", folder=folder / "coded")
        for number, first in enumerate(data.batch_starts())
    ]
    run_tasks(code_rows, coding, engine, label="coding")
    return coding


def _solved(
    coding: Sequence[CodeJob], survey: Survey, method: KAnonymity, folder: Path, engine: Engine
) -> list[SolveJob]:
    """Cut the subjects into parts, bring the records to their part and group them there."""
    opening = opening_of(survey)
    coded_rows: Sequence[CodedBatch] = coding
    if opening is not None:
        coarse = CoarsenJob.of(coding, folder / "coarse")
        run_tasks(coarsen_rows, coarse, engine, label="grids")
        coded_rows, survey = coarse, coarse_survey(survey, coarse)
    features = joined_features([job.sums for job in coded_rows], survey)
    work = method.work(survey.records, len(features.counts))
    blocks = [block.units for block in cut_features(features, **method.cut(work))]
    numbers = _parts_of_blocks(blocks, features)
    keys = np.empty(len(features.counts), dtype=np.uint32)
    for number, units in zip(numbers, blocks, strict=True):
        keys[units] = number
    parts = list(range(max(numbers) + 1))
    for number in parts:
        _save(
            folder / "blocks" / f"{number:05d}.npz",
            _flat([b for b, n in zip(blocks, numbers, strict=True) if n == number]),
        )
    _save(folder / "part-of-unit.npz", {"keys": keys})
    dealing = [DealJob(job.codes, folder / "part-of-unit.npz", folder / "dealt") for job in coded_rows]
    run_tasks(deal, dealing, engine, label="shuffle by block")
    weights = read_weights(method.weights, survey.empty())
    coded = Coded(survey.schema, survey.categories, survey.spreads(), weights, opening)
    jobs = [
        SolveJob(number, folder / "dealt", folder / "blocks" / f"{number:05d}.npz", folder / "solved", coded, work)
        for number in parts
    ]
    run_tasks(solve_part, jobs, engine, label="grouping")
    return jobs


def _parts_of_blocks(blocks: Sequence[Ints], features: Features) -> list[int]:
    """Return the part of every block: neighbours together until they have enough records."""
    numbers, number, records = [], 0, 0
    share = int(features.counts.sum()) // ENOUGH_TASKS
    most = min(max(share, FEWEST_TASK_RECORDS), MOST_TASK_RECORDS)
    for units in blocks:
        size = int(features.counts[units].sum())
        if records and records + size > most:
            number, records = number + 1, 0
        numbers.append(number)
        records += size
    return numbers


def _flat(blocks: Sequence[Ints]) -> dict[str, Ints]:
    bounds = np.cumsum([0, *map(len, blocks)])
    return {"members": np.concatenate(blocks), "bounds": bounds}


def _save(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    with task_output(path) as partial, partial.open("wb") as file:
        np.savez(file, **dict[str, Any](arrays))


def _draw_names(figures: Figures, survey: Survey, plan: Plan, folder: Path) -> None:
    """Draw the pseudonyms, sort them as text and cut them into parts of the release."""
    drawn = draw_pseudonyms(len(survey.subjects), rng=seeded(plan.seed, key=plan.key), avoid=survey.subjects)
    order = drawn.arg_sort().to_numpy()
    keys, place = np.empty(len(order), dtype=np.uint32), np.empty(len(order), dtype=np.int64)
    keys[order] = cut_parts(figures.published[order])
    place[order] = np.arange(len(order))
    _save(folder / "names.npz", {"names": drawn.cast(pl.Int64).to_numpy(), "place": place})
    _save(folder / "part-of-name.npz", {"keys": keys})


def _published(records: Sequence[Path], survey: Survey, folder: Path, engine: Engine) -> list[PublishJob]:
    """Bring the records to the part of their pseudonym and write the parts."""
    keys = folder / "part-of-name.npz"
    run_tasks(deal, [DealJob(file, keys, folder / "sorted") for file in records], engine, label="shuffle by pseudonym")
    with np.load(keys) as stored:
        count = int(stored["keys"].max()) + 1
    subjects = folder / "survey" / "subjects.parquet"
    jobs = [
        PublishJob(number, folder / "sorted", folder / "names.npz", subjects, survey.schema, folder / "release")
        for number in range(count)
    ]
    run_tasks(publish_part, jobs, engine, label="writing parts")
    return jobs
