"""Whether the audit log is whole: its chain, its end, and the triggers that protect it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

from tokumei_arena.models import LogEntry
from tokumei_arena.records import log_guard, logbook

__all__ = ["LogState", "log_state"]


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
    return LogState(
        LogEntry.objects.count(),
        logbook.START if last is None else last.hash,
        log_guard.is_on(connection),
        broken,
    )
