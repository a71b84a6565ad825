"""k-concealment on a time grid: every history is completed to all slots, then published by slot (paper, section 4.1).

A completed history has one record per slot, so that subjects are like rows of a static table and nothing has to be
aligned or deleted. A slot without a record says so (``star``: a missing value, which in a union of categories is one
element more and makes a union of ordered values ``*``), repeats the previous record, or lies on the line between its
neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data import MISSING, Field, History, Kind, RangeCells, Release, Secret
from tokumei.errors import InfeasibleError
from tokumei.methods.concealment.by_assignment import cut_cycles, disjoint_permutations, turn_cycles
from tokumei.methods.concealment.dynamic import GRAPHS, subject_pairs
from tokumei.methods.concealment.index_distance import index_distances, time_table
from tokumei.methods.concealment.record_unions import nothing_published, require_subjects, shuffled, union_cells
from tokumei.methods.grouping.blocks import cut_blocks
from tokumei.methods.grouping.groups import Groups
from tokumei.methods.pseudonyms import draw_pseudonyms
from tokumei.parts import Method, parameter

MOST_RECORDS = 50_000_000
# A grid with more slots than this times the records of a subject is mostly empty; one of few slots is small anyway.
SLOTS_PER_RECORD = 10
FEW_SLOTS = 50
# So many records should have a slot of their own.
OWN_SLOT = 0.95
# Round lengths of a slot: days, and seconds up to the day.
ROUND_DAYS = (1, 7, 14, 28, 91, 182, 364)
ROUND_SECONDS = (1, 5, 10, 30, 60, 300, 600, 900, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200)
SECONDS_PER_DAY = 86_400


@dataclass(frozen=True, eq=False, slots=True)
class Completed:
    """A history with one record per subject and slot, and the original row of each, -1 where it was filled in."""

    history: History
    rows: Ints
    slots: int


def usual_slot(history: History) -> int:
    """Return a slot that suits the data: 0, the observed times, where people share them, else a round length.

    That is the coarsest at which 95 % of the records have a slot of their own or, where that would take more than ten
    slots per record, the finest that does not.
    """
    clock = _clock(history)
    times = _times(history, clock)
    observed = np.unique(times)
    average = len(history) / max(len(history.subjects), 1)
    if len(observed) <= max(average, FEW_SLOTS):
        return 0
    if clock.kind is Kind.DATE:
        lengths = list(ROUND_DAYS)
    else:
        lengths = [*ROUND_SECONDS, *(days * SECONDS_PER_DAY for days in ROUND_DAYS)]
    most = max(SLOTS_PER_RECORD * average, FEW_SLOTS)
    small = [length for length in lengths if len(np.unique(observed // length)) <= most] or lengths[-1:]

    def apart(length: int) -> bool:
        slots = times // length
        width = int(slots.max() - slots.min()) + 1
        return len(np.unique(history.subject * width + (slots - slots.min()))) >= OWN_SLOT * len(history)

    return next((length for length in reversed(small) if apart(length)), small[0])


def complete(history: History, *, slot: int | None = None, fill: str = "star") -> Completed:
    """Complete every subject to all slots: multiples of ``slot`` steps (seconds or days), 0 for the observed times.

    Without a ``slot`` the one of `usual_slot` is taken; if more than half of the records would fall into a slot that an
    earlier one of the same subject has, the data is refused: it is no series of moments, and a slot must be named.
    Of several records of a subject in one slot the first by time, then by file order, is kept.
    """
    clock = _clock(history)
    times = _times(history, clock)
    chosen = slot is None
    slot = usual_slot(history) if slot is None else slot
    grid, place = np.unique(times // slot * slot if slot else times, return_inverse=True)
    subjects = len(history.subjects)
    if subjects * len(grid) > MOST_RECORDS:
        message = (
            f"a grid of {len(grid):,} times for {subjects:,} subjects is too large; "
            f"set slot to the steps of '{clock.name}' that make one slot"
        )
        raise InfeasibleError(message)
    rows = np.full(subjects * len(grid), -1, dtype=np.int64)
    # Written backwards, so that the first record of a slot stays.
    order = np.lexsort((np.arange(len(history)), times))[::-1]
    rows[history.subject[order] * len(grid) + place[order]] = order
    kept = int((rows >= 0).sum())
    if chosen and kept * 2 < len(history):
        message = (
            f"one record per subject and slot would keep {kept:,} of {len(history):,} records "
            f"(slots of '{clock.name}': {slot or 'as observed'}); use k-anonymity for data with many records at a "
            "time, or set slot to accept that"
        )
        raise InfeasibleError(message)
    codes, categories = {}, dict(history.categories)
    for spec in history.schema.fields:
        if spec.name == clock.name:
            codes[spec.name] = np.tile(grid, subjects)
            continue
        column = history.codes[spec.name]
        absent = MISSING
        if spec.nominal:
            categories[spec.name], absent = _with_empty(history.categories[spec.name])
        found = np.where(rows >= 0, column[np.maximum(rows, 0)], absent)
        codes[spec.name] = _filled(found.reshape(subjects, len(grid)), grid, absent, spec, fill).ravel()
    subject = np.repeat(np.arange(subjects), len(grid))
    return Completed(History(history.schema, history.subjects, subject, codes, categories), rows, len(grid))


def _times(history: History, clock: Field) -> Ints:
    """Return the time of every record; refuse records without one."""
    times = history.codes[clock.name]
    if (times == MISSING).any():
        message = f"the column '{clock.name}' has records without a time; delete or complete them to use a time grid"
        raise InfeasibleError(message)
    return times


def _clock(history: History) -> Field:
    for spec in history.schema.fields:
        if spec.kind in (Kind.DATE, Kind.DATETIME):
            return spec
    message = "'record-interpolation' needs a date or datetime column to lay a time grid; the schema has none"
    raise InfeasibleError(message)


def _with_empty(categories: pl.Series) -> tuple[pl.Series, int]:
    """Return the dictionary with the empty category, which says that nothing is there, and its code.

    It is put behind the others, so that the codes of the original stay what they are.
    """
    if len(categories) and categories[0] == "":
        return categories, 0
    empty = pl.Series(categories.name, [""], dtype=pl.String)
    return pl.concat([categories.cast(pl.String), empty]), len(categories)


def _filled(codes: Ints, grid: Ints, absent: int, spec: Field, fill: str) -> Ints:
    """Fill the slots without a value from their neighbours; before the first value nothing is known of the past."""
    if fill == "star":
        return codes
    slots = np.arange(codes.shape[1])
    present = codes != absent
    before = np.maximum.accumulate(np.where(present, slots, -1), axis=1)
    earlier = np.take_along_axis(codes, np.maximum(before, 0), axis=1)
    earlier = np.where(before >= 0, earlier, absent)
    if fill == "previous" or spec.nominal:
        return earlier
    after = np.minimum.accumulate(np.where(present, slots, len(slots))[:, ::-1], axis=1)[:, ::-1]
    later = np.take_along_axis(codes, np.minimum(after, len(slots) - 1), axis=1)
    between = (before >= 0) & (after < len(slots)) & ~present
    left, right = grid[np.maximum(before, 0)], grid[np.minimum(after, len(slots) - 1)]
    share = (grid - left) / np.maximum(right - left, 1)
    base = np.where(between, earlier, 0)
    line = base + np.round(share * (np.where(between, later, 0) - base)).astype(np.int64)
    # Outside the first and last value the nearest one stands.
    edge = np.where(before >= 0, earlier, np.where(after < len(slots), later, absent))
    return np.where(between, line, np.where(present, codes, edge))


def publish_slots(
    completed: Completed, hulls: Groups, owners: Ints, *, rng: np.random.Generator, method: str
) -> tuple[Release, Secret]:
    """Publish, for every hull, the union of its members in each slot, under a random pseudonym of its owner."""
    slots, history = completed.slots, completed.history
    within = np.arange(slots)
    source = (np.repeat(hulls.members, slots) * slots).reshape(-1, slots) + within
    target = (np.repeat(np.arange(len(hulls)), hulls.sizes()) * slots)[:, None] + within
    published = np.arange(len(hulls) * slots)
    # A slot without a record is not a record without a value: it is withheld.
    cells = {
        name: column.suppress(column.missing) if isinstance(column, RangeCells) else column
        for name, column in union_cells(history, source.ravel(), target.ravel(), published).items()
    }
    names = draw_pseudonyms(len(hulls), rng=rng, avoid=history.subjects)
    rows = completed.rows[(owners[:, None] * slots + within).ravel()]
    truth = pl.DataFrame({"pseudonym": names, "subject": history.subjects.cast(pl.String)[owners]})
    release = Release(history.schema, names[published // slots], cells, method)
    return shuffled(release, Secret(truth.sort("pseudonym"), rows), rng)


@dataclass(frozen=True, kw_only=True)
class RecordInterpolation(Method):
    """Histories completed to a time grid, then concealed slot by slot, as in the paper's experiment.

    Protects like the construction it uses: ``assignment`` with k = 2 leaves every link at one half, by one coin per
    cycle (see `k-concealment-assignment`); ``edge-cover`` and ``greedy`` are the paper's and bound the number of
    candidates only (see `k-concealment`).

    Does not hide that somebody has a record at a time where all candidates have one, nor several people at once. Slots
    that were filled in are records that never were: counts of the release are not counts of the original.
    """

    name: ClassVar[str] = "record-interpolation"
    summary: ClassVar[str] = "complete histories to a time grid, publish unions of k subjects slot by slot"
    source: ClassVar[str] = "k-concealment for history data, section 4.1 (record interpolation)"

    k: int = parameter(2, "how many pseudonyms every subject must fit", low=2)
    graph: str = parameter("assignment", "how partners are chosen", choices=("assignment", *GRAPHS))
    slot: int | None = parameter(
        None,
        "seconds (days of a date) that make one slot of the grid (0: the observed times; default: a round length at "
        "which 95 % of the records have a slot of their own)",
        low=0,
    )
    fill: str = parameter("star", "what stands in an empty slot", choices=("star", "previous", "linear"))
    longest: int = parameter(3, "longest cycle of an assignment for k = 2 (0: any)", low=0)
    block: int = parameter(2000, "most subjects that are compared with each other", low=2)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return one record per pseudonym and slot, in random order."""
        require_subjects(history, self.k, self.name)
        if len(history) == 0:
            return nothing_published(history, self.name)
        completed = complete(history, slot=self.slot, fill=self.fill)
        hulls, owners = self._hulls(completed.history, rng)
        return publish_slots(completed, hulls, owners, rng=rng, method=self.name)

    def generalized(self, history: History) -> History:
        """Return the completed history: what the published records are unions of."""
        return history if len(history) == 0 else complete(history, slot=self.slot, fill=self.fill).history

    def _hulls(self, history: History, rng: np.random.Generator) -> tuple[Groups, Ints]:
        """Return the set of every pseudonym and its owner."""
        table = time_table(history)
        most = max(self.block, 2 * self.k)
        count = len(table)
        if self.graph in GRAPHS:
            pairs = subject_pairs(table, self.k, graph=self.graph, most=most)
            centre = np.concatenate((np.arange(count), pairs[:, 0], pairs[:, 1]))
            member = np.concatenate((np.arange(count), pairs[:, 1], pairs[:, 0]))
            order = np.lexsort((member, centre))
            bounds = np.concatenate(([0], np.cumsum(np.bincount(centre, minlength=count)))).astype(np.int64)
            return Groups(member[order], bounds), np.arange(count)
        members = np.empty((count, self.k), dtype=np.int64)
        for part in cut_blocks(table, most=most, fewest=self.k):
            cost = index_distances(part.of(table))
            found = disjoint_permutations(cost, self.k - 1)
            if self.k == 2:
                found[0] = cut_cycles(found[0], cost, self.longest)
            members[part.units] = np.column_stack((part.units, part.units[found].T))
        owners = turn_cycles(members[:, 1], rng=rng) if self.k == 2 else members[:, 0]
        return Groups.of_equal(members), owners
