"""Static files as whole answers: they are small, and an answer that streams would be read in one go anyway."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware

__all__ = ["StaticFiles"]


class StaticFiles(WhiteNoiseMiddleware):
    """WhiteNoise, but its answers are no files that an asynchronous server has to warn about."""

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
