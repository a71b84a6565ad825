"""What stands before Django: bodies that are too long or too slow."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from django.conf import LazySettings, settings

from tests.arena import world
from tests.arena.playing import sign_in
from tokumei_arena.teams import links
from tokumei_arena.web import body_limit
from tokumei_arena.web.body_limit import FORM_ROOM, READ_ON, BodyLimit
from tokumei_arena.web.known_visitor import is_known

FORM = [(b"content-type", b"multipart/form-data; boundary=x")]
LIMIT = 100


@pytest.fixture(autouse=True)
def _small_limits(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ARENA_LIMITS = {**settings.ARENA_LIMITS, "upload_bytes": LIMIT}
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = LIMIT
    monkeypatch.setattr(body_limit, "PAUSE_SECONDS", 0.05)


def _answer(
    pieces: Sequence[bytes],
    *,
    headers: Sequence[tuple[bytes, bytes]] = (),
    path: str = "/",
    hangs: bool = False,
    known: bool = True,
) -> tuple[int, bytes, bytes]:
    """Send pieces through the limit to an application that reads them; return status, answer and what it read."""
    read = b""
    sent: list[dict[str, Any]] = []
    waiting = list(pieces)

    async def receive() -> dict[str, Any]:
        if not waiting:
            await asyncio.sleep(3600)
        piece = waiting.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(waiting) or hangs}

    async def application(_scope: Any, receive: Any, send: Any) -> None:
        nonlocal read
        more = True
        while more:
            message = await receive()
            read += message["body"]
            more = message["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "path": path, "headers": list(headers)}
    asyncio.run(BodyLimit(application, lambda _headers: known)(scope, receive, send))
    return sent[0]["status"], sent[1]["body"], read


def test_bodies_within_the_limit_pass_unchanged() -> None:
    assert _answer([b"a" * 60, b"b" * 40]) == (200, b"done", b"a" * 60 + b"b" * 40)
    assert _answer([b""]) == (200, b"done", b"")


def test_of_a_long_body_the_application_sees_that_it_is_too_long_and_no_more() -> None:
    status, _body, read = _answer([b"a" * 60] * 5)
    assert (status, len(read)) == (200, 120)
    # Forms may hold a file of the largest size and some fields.
    assert len(_answer([b"a" * 60] * 5, headers=FORM)[2]) == 300


def test_files_of_nobody_are_not_read() -> None:
    """Any address could send 200 MB bodies to any page without signing in."""
    assert len(_answer([b"a" * 60] * 5, headers=FORM, known=False)[2]) == 120
    longest = READ_ON * (LIMIT + 1)
    declared = (b"content-length", str(longest + 1).encode())
    assert _answer([b"a"], headers=[*FORM, declared], known=False)[0] == 413


@pytest.mark.django_db
def test_who_is_signed_in_is_known_by_session_or_token() -> None:
    person = world.make_person("Kim")
    client = sign_in(person)
    cookie = f"x=1; {settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}".encode()
    _token, text = links.make_token(person, name="test", scopes=["read"], lasts=timedelta(days=1))
    assert is_known({b"cookie": cookie})
    assert is_known({b"authorization": f"Bearer {text}".encode()})
    for headers in ({}, {b"cookie": cookie[:-3] + b"xyz"}, {b"authorization": b"Bearer nothing"}, {b"cookie": b"\xff"}):
        assert not is_known(headers)
    client.logout()
    assert not is_known({b"cookie": cookie})


def test_what_is_far_too_long_is_not_read_to_its_end() -> None:
    sentence = "the request is too large; compress the file (.gz or .zip) or make it smaller"
    assert _answer([b"a" * LIMIT] * 9, path="/c/cup/")[:2] == (413, f"{sentence}\n".encode())
    status, body, read = _answer([b"a"], headers=[(b"content-length", b"600")], path="/api/v1/contests")
    assert (status, json.loads(body)) == (413, {"error": {"code": "too-large", "message": sentence}})
    assert read == b""
    longest = READ_ON * (LIMIT + FORM_ROOM)
    assert _answer([b"a"], headers=[*FORM, (b"content-length", str(longest).encode())])[0] == 200
    assert _answer([b"a"], headers=[*FORM, (b"content-length", str(longest + 1).encode())])[0] == 413


def test_a_body_that_does_not_go_on_is_ended() -> None:
    status, body, _read = _answer([b"a"], hangs=True)
    assert (status, body) == (408, b"the request came too slowly; try again over a better connection\n")


def test_a_body_in_drops_is_ended_too(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each drop comes in time, 0.02 seconds after the last one, but all of them together come too slowly.
    ticks = count()
    monkeypatch.setattr(body_limit, "monotonic", lambda: 0.02 * next(ticks))
    assert _answer([b"a"] * 10)[0] == 408
    monkeypatch.setattr(body_limit, "SLOWEST_BYTES_PER_SECOND", 25)
    assert _answer([b"a"] * 10)[0] == 200
