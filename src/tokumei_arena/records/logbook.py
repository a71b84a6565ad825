"""The append-only log of everything that changes a contest; each entry holds the hash of the one before.

The hash chain shows that somebody tampered; the triggers (a migration makes them) stop a program that is merely wrong.
Whoever owns the database can take them off again, which is why ``verify-log`` also says whether they are on, and write
the whole chain anew, which is why heads of it are signed and handed out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, models, transaction

from tokumei_arena import clock
from tokumei_arena.models import Contest, LogEntry, Person, RescoreItem

START = "0" * 64
# Any number that no other part of the arena locks (PostgreSQL's advisory locks are numbered).
LOG_LOCK = 7_466_001


def values_of_entry(entry: LogEntry) -> dict[str, Any]:
    """Return an entry as plain values, everything but its hash."""
    return {
        "number": entry.number,
        "at": entry.at.isoformat(timespec="microseconds"),
        "actor": entry.actor,
        "action": entry.action,
        "contest": None if entry.contest is None else str(entry.contest),
        "object": entry.object_id,
        "detail": entry.detail,
        "previous": entry.previous,
    }


def hash_of_values(fields: dict[str, Any]) -> str:
    """Return the hash of an entry given as plain values (everything but the hash itself)."""
    canonical = json.dumps(fields, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _contest_of(row: models.Model | None) -> UUID | None:
    """Return the id of the contest that a row is part of, if it is part of one."""
    if isinstance(row, Contest):
        return row.pk
    part = row.submission if isinstance(row, RescoreItem) else row
    return getattr(getattr(part, "round", part), "contest_id", None)


def alone() -> None:
    """Keep others from appending until the transaction ends; on SQLite the transaction itself does."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOG_LOCK])


def record(action: str, about: models.Model | None = None, *, actor: Person | None = None, **detail: Any) -> LogEntry:
    """Append an entry about a row, in the transaction of what it tells."""
    with transaction.atomic():
        alone()
        last = LogEntry.objects.order_by("-number").first()
        entry = LogEntry(
            number=1 if last is None else last.number + 1,
            at=clock.now(),
            actor="system" if actor is None else str(actor.pk),
            action=action,
            contest=_contest_of(about),
            object_id="" if about is None else str(about.pk),
            detail=detail,
            previous=START if last is None else last.hash,
        )
        entry.hash = hash_of_values(values_of_entry(entry))
        entry.save()
    return entry


@dataclass(frozen=True)
class Broken:
    """Where the chain does not hold."""

    number: int
    reason: str


def verify(entries: Iterable[LogEntry] | None = None) -> Broken | None:
    """Return the first entry at which the chain is broken, or None."""
    previous, expected = START, 1
    for entry in LogEntry.objects.order_by("number").iterator() if entries is None else entries:
        if entry.number != expected:
            return Broken(expected, f"entry {expected} is missing")
        if entry.previous != previous:
            return Broken(entry.number, f"entry {entry.number} does not follow the one before it")
        if entry.hash != hash_of_values(values_of_entry(entry)):
            return Broken(entry.number, f"entry {entry.number} was changed")
        previous, expected = entry.hash, expected + 1
    return None


TRIGGERS = {"sqlite": {"log_no_update", "log_no_delete"}, "postgresql": {"log_no_change", "log_no_truncate"}}
LISTED = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'arena_logentry'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE tgrelid = 'arena_logentry'::regclass AND tgenabled <> 'D'",
}


def is_guarded() -> bool:
    """Return whether the database refuses changes of the log."""
    with connection.cursor() as cursor:
        cursor.execute(LISTED[connection.vendor])
        return TRIGGERS[connection.vendor] <= {row[0] for row in cursor.fetchall()}
