"""The viewer's language and time zone, and what every page needs."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from tokumei_arena import access
from tokumei_arena.models import Person
from tokumei_arena.templatetags.arena import is_jst

__all__ = ["ViewerPreferences", "page_context"]

ZONE_COOKIE = "arena_zone"
# Each in its own language, so that everybody can find theirs.
LANGUAGE_NAMES = [("en", "English"), ("ja", "日本語")]


def _zone(request: HttpRequest) -> zoneinfo.ZoneInfo | None:
    """Return the zone of the person, else the one the browser told, if it is one."""
    wanted = request.user.time_zone if isinstance(request.user, Person) else ""
    wanted = wanted or request.COOKIES.get(ZONE_COOKIE, "")
    try:
        return zoneinfo.ZoneInfo(wanted) if wanted else None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None


class ViewerPreferences:
    """Makes the viewer's time zone and, unless a cookie says otherwise, the person's language current."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in the viewer's language and zone."""
        person = request.user
        if isinstance(person, Person) and person.language and "arena_language" not in request.COOKIES:
            translation.activate(person.language)
            request.LANGUAGE_CODE = translation.get_language()
        zone = _zone(request)
        if zone is None:
            timezone.deactivate()
        else:
            timezone.activate(zone)
        return self.get_response(request)


def page_context(request: HttpRequest) -> dict[str, Any]:
    """Return what the frame of every page shows."""
    return {
        "viewer_is_referee": access.is_referee(getattr(request, "user", AnonymousUser())),
        "zone_name": timezone.get_current_timezone_name(),
        "zone_is_jst": is_jst(timezone.localtime()),
        "language_names": LANGUAGE_NAMES,
    }
