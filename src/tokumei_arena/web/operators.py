"""What operators and their programs ask: /healthz, /readyz and /metrics; and the counting of all requests.

These are answered before anything else looks at a request: a load balancer asks under an address of its own, which is
no name of the arena, and must be answered when the database is away.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import secrets
import time

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse

from tokumei_arena.operations import CONTENT_TYPE, OWN, State, metrics_text, readiness
from tokumei_pages.middleware import Answer

logger = logging.getLogger("tokumei_arena.requests")
METRICS_TOKEN = "TOKUMEI_ARENA_METRICS_TOKEN"  # noqa: S105 - the name of a variable
FORWARDED = ("HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Operators:
    """Answers what operators ask, and counts every request with its time."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response
        self.answers = {"/healthz": _alive, "/readyz": _ready, "/metrics": _metrics}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer; requests of operators are not counted."""
        own = self.answers.get(request.path_info)
        if own is not None:
            return own(request) if request.method in ("GET", "HEAD") else HttpResponse(status=405)
        began = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - began
        method, route = _told(request)
        OWN.count(method, route, response.status_code, seconds)
        # Nothing of who asked: a log of requests is no place for persons.
        words = {"method": method, "route": route, "status": response.status_code, "seconds": round(seconds, 4)}
        logger.debug("request", extra={"fields": words})
        return response


def _told(request: HttpRequest) -> tuple[str, str]:
    """Return method and route; both are among few words, whatever a visitor sends."""
    found = request.resolver_match
    route = "static" if request.path_info.startswith("/static/") else "none"
    if found is not None:
        route = found.view_name or found.route
    return request.method if request.method in METHODS else "other", route.replace("|", " ")


def _alive(_request: HttpRequest) -> HttpResponse:
    """Say that this process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


def _ready(_request: HttpRequest) -> HttpResponse:
    """Say whether database, tables, storage and a worker are there; no more than that, for everybody may ask."""
    checks = readiness()
    ready = all(check.state is not State.BAD for check in checks)
    document = {"ready": ready, "checks": {check.name: check.state.value for check in checks}}
    return JsonResponse(document, status=200 if ready else 503)


def _metrics(request: HttpRequest) -> HttpResponse:
    """Return all figures to who is on this machine or has the token; for others there is nothing here."""
    if not (_has_token(request) or _is_local(request)):
        return HttpResponse(status=404)
    try:
        return HttpResponse(metrics_text(), content_type=CONTENT_TYPE)
    except DatabaseError:
        return HttpResponse(status=503)


def _has_token(request: HttpRequest) -> bool:
    wanted = os.environ.get(METRICS_TOKEN, "")
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    return bool(wanted) and secrets.compare_digest(given.encode(), wanted.encode())


def _is_local(request: HttpRequest) -> bool:
    """Return whether a program of this machine asks, and not through a proxy of it."""
    if any(name in request.META for name in FORWARDED):
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
