"""The audit log: only appended, in the database too; whatever is changed, removed or reordered is found."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection, transaction

from tests.arena import log_triggers
from tokumei_arena.models import LogEntry
from tokumei_arena.records import logbook
from tokumei_arena.records.logbook import is_guarded

pytestmark = [pytest.mark.django_db, pytest.mark.database]

REFUSED = "entries of the audit log are never changed or deleted"


def _entries(count: int = 4) -> list[LogEntry]:
    return [logbook.record("test", n=number) for number in range(count)]


@pytest.mark.parametrize("what", ["UPDATE arena_logentry SET action = 'x'", "DELETE FROM arena_logentry"])
def test_the_database_refuses_to_change_or_forget_the_log(what: str) -> None:
    _entries()
    assert is_guarded()
    with pytest.raises(DatabaseError, match=REFUSED), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(what)
    assert [entry.detail["n"] for entry in LogEntry.objects.all()] == [0, 1, 2, 3]


def test_an_entry_is_not_written_twice() -> None:
    entry = _entries(1)[0]
    with pytest.raises(DatabaseError, match="(?i)unique"), transaction.atomic():
        entry.save()
    with pytest.raises(TypeError, match="never deleted"):
        entry.delete()


@pytest.mark.parametrize(
    ("statement", "place", "reason"),
    [
        ("UPDATE arena_logentry SET action = 'other' WHERE number = 2", 2, "entry 2 was changed"),
        ("UPDATE arena_logentry SET detail = '{\"n\": 9}' WHERE number = 3", 3, "entry 3 was changed"),
        ("DELETE FROM arena_logentry WHERE number = 1", 1, "entry 1 is missing"),
        ("UPDATE arena_logentry SET previous = hash WHERE number = 4", 4, "entry 4 does not follow the one before it"),
    ],
)
def test_tampering_below_the_arena_is_found(statement: str, place: int, reason: str) -> None:
    _entries()
    assert logbook.verify() is None
    log_triggers.take_off()
    assert not is_guarded()
    with connection.cursor() as cursor:
        cursor.execute(statement)
    log_triggers.put_on()
    assert logbook.verify() == logbook.Broken(place, reason)


def _append_and_tamper() -> None:
    logbook.record("test", n=2)
    LogEntry.objects.filter(number=1).update(action="x")


@pytest.mark.django_db(transaction=True)
def test_a_refused_change_leaves_the_log_whole_when_committed() -> None:
    _entries(2)
    with pytest.raises(DatabaseError, match=REFUSED), transaction.atomic():
        _append_and_tamper()
    assert LogEntry.objects.count() == 2
    assert logbook.verify() is None
