"""What many viewers ask for at once is made once every few seconds; meanwhile everybody gets the last one."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import RLock
from typing import TypeVar

from django.conf import settings
from django.core.cache import caches

__all__ = ["recent"]

Made = TypeVar("Made")
# How long something is worth showing while it is made anew.
KEPT = 60
# One thing is made at a time: a hundred viewers of a board that nobody has asked for yet wait for the first of them.
_making = RLock()


def recent(key: str, make: Callable[[], Made], *, times: int = 1) -> Made:
    """Return what was made under this key a moment ago; of several requests after that, one makes it anew.

    A moment is ``board_seconds``, so many times over for what hardly changes.
    """
    seconds = times * settings.ARENA_LIMITS["board_seconds"]
    if not seconds:
        return make()
    store = caches["pages"]
    found: tuple[float, Made] | None = store.get(key)
    if found is not None and time.monotonic() - found[0] < seconds:
        return found[1]
    if not _making.acquire(blocking=found is None):
        assert found is not None
        return found[1]
    try:
        again: tuple[float, Made] | None = store.get(key)
        if again is not None and time.monotonic() - again[0] < seconds:
            return again[1]
        made = make()
        store.set(key, (time.monotonic(), made), seconds + KEPT)
    finally:
        _making.release()
    return made
