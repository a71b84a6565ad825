"""Uploads go to a temporary file while they arrive; one that is too long is cut off, not stored."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import StopUpload, TemporaryFileUploadHandler

__all__ = ["LimitedUpload", "was_cut"]


class LimitedUpload(TemporaryFileUploadHandler):
    """Takes files up to the limit; beyond it the request is marked and the rest is thrown away."""

    def __init__(self, request: Any = None) -> None:
        super().__init__(request)
        self._received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a piece, or stop."""
        self._received += len(raw_data)
        if self._received > settings.ARENA_LIMITS["upload_bytes"]:
            if self.request is not None:
                self.request.META["arena.upload_cut"] = True
            raise StopUpload(connection_reset=False)
        super().receive_data_chunk(raw_data, start)


def was_cut(request: Any) -> bool:
    """Return whether an upload of this request was longer than allowed."""
    return bool(request.META.get("arena.upload_cut"))
