"""Viewers of a web page: connections that stay open, as a browser's do, each asking again after a while.

The viewers run in this process on the same machine as the server, and so take some of its processors.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

__all__ = ["Times", "Viewer", "watch"]


@dataclass
class Times:
    """How long answers took, in milliseconds, and how many were none."""

    taken: list[float] = field(default_factory=list)
    errors: int = 0

    def percentile(self, share: float) -> float:
        """Return the time within which this share of the answers came."""
        ordered = sorted(self.taken)
        return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """One viewer: asks for ``page``, then every ``pause`` seconds for ``part``; without a pause only for the page."""

    cookies: Mapping[str, str]
    page: str
    part: str
    pause: float = 0.0


class _Connection:
    """A connection that is opened again when the server has closed it."""

    def __init__(self, url: str, cookies: Mapping[str, str]) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "", parts.port or 80
        self._cookies = "; ".join(f"{name}={value}" for name, value in cookies.items())
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._tags: dict[str, str] = {}

    async def get(self, path: str) -> int:
        """Ask for a page, unless it is unchanged; return the status."""
        try:
            return await self._get(path)
        except (OSError, asyncio.IncompleteReadError):
            # Closed between two requests: asked once more, as browsers do.
            await self.close()
            return await self._get(path)

    async def _get(self, path: str) -> int:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        known = f"If-None-Match: {self._tags[path]}\r\n" if path in self._tags else ""
        cookies = f"Cookie: {self._cookies}\r\n" if self._cookies else ""
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n{cookies}{known}\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        await reader.readexactly(int(headers.get("content-length", "0")))
        if "etag" in headers:
            self._tags[path] = headers["etag"]
        return int(head[0].split()[1])

    async def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def _view(url: str, viewer: Viewer, late: float, end: float, found: dict[str, Times]) -> None:
    connection = _Connection(url, viewer.cookies)
    await asyncio.sleep(late)
    path = viewer.page
    try:
        while (began := time.perf_counter()) < end:
            times = found["page" if path == viewer.page else "part"]
            try:
                status = await connection.get(path)
            except (OSError, asyncio.IncompleteReadError):
                status = 0
            times.taken.append(1000 * (time.perf_counter() - began))
            times.errors += status not in (200, 304)
            if viewer.pause:
                path = viewer.part
                await asyncio.sleep(viewer.pause)
    finally:
        await connection.close()


def watch(url: str, viewers: Sequence[Viewer], seconds: float, *, seed: int = 1) -> dict[str, Times]:
    """Let all viewers look for some time, each beginning at another moment of its pause; return 'page' and 'part'."""
    found = {"page": Times(), "part": Times()}
    rng = random.Random(seed)

    async def everybody() -> None:
        end = time.perf_counter() + seconds
        async with asyncio.TaskGroup() as group:
            for viewer in viewers:
                group.create_task(_view(url, viewer, rng.uniform(0, viewer.pause), end, found))

    asyncio.run(everybody())
    return found
