"""How often something may be tried in a while; kept in the cache that all web processes share."""

from __future__ import annotations

import hashlib

from django.core.cache import cache
from django.utils.translation import gettext as _

from tokumei_arena.core import clock
from tokumei_arena.core.errors import TooManyError

__all__ = ["count_try"]


def count_try(action: str, who: str, *, limit: int, seconds: int) -> None:
    """Count one try and refuse it if there were more than the limit in this stretch of time."""
    stretch = int(clock.now().timestamp() // seconds)
    # Addresses and other personal data do not stand in the cache.
    name = hashlib.sha256(who.encode()).hexdigest()[:32]
    key = f"tries:{action}:{name}:{stretch}"
    count = int(cache.get(key, 0)) + 1
    cache.set(key, count, timeout=seconds)
    if count > limit:
        raise TooManyError(_("too many tries; wait a little, then try again"), code="rate-limit")
