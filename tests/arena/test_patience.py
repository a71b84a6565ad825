"""Connections on which no request comes to its end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from tokumei_arena.web import patience
from tokumei_arena.web.patience import ImpatientProtocol

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


async def _application(_scope: Any, _receive: Any, send: Any) -> None:
    # Longer than anybody may take for the head of a request.
    await asyncio.sleep(0.4)
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


async def _sent(*pieces: bytes) -> bytes:
    """Send pieces with pauses; return everything that comes until the server closes the connection."""
    config = uvicorn.Config(_application, http=ImpatientProtocol, lifespan="off", log_level="critical")
    config.load()
    state = ServerState()

    def protocol() -> ImpatientProtocol:
        return ImpatientProtocol(config=config, server_state=state, app_state={})

    server = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(0.05)
        found = await asyncio.wait_for(reader.read(), 4)
        writer.close()
        await writer.wait_closed()
    return found


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "HEADER_SECONDS", 0.2)


@pytest.mark.parametrize("pieces", [(), (REQUEST[:5],), (REQUEST[:5], REQUEST[5:20], REQUEST[20:22])])
def test_who_does_not_finish_the_head_is_hung_up_on(pieces: tuple[bytes, ...]) -> None:
    assert asyncio.run(_sent(*pieces)) == b""


@pytest.mark.half_second
def test_who_asks_is_answered_however_long_that_takes() -> None:
    assert asyncio.run(
        _sent(REQUEST[:9], REQUEST[9:].replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    ).startswith(b"HTTP/1.1 204 ")


@pytest.mark.half_second
def test_a_second_request_on_the_same_connection_has_its_own_time() -> None:
    found = asyncio.run(_sent(REQUEST, b"", b"", b"", b"", b"", b"", b"", b"", b"", REQUEST[:9]))
    assert found.count(b"HTTP/1.1 204 ") == 1
