"""Pages for what went wrong; none of them tells more than the viewer may know."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string


def _page(request: HttpRequest, status: int) -> HttpResponse:
    return render(request, f"errors/{status}.html", status=status)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """Say that this is not allowed."""
    return _page(request, 403)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001
    """Say that the form is too old."""
    return render(request, "errors/csrf.html", status=403)


def missing(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """Say that there is nothing here."""
    return _page(request, 404)


def failed(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Say that it is our fault; the page needs neither database nor session, either of which may be what failed."""
    return HttpResponse(render_to_string("errors/500.html"), status=500)
