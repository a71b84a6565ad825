"""How long a release will take and how much memory: an estimate from measured runs, told before long work begins.

The figures were measured in November 2026 on two shared cores of a server, in CPU seconds: generated purchases of 120
customers, trajectories of 300 people, tables of 1,473, 30,162 and 100,000 rows, CDNOW, storm tracks and PBC patients
(`benchmarks.practice`), with k = 2, 3 and 5. The time of k-anonymity grows with the number of columns. It has a part
per subject (whom to group with whom; where people are fewer than a block, also with how many there are to choose from)
and a part per record that grows with the length of its history (aligning histories), up to the length from which
histories are compared in pieces. Plain tables have a solver of their own, whose time grows with the rows alone. For
data of these kinds the CPU seconds of whole runs were within `FACTOR`.

By the clock a run is the shorter the better the threads share the work: the range that is told goes from the least CPU
seconds, shared by all threads, to the most, on one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tokumei.array_types import Ints
from tokumei.data import BASE_MEGABYTES, MEGABYTES_PER_RECORD, DataSet, History, Schema, subject_text
from tokumei.parts import Method

FACTOR = 1.5
# Loading the libraries and compiled kernels.
START_SECONDS = 2.0
READ_PER_RECORD, AUDIT_PER_RECORD, AUDIT_PER_SUBJECT, PUBLISH_PER_RECORD = 3e-6, 4e-6, 7e-5, 4e-6
AUDITED_SUBJECTS = 200_000
# Out of core: reading and writing after runs of 10,000 and 200,000 people (stage by stage), grouping of more than
# 1,000,000 records after one of 50,000 people (k = 2 and 5, two workers), memory after one of 1,000,000 (2.64 GB).
TASK_RECORDS = 1_000_000
SURVEY_PER_RECORD, CODE_PER_RECORD, PUBLISH_PART_PER_RECORD = 6e-7, 1.2e-6, 2.5e-6
MEGABYTES_PER_TASK_RECORD, MEGABYTES_PER_SUBJECT = 4e-4, 1.3e-3
# CPU seconds per column: of a subject, and of a record times the length of its history to this power.
LENGTH_POWER = 0.75
_GROUPING = {
    ("fast", 2): (2.0e-5, 2.9e-7),
    ("large", 2): (1.65e-5, 1.48e-7),
    ("normal", 2): (3.7e-5, 3.6e-7),
    ("fast", 3): (1.25e-4, 1.15e-6),
    ("large", 3): (1.25e-4, 5.5e-7),
    ("normal", 3): (1.75e-4, 8.3e-6),
    ("fast", 4): (1.6e-4, 1.3e-6),
    ("large", 4): (1.0e-4, 4.1e-7),
    ("normal", 4): (2.1e-4, 1.6e-5),
}
# The search by exchanges (normal, from k = 3 on) looks at few pairs of long histories, and at fewer where there are
# fewer people than these, by this power.
EXCHANGING_POWER = 0.5
_EXCHANGED = {3: (800, 0.5), 4: (1500, 0.5)}
# Annealing on exact costs, where people are few (`methods.grouping.exact_annealing`): what it may compare, what it
# needs of everybody at least, and its moves, of which about every tenth is costed; CPU seconds per cell compared.
ANNEALING_WORK, EXACT_PER_UNIT, ANNEALING_MOVES, MOVE_WORK, COSTED = 3e8, 150, 12_000, 40.0, 0.1
ANNEALING_SECONDS, ANNEALING_SAVES = 6.5e-9, 0.01
# Fewer people than these leave each less to choose from.
BLOCK_PEOPLE = 800
# One record per person: CPU seconds per cell, whatever the k (tables of 1,473, 30,162 and 100,000 rows, k = 2 to 5).
_SINGLE = {"fast": 3.5e-6, "normal": 1.6e-5}
HURRIED_SINGLES = 300_000
# Longer histories are compared in pieces of so many records, those of many records in shorter ones.
_PIECES = {"fast": 300, "large": 300, "normal": 3000}
MANY_RECORDS, SHORT_PIECE = 200_000, 500
HURRIED_RECORDS = 1_000_000
# CPU seconds per record of the methods that pass over the data once.
_PER_RECORD = {
    "ano-random": 5e-6,
    "generalize": 4e-6,
    "laplace-noise": 2e-6,
    "microaggregation": 8e-6,
    "pseudonymize": 2e-6,
    "randomized-response": 2e-6,
    "record-sampling": 2e-6,
    "rounding": 2e-6,
    "swapping": 3e-6,
    "top-bottom-coding": 2e-6,
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """CPU seconds of every stage (None where nothing was measured), the threads of each, megabytes at the peak."""

    cpu: Mapping[str, float | None]
    threads: Mapping[str, int]
    megabytes: float

    @property
    def stages(self) -> Mapping[str, float | None]:
        """Seconds by the clock of every stage, if a second thread does half as much as the first."""
        shared = {name: 1 + (self.threads.get(name, 1) - 1) / 2 for name in self.cpu}
        return {name: None if seconds is None else seconds / shared[name] for name, seconds in self.cpu.items()}

    @property
    def seconds(self) -> float | None:
        """How long all stages take together, None if it is not known of one."""
        return _total(self.stages)

    @property
    def shortest(self) -> float | None:
        """How long it takes at least: little work, shared by all threads."""
        shared = {
            name: None if seconds is None else seconds / self.threads.get(name, 1) for name, seconds in self.cpu.items()
        }
        total = _total(shared)
        return None if total is None else total / FACTOR

    @property
    def longest(self) -> float | None:
        """How long it takes at most while nothing else runs: much work on one thread."""
        total = _total(self.cpu)
        return None if total is None else total * FACTOR

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "seconds": self.seconds,
            "shortest": self.shortest,
            "longest": self.longest,
            "megabytes": self.megabytes,
            "cpu_seconds": _total(self.cpu),
            "stages": dict(self.stages),
        }


def _total(stages: Mapping[str, float | None]) -> float | None:
    known = [seconds for seconds in stages.values() if seconds is not None]
    return sum(known) if len(known) == len(stages) else None


@dataclass(frozen=True, eq=False, slots=True)
class Size:
    """What the time and memory of a run depend on: the number of records of every subject, and of columns."""

    lengths: Ints
    fields: int

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.lengths.sum())

    @classmethod
    def of(cls, history: History) -> Size:
        """Return the size of data in memory."""
        return cls(history.counts(), len(history.schema.fields))

    @classmethod
    def of_data_set(cls, data: DataSet, schema: Schema) -> Size:
        """Count the records of every subject of a data set that is not held."""
        if schema.row_is_subject:
            return cls(np.ones(len(data), dtype=np.int64), len(schema.fields))
        who = data.scan(schema.sources()).select(subject_text(schema, data.columns).alias("subject"))
        counted = who.group_by("subject").len().collect(engine="streaming")
        return cls(counted["len"].to_numpy().astype(np.int64), len(schema.fields))


def estimate(history: History, method: Method, *, audit: bool = True) -> Estimate:
    """Return how long a method will take on this data, with the reading and writing around it."""
    return estimate_in_memory(Size.of(history), method, audit=audit)


def estimate_in_memory(size: Size, method: Method, *, audit: bool = True) -> Estimate:
    """Return how long a method will take on data of this size that is held in memory."""
    # Of more people than this the quick audit counts equal histories alone.
    compared = len(size.lengths) if len(size.lengths) <= AUDITED_SUBJECTS else 0
    cpu = {
        "read": START_SECONDS + READ_PER_RECORD * size.records,
        "anonymize": _method_seconds(size, method),
        "audit": AUDIT_PER_RECORD * size.records + AUDIT_PER_SUBJECT * compared if audit else 0.0,
        "publish": PUBLISH_PER_RECORD * size.records,
    }
    threads = min(int(getattr(method, "threads", 1)), os.cpu_count() or 1)
    return Estimate(cpu, {"anonymize": threads}, BASE_MEGABYTES + MEGABYTES_PER_RECORD * size.records)


def estimate_in_parts(size: Size, method: Method, *, workers: int) -> Estimate:
    """Return how long a method will take out of core, where so many tasks are at work at once."""
    cpu = {
        "read": START_SECONDS + SURVEY_PER_RECORD * size.records,
        "code": CODE_PER_RECORD * size.records,
        "anonymize": _method_seconds(size, method),
        "publish": PUBLISH_PART_PER_RECORD * size.records,
    }
    # A task holds its records; all subjects with their features are held once. Small data does not fill its tasks.
    held = min(size.records / workers, TASK_RECORDS) * workers
    megabytes = BASE_MEGABYTES + MEGABYTES_PER_TASK_RECORD * held + MEGABYTES_PER_SUBJECT * len(size.lengths)
    return Estimate(cpu, dict.fromkeys(("code", "anonymize", "publish"), workers), megabytes)


def _method_seconds(size: Size, method: Method) -> float | None:
    """Return the CPU seconds of the method alone."""
    records = size.records
    if method.name in _PER_RECORD:
        return _PER_RECORD[method.name] * records
    if method.name != "k-anonymity":
        return None
    effort = str(getattr(method, "effort", ""))
    if int(size.lengths.max(initial=0)) <= 1 and effort in _SINGLE:
        return _SINGLE["fast" if records > HURRIED_SINGLES else effort] * records * size.fields
    if effort == "normal" and records > HURRIED_RECORDS:
        effort = "large"
    wanted = int(getattr(method, "k", 3))
    figures = _GROUPING.get((effort, min(wanted, 4)))
    if figures is None:
        return None
    per_subject, per_record = figures
    per_subject *= min(len(size.lengths) / BLOCK_PEOPLE, 1.0) ** 2
    piece = SHORT_PIECE if records > MANY_RECORDS else _PIECES[effort]
    lengths = size.lengths.astype(np.float64)
    power = LENGTH_POWER
    if effort == "normal" and wanted > 2:
        power, (people, growth) = EXCHANGING_POWER, _EXCHANGED[min(wanted, 4)]
        per_record *= min(len(lengths) / people, 1.0) ** growth
    # Histories of one record need no alignment.
    aligned = float((lengths * np.minimum(lengths, min(piece, _PIECES[effort])) ** power)[lengths > 1].sum())
    grouping = size.fields * (per_subject * len(lengths) + per_record * aligned)
    patient = (getattr(method, "patience", None) or 0.0) <= ANNEALING_SAVES
    return grouping + (_annealing_seconds(size, wanted) if patient and effort == "normal" and wanted > 2 else 0.0)


def _annealing_seconds(size: Size, k: int) -> float:
    """Return the CPU seconds of annealing on exact costs, which few people with few records get."""
    people = len(size.lengths)
    typical = 400.0 + size.fields * (size.records / people) ** 2 * (k - 1)
    if EXACT_PER_UNIT * people * typical > ANNEALING_WORK:
        return 0.0
    return ANNEALING_SECONDS * min(ANNEALING_MOVES * people * (MOVE_WORK + COSTED * typical), ANNEALING_WORK)
