"""Rate limits: counted for all web processes together, exactly, and for as long as they say."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import caches
from django.core.cache.backends import db
from django.db import connection

from tokumei_arena import clock
from tokumei_arena.errors import TooManyError
from tokumei_arena.teams import rate_limits

pytestmark = [pytest.mark.django_db, pytest.mark.database]
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _at_noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)
    for name in ("default", "pages"):
        caches[name].clear()


def _spent(count: int, **options: int) -> int:
    """Spend so often; return how often it was allowed."""
    done = 0
    for _ in range(count):
        try:
            rate_limits.spend("look", "ann", **{"limit": 20, **options})
        except TooManyError:
            continue
        done += 1
    return done


def test_the_limit_is_told_with_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _spent(25) == 20
    with pytest.raises(TooManyError, match="too many at once; try again in 60 seconds"):
        rate_limits.spend("look", "ann", limit=20)
    rate_limits.spend("look", "bob", limit=20)
    monkeypatch.setattr(clock, "now", lambda: NOON + timedelta(minutes=1))
    rate_limits.spend("look", "ann", limit=20)


def test_web_processes_share_what_is_counted_in_blocks() -> None:
    assert _spent(25, block=5) == 20
    caches["default"].clear()
    caches["pages"].clear()
    # Three of its block of five: two are lost when another process goes on.
    assert _spent(3, block=5) == 3
    caches["pages"].clear()
    assert _spent(30, block=5) == 15
    caches["pages"].clear()
    assert _spent(1, block=5) == 0


def test_blocks_hardly_ask_the_database() -> None:
    _spent(1, block=10)
    before = len(connection.queries_log)
    connection.force_debug_cursor = True
    try:
        assert _spent(9, block=10) == 9
    finally:
        connection.force_debug_cursor = False
    assert len(connection.queries_log) == before


def test_an_hour_lasts_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _spent(20, seconds=rate_limits.HOUR) == 20
    later = datetime.now(UTC) + timedelta(minutes=55)
    monkeypatch.setattr(db, "tz_now", lambda: later)
    assert _spent(1, seconds=rate_limits.HOUR) == 0


@pytest.mark.django_db(transaction=True)
def test_those_who_come_at_once_are_counted_one_by_one() -> None:
    def attempt(_number: int) -> bool:
        try:
            return bool(_spent(1))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        answers = Counter(pool.map(attempt, range(40)))
    assert answers == {True: 20, False: 20}
