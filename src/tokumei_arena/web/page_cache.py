"""What many viewers ask for at once is made once every few seconds; meanwhile everybody gets the last one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.core.cache import caches

__all__ = ["recent"]

Made = TypeVar("Made")
# How long something is worth showing while one request makes it anew.
KEPT = 60


def recent(key: str, make: Callable[[], Made], *, times: int = 1) -> Made:
    """Return what was made under this key a moment ago; of several requests after that, one makes it anew.

    A moment is ``board_seconds``, so many times over for what hardly changes.
    """
    seconds = times * settings.ARENA_LIMITS["board_seconds"]
    if not seconds:
        return make()
    store, now = caches["pages"], time.monotonic()
    found: tuple[float, Made] | None = store.get(key)
    if found is not None and (now - found[0] < seconds or not store.add(f"{key}:making", True, seconds)):
        return found[1]
    made = make()
    store.set(key, (time.monotonic(), made), KEPT)
    store.delete(f"{key}:making")
    return made
