"""The ceremony of a round: its rankings stay hidden when results are due, and are revealed from the last rank on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from tokumei_arena import access, clock
from tokumei_arena.boards.ranking import Table, TableRow, ranking_tables
from tokumei_arena.boards.standings import tables
from tokumei_arena.errors import NotNowError, RefusedError
from tokumei_arena.models import Person, Round
from tokumei_arena.records import record


@dataclass(frozen=True)
class Revealing:
    """A ranking at a ceremony: what was revealed, best rank first, and what comes next (for referees only)."""

    table: Table
    rows: Sequence[TableRow]
    hidden: int
    coming: Sequence[TableRow]


def _steps(table: Table) -> list[list[TableRow]]:
    """Return the ranked rows from the last rank to the first, those that share one together."""
    ranks = sorted({row.rank for row in table.rows if row.rank is not None}, reverse=True)
    return [[row for row in table.rows if row.rank == rank] for rank in ranks]


def revealing(round_: Round, own: str = "") -> list[Revealing]:
    """Return both rankings as far as they were revealed."""
    found = tables(round_)
    shown = []
    for table in ranking_tables(found.table, found.names, own):
        steps = _steps(table)
        done = len(steps) if round_.ceremony_ended_at else int(round_.revealed.get(table.key, 0))
        rows = [row for step in reversed(steps[:done]) for row in step]
        hidden = sum(len(step) for step in steps[done:])
        shown.append(Revealing(table, rows, hidden, steps[done] if done < len(steps) else []))
    return shown


def _at_ceremony(round_: Round) -> Round:
    """Return the round, locked, if its ceremony is on."""
    locked = Round.objects.select_for_update().get(pk=round_.pk)
    if not locked.at_ceremony():
        raise NotNowError(
            _("this round has no ceremony now: its results are not due, or all is revealed"), code="no-ceremony"
        )
    return locked


def reveal_next(round_: Round, key: str, *, by: Person) -> Sequence[TableRow]:
    """Reveal the next rank of a ranking; return its rows."""
    access.need_referee(by, round_.contest)
    with transaction.atomic():
        locked = _at_ceremony(round_)
        one = next((one for one in revealing(locked) if one.table.key == key), None)
        if one is None:
            raise RefusedError(_("there is no such ranking"), code="no-ranking")
        if not one.coming:
            raise NotNowError(_("all ranks of this ranking are revealed"), code="all-revealed")
        locked.revealed = {**locked.revealed, key: int(locked.revealed.get(key, 0)) + 1}
        locked.save(update_fields=["revealed"])
        record("ceremony.reveal", locked, actor=by, round=locked.kind, ranking=key, rank=one.coming[0].rank)
    return one.coming


def end_ceremony(round_: Round, *, by: Person) -> None:
    """Show everybody everything: rankings, matrix and chart."""
    access.need_referee(by, round_.contest)
    with transaction.atomic():
        locked = _at_ceremony(round_)
        locked.ceremony_ended_at = clock.now()
        locked.save(update_fields=["ceremony_ended_at"])
        record("ceremony.end", locked, actor=by, round=locked.kind)
