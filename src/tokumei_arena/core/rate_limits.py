"""How often somebody may do something: counted per minute or hour in the cache that all web processes share.

Two requests of the same instant may be counted as one. That is enough to slow a flood down; where a number decides
(tries), the database has a constraint.
"""

from __future__ import annotations

from django.core.cache import caches
from django.utils.translation import ngettext

from tokumei_arena.core import clock
from tokumei_arena.core.errors import TooManyError

__all__ = ["HOUR", "MINUTE", "spend"]

MINUTE, HOUR = 60, 3600


def spend(action: str, who: object, *, limit: int, seconds: int = MINUTE, store: str = "default") -> None:
    """Count one action of somebody (a person, a team: their id), or refuse it if there were too many of late.

    What happens at every request is counted per web process, in the store "pages": a write to the database for each
    would cost more than the request.
    """
    cache = caches[store]
    moment = clock.now().timestamp()
    window = int(moment // seconds)
    key = f"rate:{action}:{who}:{window}"
    cache.add(key, 0, timeout=2 * seconds)
    try:
        count = cache.incr(key)
    except ValueError:
        # The entry was thrown out between the two calls, because the cache is full.
        return
    if count > limit:
        left = max(1, int((window + 1) * seconds - moment))
        message = ngettext(
            "too many at once; try again in %(seconds)d second",
            "too many at once; try again in %(seconds)d seconds",
            left,
        )
        raise TooManyError(message % {"seconds": left}, code="rate-limit")
