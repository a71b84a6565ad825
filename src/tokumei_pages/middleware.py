"""What every answer of arena and studio passes through: headers and static files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware

Answer = Callable[[HttpRequest], HttpResponse]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
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
