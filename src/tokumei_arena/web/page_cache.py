"""What many viewers ask for at once is made once every few seconds; meanwhile everybody gets the last one."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import RLock
from typing import TypeVar

from django.conf import settings
from django.core.cache import caches

Made = TypeVar("Made")
Kept = tuple[float, object, Made]
# How long something is worth showing while it is made anew.
KEPT = 60
# One thing is made at a time: a hundred viewers of a board that nobody has asked for yet wait for the first of them.
_making = RLock()


def recent(key: str, make: Callable[[], Made], *, state: Callable[[], object]) -> Made:
    """Return what was made under this key within ``board_seconds``; of several requests after that, one makes it anew.

    ``state`` tells quickly what it would be made of: while that stays the same, the old one is as good as a new one.
    """
    seconds = settings.ARENA_LIMITS["board_seconds"]
    if not seconds:
        return make()
    store = caches["pages"]
    found: Kept[Made] | None = store.get(key)
    if found is not None and time.monotonic() - found[0] < seconds:
        return found[2]
    if not _making.acquire(blocking=found is None):
        assert found is not None
        return found[2]
    try:
        again: Kept[Made] | None = store.get(key)
        if again is not None and time.monotonic() - again[0] < seconds:
            return again[2]
        now = state()
        made = again[2] if again is not None and again[1] == now else make()
        store.set(key, (time.monotonic(), now, made), seconds + KEPT)
    finally:
        _making.release()
    return made
