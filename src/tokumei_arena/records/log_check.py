"""Whether the audit log is whole: its chain, its end, and the triggers that protect it.

The hash chain shows that somebody tampered; the triggers (a migration makes them) stop a program that is merely wrong.
Whoever owns the database can take them off again, which is why ``verify-log`` also says whether they are on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

from tokumei_arena.models import LogEntry
from tokumei_arena.records import logbook

TRIGGERS = {"sqlite": {"log_no_update", "log_no_delete"}, "postgresql": {"log_no_change", "log_no_truncate"}}
LISTED = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'arena_logentry'",
    "postgresql": "SELECT tgname FROM pg_trigger WHERE tgrelid = 'arena_logentry'::regclass AND tgenabled <> 'D'",
}


@dataclass(frozen=True)
class LogState:
    """How many entries there are, the hash of the last one, whether the database protects them, what is broken."""

    entries: int
    head: str
    guarded: bool
    broken: logbook.Broken | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        broken = None if self.broken is None else {"number": self.broken.number, "reason": self.broken.reason}
        return {
            "intact": self.broken is None,
            "entries": self.entries,
            "head": self.head,
            "guarded": self.guarded,
            "broken": broken,
        }


def log_state(head: str = "") -> LogState:
    """Walk the whole chain. With a ``head`` noted before, an end that was cut off is found too."""
    last = LogEntry.objects.order_by("-number").first()
    broken = logbook.verify()
    if broken is None and head and not LogEntry.objects.filter(hash=head).exists():
        number = 1 if last is None else last.number + 1
        broken = logbook.Broken(number, "the entry with the given hash is missing: the end of the log was cut off")
    return LogState(LogEntry.objects.count(), logbook.START if last is None else last.hash, is_guarded(), broken)


def is_guarded() -> bool:
    """Return whether the database refuses changes of the log."""
    with connection.cursor() as cursor:
        cursor.execute(LISTED[connection.vendor])
        return TRIGGERS[connection.vendor] <= {row[0] for row in cursor.fetchall()}
