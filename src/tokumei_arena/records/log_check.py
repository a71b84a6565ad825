"""Whether the log is whole: its chain, the guard of the database, and what was signed of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from tokumei_arena.models import LogEntry, LogHead
from tokumei_arena.records.heads import disagreement, own_key
from tokumei_arena.records.logbook import START, Broken, is_guarded, verify


@dataclass(frozen=True)
class LogState:
    """How many entries there are, the hash of the last one, whether the database protects them, what is broken.

    ``heads`` signed heads were compared, the last of them at entry ``signed_to``; ``trusted`` tells whether their key
    was known from elsewhere than from themselves.
    """

    entries: int
    head: str
    guarded: bool
    broken: Broken | None
    heads: int = 0
    signed_to: int = 0
    trusted: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        broken = None if self.broken is None else {"number": self.broken.number, "reason": self.broken.reason}
        return {
            "intact": self.broken is None,
            "entries": self.entries,
            "head": self.head,
            "guarded": self.guarded,
            "broken": broken,
            "heads": {"compared": self.heads, "last_entry": self.signed_to, "key_known": self.trusted},
        }


def log_state(head: str = "", *, kept: Sequence[LogHead] = (), keys: Collection[str] = ()) -> LogState:
    """Walk the whole chain and compare it with its signed heads, and with those that somebody ``kept``.

    With a ``head`` noted before, an end that was cut off is found too. ``keys`` are the keys that may have signed;
    without them it is the one of this machine, if it has one.
    """
    last = LogEntry.objects.order_by("-number").first()
    heads = [*LogHead.objects.all(), *kept]
    here = own_key()
    trusted = set(keys) or ({here} if here else set())
    broken = verify() or disagreement(heads, trusted)
    if broken is None and head and not LogEntry.objects.filter(hash=head).exists():
        number = 1 if last is None else last.number + 1
        broken = Broken(number, "the entry with the given hash is missing: the end of the log was cut off")
    return LogState(
        entries=LogEntry.objects.count(),
        head=START if last is None else last.hash,
        guarded=is_guarded(),
        broken=broken,
        heads=len(heads),
        signed_to=max((one.number for one in heads), default=0),
        trusted=bool(trusted),
    )
