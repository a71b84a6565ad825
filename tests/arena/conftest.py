"""Fixtures of all server tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from django.core.management.sql import sql_flush

from tests.arena import log_triggers


def _flush_with_log(style: Any, connection: Any, **options: Any) -> list[str]:
    """Return what empties all tables: the triggers that protect the log are off meanwhile."""
    on, off = log_triggers.statements(connection.vendor)
    return [*off, *sql_flush(style, connection, **options), *on]


@pytest.fixture(scope="session", autouse=True)
def _tables_can_be_emptied_between_tests() -> Iterator[None]:
    """Let tests that commit clean up behind them, although the database refuses to forget the log."""
    with mock.patch("django.core.management.commands.flush.sql_flush", _flush_with_log):
        yield
