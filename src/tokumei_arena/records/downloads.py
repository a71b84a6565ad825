"""Stored files as downloads: always attachments, never shown by the browser, never guessed at."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import PurePath
from typing import Any

from asgiref.sync import sync_to_async
from django.core.files.base import File
from django.core.handlers.asgi import ASGIRequest
from django.http import FileResponse, HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from tokumei_arena.errors import RefusedError
from tokumei_arena.models import Blob
from tokumei_arena.records.storage import open_stored

PIECE = 1 << 18
TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".pdf": "application/pdf",
    ".zip": "application/zip",
}


def attachment(request: HttpRequest, blob: Blob, name: str) -> HttpResponseBase:
    """Return stored bytes to be saved under a name."""
    if blob.removed_at is not None:
        message = _("the file was removed on %(date)s: invalid files are kept for some time only")
        raise RefusedError(message % {"date": f"{blob.removed_at:%Y-%m-%d}"}, code="file-removed")
    return _sent(request, open_stored(blob), name, blob.size)


def sent_file(request: HttpRequest, file: File[Any]) -> HttpResponseBase:
    """Return an open file to be saved under its name; it is closed when it is sent."""
    return _sent(request, file, str(file.name), file.size)


def _sent(request: HttpRequest, file: File[Any], name: str, size: int) -> HttpResponseBase:
    # Pictures have their type, so that a page can show them; everything else is only ever saved.
    kind = TYPES.get(PurePath(name).suffix, "application/octet-stream")
    response: HttpResponseBase
    if isinstance(request, ASGIRequest):
        # A plain FileResponse would be read into memory as a whole before the first byte goes out.
        response = StreamingHttpResponse(_pieces(file), content_type=kind)
        response["Content-Disposition"] = str(content_disposition_header(as_attachment=True, filename=name))
    else:
        response = FileResponse(file, as_attachment=True, filename=name, content_type=kind)
    response["Content-Length"] = str(size)
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


async def _pieces(file: File[Any]) -> AsyncIterator[bytes]:
    try:
        while piece := await sync_to_async(file.read, thread_sensitive=False)(PIECE):
            yield piece
    finally:
        await sync_to_async(file.close, thread_sensitive=False)()
