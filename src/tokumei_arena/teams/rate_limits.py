"""How often somebody may do something: counted per minute or hour in the database, for all web processes together.

The limits of allauth ask the database twelve times for an action (32 ms, here 10, in blocks 0.3), keep a list of all of
them, and do not tell how long to wait.
"""

from __future__ import annotations

from threading import Lock

from django.core.cache import caches
from django.db import connection, transaction
from django.utils.translation import ngettext

from tokumei_arena import clock
from tokumei_arena.errors import TooManyError

MINUTE, HOUR = 60, 3600
# Any number that no other part of the arena locks (PostgreSQL's advisory locks are numbered).
COUNT_LOCK = 7_466_003
USED_UP = -1
# One thread at a time asks for the next block: of ten that find theirs used up, nine can use that of the first.
_asking = Lock()


def spend(action: str, who: object, *, limit: int, seconds: int = MINUTE, block: int = 1) -> None:
    """Count one action of somebody (a person, a team: their id), or refuse it if there were too many of late.

    What happens at every request is counted in blocks: a process takes as many at once and asks the database again
    when they are used up, because a write for each would cost more than the request. What a process does not use of
    its last block is lost, so that the limit may be reached early by a block for each process; never late.
    """
    moment = clock.now().timestamp()
    window = int(moment // seconds)
    key = f"rate:{action}:{who}:{window}"
    allowed = _granted(key, 1, limit, seconds) if block == 1 else _of_block(key, block, limit, seconds)
    if not allowed:
        left = max(1, int((window + 1) * seconds - moment))
        message = ngettext(
            "too many at once; try again in %(seconds)d second",
            "too many at once; try again in %(seconds)d seconds",
            left,
        )
        raise TooManyError(message % {"seconds": left}, code="rate-limit")


def _of_block(key: str, block: int, limit: int, seconds: int) -> bool:
    """Use one of what this process was granted; return whether there was one."""
    own = caches["pages"]
    with _asking:
        left = own.get(key, 0)
        if left == 0:
            left = _granted(key, block, limit, seconds)
        own.set(key, left - 1 if left > 0 else USED_UP, timeout=2 * seconds)
    return bool(left > 0)


def _granted(key: str, wanted: int, limit: int, seconds: int) -> int:
    """Count so many at once; return how many of them are within the limit."""
    cache = caches["default"]
    # One at a time: on SQLite the transaction itself sees to that.
    with transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [COUNT_LOCK, key])
        before = int(cache.get(key, 0))
        granted = max(0, min(wanted, limit - before))
        if granted:
            cache.set(key, before + granted, timeout=2 * seconds)
    return granted
