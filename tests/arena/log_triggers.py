"""The triggers that protect the log, taken off to tamper with it or to empty its table, and put on again."""

from __future__ import annotations

from importlib import import_module

from django.db import connection

__all__ = ["put_on", "statements", "take_off"]

_migration = import_module("tokumei_arena.migrations.0002_append_only_log")


def statements(vendor: str) -> tuple[list[str], list[str]]:
    """Return the statements that put the triggers on, and those that take them off."""
    return _migration.PUT_ON[vendor], _migration.TAKE_OFF[vendor]


def _run(commands: list[str]) -> None:
    with connection.cursor() as cursor:
        for command in commands:
            cursor.execute(command)


def put_on() -> None:
    """Make the database refuse changes of the log."""
    _run(statements(connection.vendor)[0])


def take_off() -> None:
    """Let the database accept changes of the log."""
    _run(statements(connection.vendor)[1])
