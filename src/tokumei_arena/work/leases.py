"""Work under leases: rows of the database are the queue, and whoever holds an unexpired lease works on them.

A lease is a random number. Every change to a row of somebody's work asks for that number, so that a worker that lost
its lease (it was stopped for a while, its machine was cut off) cannot overwrite what another one did since.

The pulse of a job prolongs its lease. The database is asked in the thread of the worker only; what merely moves bytes
(a copy from a slow store) runs in another one, so that a copy longer than the lease is no silence of a dead worker.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import datetime, timedelta
from typing import TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet

from tokumei_arena import clock
from tokumei_arena.models import Leased, WorkState

Work = TypeVar("Work", bound=Leased)


def available(rows: QuerySet[Work], at: datetime) -> QuerySet[Work]:
    """Return the rows that nobody works on: those that wait, and those whose lease ran out."""
    return rows.filter(Q(state=WorkState.QUEUED) | Q(state=WorkState.RUNNING, leased_until__lt=at))


def take(rows: QuerySet[Work], lease: uuid.UUID, count: int = 1) -> list[Work]:
    """Take the first rows under a lease; of two workers that ask at once, each gets others (or none)."""
    at = clock.now()
    if not available(rows, at).exists():
        # Asked without a lock, so that idle workers do not keep writers waiting.
        return []
    with transaction.atomic():
        # SQLite knows no row locks and ignores this; there the transaction itself lets in one writer at a time.
        found = list(available(rows, at).select_for_update(skip_locked=True, of=("self",))[:count])
        until = clock.now() + timedelta(seconds=settings.ARENA_LIMITS["lease_seconds"])
        rows.model._default_manager.filter(pk__in=[row.pk for row in found]).update(
            state=WorkState.RUNNING, lease=lease, leased_until=until, runs=F("runs") + 1
        )
    for row in found:
        row.state, row.lease, row.leased_until = WorkState.RUNNING, lease, until
        row.runs += 1
    return found


def extend(model: type[Leased], lease: uuid.UUID) -> bool:
    """Prolong a lease; return whether it is still held."""
    until = clock.now() + timedelta(seconds=settings.ARENA_LIMITS["lease_seconds"])
    mine = model._default_manager.filter(lease=lease, state=WorkState.RUNNING)
    return mine.update(leased_until=until) > 0


def held(row: Work, lease: uuid.UUID) -> Work | None:
    """Return the row, locked, if this lease still holds it; call inside a transaction."""
    rows: QuerySet[Work] = type(row)._default_manager.select_for_update(of=("self",))
    return rows.filter(pk=row.pk, lease=lease, state=WorkState.RUNNING).first()


def give_back(rows: Sequence[Leased], lease: uuid.UUID, *, uncounted: bool) -> None:
    """Put rows back into the queue; an ``uncounted`` run was ended by us and does not count against them."""
    for row in rows:
        mine = type(row)._default_manager.filter(pk=row.pk, lease=lease, state=WorkState.RUNNING)
        runs = F("runs") - 1 if uncounted else F("runs")
        mine.update(state=WorkState.QUEUED, lease=None, leased_until=None, runs=runs)


Moved = TypeVar("Moved")
BEATS_PER_LEASE = 3
# Threads stay: connections to an object store belong to threads and take time to make.
_movers = ThreadPoolExecutor(thread_name_prefix="mover")


class Pulse:
    """Called again and again, it beats when it is time, and says whether to go on: never without the lease."""

    def __init__(
        self, beat: Callable[[], bool], stopped: Callable[[], bool], *, lease_seconds: float, longest_move: float
    ) -> None:
        self._beat, self._stopped = beat, stopped
        self._every, self._longest_move = lease_seconds / BEATS_PER_LEASE, longest_move
        self._last = time.monotonic()
        self._held = True

    def __call__(self) -> bool:
        """Prolong the lease if it is time; return whether to go on."""
        if self._stopped():
            return False
        if self._held and time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            self._held = self._beat()
        return self._held

    def moving(self, action: Callable[[], Moved]) -> Moved:
        """Return what an action gives that asks the database nothing, prolonging the lease meanwhile.

        An action that hangs is given up on: from some moment on the lease is left to run out.
        """
        future = _movers.submit(action)
        until = time.monotonic() + self._longest_move
        while time.monotonic() < until and not wait([future], timeout=self._every).done:
            self()
        return future.result()
