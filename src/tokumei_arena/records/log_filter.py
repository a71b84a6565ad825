"""Parts of the log: of a contest, of a kind of action, of somebody, of some days."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime, time, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from tokumei_arena.models import LogEntry, Person

LONGEST = 120


@dataclass(frozen=True)
class LogFilter:
    """What entries are asked for; what is empty or makes no sense narrows nothing."""

    action: str = ""
    actor: str = ""
    since: str = ""
    until: str = ""

    @classmethod
    def of(cls, values: Mapping[str, str]) -> LogFilter:
        """Return the filter that a request asks for."""
        return cls(**{field.name: values.get(field.name, "").strip()[:LONGEST] for field in fields(cls)})

    def entries(self, contest: UUID | None) -> QuerySet[LogEntry]:
        """Return the entries of a contest (or of the whole arena) that pass, oldest first."""
        found = LogEntry.objects.order_by("number")
        if contest is not None:
            found = found.filter(contest=contest)
        if self.action:
            # A word before the point stands for all actions of its kind.
            found = found.filter(Q(action=self.action) | Q(action__startswith=f"{self.action}."))
        if self.actor:
            found = found.filter(actor__in=self._actors())
        since, until = _day(self.since), _day(self.until)
        if since is not None:
            found = found.filter(at__gte=since)
        return found if until is None else found.filter(at__lt=until + timedelta(days=1))

    def _actors(self) -> list[str]:
        """Return the ids of everybody whose name or address holds what was written."""
        people = Person.objects.filter(Q(name__icontains=self.actor) | Q(email__iexact=self.actor))
        return [*(str(pk) for pk in people.values_list("pk", flat=True)), self.actor]


def _day(text: str) -> datetime | None:
    """Return the beginning of a day in the viewer's zone."""
    try:
        return timezone.make_aware(datetime.combine(date.fromisoformat(text), time()))
    except ValueError:
        return None
