"""Stands before Django, which keeps a whole request before anybody looks at it: long bodies are cut, slow ones ended.

Of a body that is too long Django gets as much as shows that it is, and says so on its usual page or in the form of the
API; the rest is read and thrown away, because a browser shows the answer only when it could send everything. What is
longer than even that is refused at once. None of uvicorn, granian, gunicorn and waitress ends a body that drips.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any

from django.conf import settings

Scope = dict[str, Any]
Headers = dict[bytes, bytes]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

# Boundaries and the other fields of a form beside its files.
FORM_ROOM = 2_000_000
# So many times the limit is read to its end before it is refused.
READ_ON = 5
PAUSE_SECONDS = 30.0
SLOWEST_BYTES_PER_SECOND = 1_000
SENTENCES = {
    408: "the request came too slowly; try again over a better connection",
    413: "the request is too large; compress the file (.gz or .zip) or make it smaller",
}
CODES = {408: "too-slow", 413: "too-large"}


class _RefusedError(Exception):
    """The request is not read to its end."""

    def __init__(self, status: int) -> None:
        super().__init__(SENTENCES[status])
        self.status = status


class BodyLimit:
    """Passes requests on to an application, with bodies no longer than the limits of the settings.

    Files may be sent by those only who are signed in (``known`` says so of headers, in a thread): everybody else could
    fill the disk.
    """

    def __init__(self, app: App, known: Callable[[Headers], bool]) -> None:
        self._app, self._known = app, known
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="known")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        most = await self._most(headers)
        try:
            if _declared(headers) > READ_ON * most:
                raise _RefusedError(413)
            await self._app(scope, _Body(receive, most).receive, send)
        except _RefusedError as refused:
            await _refuse(scope["path"], refused.status, send)

    async def _most(self, headers: Headers) -> int:
        """Return how long the body may be: files come in forms of people we know, everything else is small."""
        if headers.get(b"content-type", b"").startswith(b"multipart/form-data"):
            loop = asyncio.get_running_loop()
            if await loop.run_in_executor(self._threads, self._known, headers):
                return int(settings.ARENA_LIMITS["upload_bytes"]) + FORM_ROOM
        return int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0) + 1


def _declared(headers: dict[bytes, bytes]) -> int:
    length = headers.get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0


class _Body:
    """The body of one request as it comes in."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most = receive, most
        self._began = monotonic()
        self._length, self._ended = 0, False

    async def receive(self) -> Message:
        """Return the next piece that counts; the first beyond the limit ends the body once all others are read."""
        if self._ended:
            # Django waits here for the client to go away, however long the answer takes.
            return await self._receive()
        message = await self._next()
        if message["type"] == "http.disconnect" or self._length <= self._most:
            return message
        while not self._ended:
            rest = await self._next()
            if rest["type"] == "http.disconnect":
                return rest
        return {**message, "more_body": False}

    async def _next(self) -> Message:
        left = self._began + PAUSE_SECONDS + self._length / SLOWEST_BYTES_PER_SECOND - monotonic()
        try:
            message = await asyncio.wait_for(self._receive(), min(PAUSE_SECONDS, max(left, 0.0)))
        except TimeoutError:
            raise _RefusedError(408) from None
        self._length += len(message.get("body", b""))
        self._ended = not message.get("more_body", False)
        if self._length > READ_ON * self._most:
            raise _RefusedError(413)
        return message


async def _refuse(path: str, status: int, send: Send) -> None:
    """Send the refusal; nothing about the viewer is known yet, not even the language."""
    text, kind = f"{SENTENCES[status]}\n", "text/plain; charset=utf-8"
    if path.startswith("/api/"):
        text = f'{{"error": {{"code": "{CODES[status]}", "message": "{SENTENCES[status]}"}}}}'
        kind = "application/json"
    body = text.encode()
    headers = {
        "Content-Type": kind,
        "Content-Length": str(len(body)),
        "Cache-Control": "no-store",
        "Connection": "close",
        "X-Content-Type-Options": "nosniff",
    }
    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})
