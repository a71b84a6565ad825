"""Headers that every answer carries, and the second factor that referees must have."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from tokumei_arena.models import Person
from tokumei_arena.teams import has_second_factor

__all__ = ["POLICY", "RefereesNeedSecondFactor", "SecurityHeaders"]

Answer = Callable[[HttpRequest], HttpResponse]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


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
