"""What attackers of the ladder know of those they look for: some records, exact, blurred, or one column of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Bools, Ints
from tokumei.attacks.ladder.classes import PublishedClasses
from tokumei.attacks.ladder.explaining import Known
from tokumei.attacks.ladder.settings import BLUR_DAYS, BLUR_SHARE, KILOMETRE_DEGREES, SECONDS_PER_DAY
from tokumei.data import MISSING, History, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One attacker: how many records he knows (None: all but one), how well, and which columns of them (all if empty).

    Columns of the person among them are known whatever the number of records.

    ``whole`` lets him know all records of a person (with ``records`` None), in the named columns.
    """

    name: str
    records: int | None
    blurred: bool = False
    columns: tuple[str, ...] = ()
    whole: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Targets:
    """People looked for, and their records in the order in which attackers come to know them.

    ``rows[starts[i]:starts[i + 1]]`` are the records of target i (positions in the history), shuffled; where everybody
    has one record, ``columns[i]`` orders the fields in which it becomes known instead.
    """

    subject: Ints
    starts: Ints
    rows: Ints
    columns: Ints

    def __len__(self) -> int:
        """Return the number of targets."""
        return len(self.subject)

    def part(self, begin: int, end: int) -> Targets:
        """Return the targets from one position to another."""
        chosen = self.subject[begin:end]
        starts = self.starts[begin : begin + len(chosen) + 1]
        return Targets(chosen, starts - starts[0], self.rows[starts[0] : starts[-1]], self.columns[begin:end])


def draw_targets(history: History, candidates: Ints, *, people: int, rng: np.random.Generator) -> Targets:
    """Return a random choice of the candidate subjects, each with its records in random order."""
    chosen = np.sort(rng.permutation(candidates)[:people])
    sizes = history.counts()[chosen]
    rows = [rng.permutation(history.order[history.offsets[one] : history.offsets[one + 1]]) for one in chosen]
    fields = len(history.schema.fields)
    return Targets(
        chosen,
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        np.concatenate(rows) if rows else np.empty(0, dtype=np.int64),
        rng.permuted(np.tile(np.arange(fields), (len(chosen), 1)), axis=1),
    )


def known_by(history: History, classes: PublishedClasses, targets: Targets, rung: Rung) -> tuple[Known, Ints]:
    """Return what an attacker knows of every target, and the positions of the known records in the history.

    What he knows of the person itself comes first, each column for itself: it is known once, not record by record, and
    where one column was changed before publication the others still tell.
    """
    sizes = np.diff(targets.starts)
    table = bool((sizes <= 1).all())
    wanted = sizes - (0 if rung.whole else 1) if rung.records is None else np.full(len(sizes), rung.records)
    # Of histories something must be left to learn; the one record of a table is known in some columns.
    taken = np.minimum(wanted, sizes if table or rung.whole else np.maximum(sizes - 1, 0))
    taken = np.minimum(sizes, np.maximum(taken, int(table)))
    target = np.repeat(np.arange(len(targets)), taken)
    within = np.arange(len(target)) - np.repeat(np.cumsum(taken) - taken, taken)
    rows = targets.rows[targets.starts[target] + within]
    allowed = _allowed(history, classes, targets, rung, table=table)[target]
    if classes.person:
        target, rows, allowed = _with_person(history, classes, targets, rung, (target, rows, allowed))
    low = np.stack([history.codes[name][rows] for name in classes.fields], axis=1)
    known = Known(target, low, low.copy(), (low != MISSING) & allowed)
    return (blurred(history, classes, known) if rung.blurred else known), rows


def _with_person(
    history: History, classes: PublishedClasses, targets: Targets, rung: Rung, known: tuple[Ints, Ints, Bools]
) -> tuple[Ints, Ints, Bools]:
    """Return target, history row and known fields of every piece of knowledge, that of the person before the records.

    A piece of knowledge of the person is one of its columns, read off the first of its records.
    """
    target, rows, allowed = known
    columns = [history.schema.field(name).column for name in classes.fields]
    of_person = np.isin(columns, classes.person)
    wanted = [name for name in classes.person if not rung.columns or name in rung.columns]
    fields = np.array([[column == name for column in columns] for name in wanted], dtype=np.bool_)
    fields = fields.reshape(len(wanted), len(columns))
    present = np.flatnonzero(np.diff(targets.starts) > 0)
    every = np.concatenate((np.repeat(present, len(wanted)), target))
    order = np.argsort(every, kind="stable")
    first = np.repeat(targets.rows[targets.starts[present]], len(wanted))
    pieces = np.concatenate((np.tile(fields, (len(present), 1)), allowed & ~of_person))
    return every[order], np.concatenate((first, rows))[order], pieces[order]


def blurred(history: History, classes: PublishedClasses, known: Known) -> Known:
    """Return what somebody would remember of exact values."""
    low, high = known.low.copy(), known.high.copy()
    _blur(history, classes, low, high)
    return Known(known.target, low, high, known.sure)


def _allowed(history: History, classes: PublishedClasses, targets: Targets, rung: Rung, *, table: bool) -> Bools:
    """Return which columns an attacker knows of every target."""
    columns = [history.schema.field(name).column for name in classes.fields]
    allowed = np.ones((len(targets), len(columns)), dtype=np.bool_)
    if rung.columns:
        allowed &= np.isin(columns, rung.columns)[None, :]
    if table and not rung.whole:
        number = len(columns) - 1 if rung.records is None else rung.records
        rank = np.argsort(targets.columns, axis=1)
        order = [[spec.name for spec in history.schema.fields].index(name) for name in classes.fields]
        allowed &= rank[:, order] < number
    return allowed


def _blur(history: History, classes: PublishedClasses, low: Ints, high: Ints) -> None:
    """Widen what is known of ordered fields to what a person would remember."""
    for place, name in enumerate(classes.ordered):
        spec = history.schema.field(name)
        column = low[:, place]
        if spec.kind is Kind.DATE:
            width = np.full(len(column), BLUR_DAYS)
        elif spec.kind is Kind.DATETIME:
            width = np.full(len(column), BLUR_DAYS * SECONDS_PER_DAY)
        elif spec.column != spec.name:
            width = np.full(len(column), round(KILOMETRE_DEGREES / spec.step))
        else:
            width = np.ceil(BLUR_SHARE * np.abs(np.where(column == MISSING, 0, column))).astype(np.int64)
        known = column != MISSING
        high[known, place] = column[known] + width[known]
        low[known, place] = column[known] - width[known]
