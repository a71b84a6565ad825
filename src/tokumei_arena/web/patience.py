"""How web processes take connections: one at a time, so that they share them, and none that only stays open.

Left alone, uvicorn (as gunicorn and waitress) waits for ever for headers that come byte by byte; granian ends them, but
leaves its processes behind when it is killed.
"""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 15.0


class ImpatientProtocol(H11Protocol):
    """Closes a connection unless the headers of each request are complete in time."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Take bytes; the first ones of a request begin the wait for the rest of its headers."""
        super().data_received(data)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the wait."""
        self._forget()
        super().connection_lost(exc)

    def _look(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._forget()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _forget(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class FairServer(uvicorn.Server):
    """Accepts one connection at a time: of a hundred that come at once, the first process would take all of them.

    Give it a configuration with a ``backlog`` of 1, which is how many asyncio accepts in a row; the system then lets as
    many wait as it can.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(socket.SOMAXCONN)
