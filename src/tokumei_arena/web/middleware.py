"""What every answer passes through beside headers and static files: language and zone of the viewer, second factors."""

from __future__ import annotations

import zoneinfo
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone, translation

from tokumei_arena import access
from tokumei_arena.models import Person
from tokumei_arena.teams import has_second_factor
from tokumei_arena.templatetags.arena import is_jst
from tokumei_pages.middleware import LANGUAGE_NAMES, Answer

ZONE_COOKIE = "arena_zone"


class RefereesNeedSecondFactor:
    """Sends a referee without a second factor to the page that sets one up, whatever was asked for."""

    open_prefixes = ("/accounts/", "/static/", "/language/", "/api/")

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, or ask for the second factor first."""
        person = request.user
        if (
            isinstance(person, Person)
            and access.has_office(person)
            and not request.path.startswith(self.open_prefixes)
            and not has_second_factor(person)
        ):
            return redirect("mfa_activate_totp")
        return self.get_response(request)


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

    def __init__(self, get_response: Answer) -> None:
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
    viewer = getattr(request, "user", AnonymousUser())
    return {
        "viewer_is_referee": access.is_referee(viewer),
        "viewer_has_desk": access.has_office(viewer),
        "zone_name": timezone.get_current_timezone_name(),
        "zone_is_jst": is_jst(timezone.localtime()),
        "language_names": LANGUAGE_NAMES,
    }
