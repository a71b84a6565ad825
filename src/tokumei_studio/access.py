"""Who may use the studio: the browser that came with the one-time key, from this machine and from no other page.

The key stands in the address that the terminal prints and works once; the browser gets a cookie for it, which no script
can read and no other site can make the browser send. Other programs of this machine are kept out by the key, other
pages in the same browser by Host, Origin and Sec-Fetch-Site: a page on another port of this machine counts as the same
site for cookies.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tokumei_studio.running import current

OPEN_PATH = "/open/"
FOREIGN = ("cross-site", "same-site")


class Keys:
    """The key of the next browser, and the session of those that were let in."""

    def __init__(self) -> None:
        self._session = secrets.token_urlsafe(32)
        self._key = ""
        self._lock = threading.Lock()

    def new_key(self) -> str:
        """Return a key that opens the studio once; an earlier one that was not used opens nothing any more."""
        with self._lock:
            self._key = secrets.token_urlsafe(24)
            return self._key

    def exchange(self, key: str) -> str | None:
        """Return the session for a key, None if it is wrong or was used."""
        with self._lock:
            if not self._key or not secrets.compare_digest(key.encode(), self._key.encode()):
                return None
            self._key = ""
            return self._session

    def opens(self, session: str) -> bool:
        """Return whether a cookie holds the session."""
        return secrets.compare_digest(session.encode(), self._session.encode())


class Gate:
    """Refuses whatever does not come from a page of this studio in a browser that was let in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, or refuse with a page that tells nothing of the data."""
        studio = current()
        if request.META.get("HTTP_HOST", "") not in studio.hosts:
            return refused(request, "host")
        origin, site = request.headers.get("Origin"), request.headers.get("Sec-Fetch-Site")
        opening = request.method == "GET" and request.path == OPEN_PATH
        if origin is not None and origin not in studio.origins:
            return refused(request, "origin")
        if site in FOREIGN and not opening:
            return refused(request, "origin")
        public = opening or request.path.startswith("/static/")
        if not public and not studio.keys.opens(request.COOKIES.get(studio.cookie, "")):
            return refused(request, "locked")
        return self.get_response(request)


def refused(request: HttpRequest, why: str) -> HttpResponse:
    """Return the page that says why nothing is shown: ``host``, ``origin``, ``locked``, ``key`` or ``form``."""
    return render(request, "studio/refused.html", {"why": f"refused.{why}"}, status=403)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - called so by Django
    """Refuse a form that no page of the studio sent."""
    return refused(request, "form")
