"""What makes the database itself refuse to change or remove entries of the audit log.

The hash chain shows that somebody tampered; these triggers stop a program that is merely wrong. Whoever owns the
database can take them off again, which is why ``verify-log`` also says whether they are on.
"""

from __future__ import annotations

from typing import Any

__all__ = ["is_on", "put_on", "statements", "take_off"]

TABLE = "arena_logentry"
REFUSAL = "entries of the audit log are never changed or deleted"

_SQLITE_EVENTS = {"log_no_update": "UPDATE", "log_no_delete": "DELETE"}
_SQLITE_ON = [
    f"CREATE TRIGGER IF NOT EXISTS {name} BEFORE {event} ON {TABLE} BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    for name, event in _SQLITE_EVENTS.items()
]
_POSTGRES_REFUSE = f"""
CREATE OR REPLACE FUNCTION arena_log_only_grows() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$
"""
_POSTGRES_EVENTS = {
    "log_no_change": "UPDATE OR DELETE {} FOR EACH ROW",
    "log_no_truncate": "TRUNCATE {} FOR EACH STATEMENT",
}
_POSTGRES_ON = [
    _POSTGRES_REFUSE,
    *(
        f"CREATE OR REPLACE TRIGGER {name} BEFORE {event.format('ON ' + TABLE)} EXECUTE FUNCTION arena_log_only_grows()"
        for name, event in _POSTGRES_EVENTS.items()
    ),
]
NAMES = {"sqlite": tuple(_SQLITE_EVENTS), "postgresql": tuple(_POSTGRES_EVENTS)}


def statements(vendor: str) -> tuple[list[str], list[str]]:
    """Return the statements that put the triggers on, and those that take them off."""
    on = _SQLITE_ON if vendor == "sqlite" else _POSTGRES_ON
    place = "" if vendor == "sqlite" else f" ON {TABLE}"
    return on, [f"DROP TRIGGER IF EXISTS {name}{place}" for name in NAMES[vendor]]


def _run(connection: Any, commands: list[str]) -> None:
    with connection.cursor() as cursor:
        for command in commands:
            cursor.execute(command)


def put_on(connection: Any) -> None:
    """Make the database refuse changes of the log."""
    _run(connection, statements(connection.vendor)[0])


def take_off(connection: Any) -> None:
    """Let the database accept changes again (only to undo the migration, and for tests of tampering)."""
    _run(connection, statements(connection.vendor)[1])


def is_on(connection: Any) -> bool:
    """Return whether the database refuses changes of the log."""
    listed = (
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s"
        if connection.vendor == "sqlite"
        else "SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND tgenabled <> 'D'"
    )
    with connection.cursor() as cursor:
        cursor.execute(listed, [TABLE])
        found = {row[0] for row in cursor.fetchall()}
    return set(NAMES[connection.vendor]) <= found
