"""The way in, the language, and pages for what is not there."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_POST

from tokumei_studio.access import refused
from tokumei_studio.running import current
from tokumei_studio.views.frame import next_step, project, reached

YEAR_SECONDS = 31_536_000


@require_GET
def enter(request: HttpRequest) -> HttpResponse:
    """Exchange the one-time key for the cookie of the session.

    The browser then goes on by itself: had another site brought it here, it would not send the new cookie along with a
    redirection.
    """
    studio = current()
    session = studio.keys.exchange(request.GET.get("key", ""))
    if session is None:
        return refused(request, "key")
    response = render(request, "studio/enter.html")
    response.set_cookie(studio.cookie, session, httponly=True, samesite="Strict", path="/")
    return response


@require_GET
def home(_request: HttpRequest) -> HttpResponse:
    """Go to the step that is next."""
    return redirect(next_step(reached(project())))


@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Remember the language and go back."""
    there = request.POST.get("next", "/")
    safe = url_has_allowed_host_and_scheme(there, allowed_hosts=None) and there.startswith("/")
    response = redirect(there if safe else "/")
    if (language := request.POST.get("language")) in ("en", "ja"):
        response.set_cookie("tokumei_studio_language", language, max_age=YEAR_SECONDS, httponly=True, samesite="Strict")
    return response


def missing(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001 - called by Django
    """Say that there is no such page."""
    return render(request, "studio/missing.html", {"what": "missing"}, status=404)


def failed(request: HttpRequest) -> HttpResponse:
    """Say that the studio made a mistake."""
    return render(request, "studio/missing.html", {"what": "failed"}, status=500)
