"""What every answer passes through: headers, static files, the language and zone of the viewer, second factors."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone, translation
from whitenoise.middleware import WhiteNoiseMiddleware

from tokumei_arena import access
from tokumei_arena.models import Person
from tokumei_arena.teams import has_second_factor
from tokumei_arena.templatetags.arena import is_jst

Answer = Callable[[HttpRequest], HttpResponse]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
ZONE_COOKIE = "arena_zone"
# Each in its own language, so that everybody can find theirs.
LANGUAGE_NAMES = [("en", "English"), ("ja", "日本語")]


class SecurityHeaders:
    """Adds the content security policy; pages for signed-in viewers are never kept by shared caches."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer with the headers."""
        response = self.get_response(request)
        response.setdefault("Content-Security-Policy", POLICY)
        response.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        if "Cache-Control" not in response:
            response["Cache-Control"] = "private, no-store"
        return response


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
            and person.is_referee
            and not request.path.startswith(self.open_prefixes)
            and not has_second_factor(person)
        ):
            return redirect("mfa_activate_totp")
        return self.get_response(request)


class StaticFiles(WhiteNoiseMiddleware):
    """WhiteNoise with whole answers: one that streams would be read in one go anyway, with a warning."""

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        """Return the file, or that the browser has it already."""
        found = static_file.get_response(request.method, request.META)
        data = b""
        if found.file is not None:
            with found.file as file:
                data = file.read()
        response = HttpResponse(data, status=int(found.status))
        # Only the headers of the file itself.
        del response["Content-Type"]
        for name, value in found.headers:
            response[name] = value
        return response


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
    return {
        "viewer_is_referee": access.is_referee(getattr(request, "user", AnonymousUser())),
        "zone_name": timezone.get_current_timezone_name(),
        "zone_is_jst": is_jst(timezone.localtime()),
        "language_names": LANGUAGE_NAMES,
    }
