"""How web processes take connections: one at a time, so that they share them, and none that only stays open.

Left alone, uvicorn (as gunicorn and waitress) waits for ever for headers that come byte by byte; granian ends them, but
leaves its processes behind when it is killed.
"""

from __future__ import annotations

import asyncio
import resource
import socket
from collections import Counter
from collections.abc import Collection
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 15.0
# Connections that one address may have open at a process; a proxy on this machine or a named one speaks for many.
MOST_OF_ONE, MOST_OF_A_PROXY = 64, 1_000
MOST_FILES = 65_536
# Files and database connections beside the connections of visitors.
KEPT_FILES = 128
LOOPBACK = ("127.0.0.1", "::1")


def raise_file_limit() -> int:
    """Let this process open as many files as the system allows; return how many connections that leaves room for."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(wanted - KEPT_FILES, KEPT_FILES)


class Counted:
    """How many connections are open, of every address and in all."""

    def __init__(self, most: int, proxies: Collection[str] = ()) -> None:
        self._most, self._proxies = most, {*LOOPBACK, *proxies}
        self._open: Counter[str] = Counter()

    def enter(self, address: str) -> bool:
        """Count a new connection; return whether there is room for it."""
        self._open[address] += 1
        of_one = MOST_OF_A_PROXY if address in self._proxies else MOST_OF_ONE
        return self._open[address] <= of_one and self._open.total() <= self._most

    def leave(self, address: str) -> None:
        """Count a connection that has ended."""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]


class ImpatientProtocol(H11Protocol):
    """Closes a connection unless there is room for it and the headers of each request are complete in time."""

    # Set once per process, before the first connection.
    counted = Counted(MOST_FILES)

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._deadline: asyncio.TimerHandle | None = None
        self._address = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request, if there is room."""
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        self._address = str(peer[0]) if isinstance(peer, tuple) else ""
        if not self.counted.enter(self._address):
            transport.abort()
            return
        self._look()

    def data_received(self, data: bytes) -> None:
        """Take bytes; the first ones of a request begin the wait for the rest of its headers."""
        super().data_received(data)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the wait."""
        self._forget()
        self.counted.leave(self._address)
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
