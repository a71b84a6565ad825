"""Many clients at once, and clients that mean no good, against a real server."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.arena import world
from tests.arena.real_server import RealServer, environment, far_side, own_database, until
from tokumei_arena.client import ArenaClient, ArenaClientError

pytestmark = pytest.mark.half_second

AT_ONCE = 50
BOUNDARY = "frontier"
START = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="A.csv"\r\n'
    "Content-Type: application/octet-stream\r\n\r\n"
).encode()
END = f"\r\n--{BOUNDARY}--\r\n".encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """Run a server with two web processes and a worker."""
    home = tmp_path_factory.mktemp("network") / "home"
    with own_database() as database:
        found = RealServer(environment(home, **database), "--processes", "2")
        try:
            yield found
        finally:
            found.end()


@pytest.fixture(scope="module")
def attack(server: RealServer) -> dict[str, Any]:
    """Make a contest whose teams may attack each other once."""
    plan = {"names": ["Alpha", "Beta"], "release_limit": 3, "attack_limit": 1, "phase": "attack"}
    found: dict[str, Any] = far_side(server.variables, "tests.arena.far_world", "make", json.dumps(plan))
    return found


@pytest.fixture(scope="module")
def release(server: RealServer) -> dict[str, Any]:
    """Make a contest whose team may hand in data."""
    plan = {"names": ["Gamma"], "release_limit": 100, "attack_limit": 1, "phase": "anonymize"}
    found: dict[str, Any] = far_side(server.variables, "tests.arena.far_world", "make", json.dumps(plan))
    return found


def _submissions(server: RealServer, team: str) -> list[dict[str, Any]]:
    found = far_side(server.variables, "tests.arena.far_world", "look")
    return [one for one in found["submissions"] if one["team"] == team]


def _head(contest: dict[str, Any], team: str, length: int) -> bytes:
    """Return the head of an upload that says it is this long."""
    lines = [
        f"POST /api/v1/contests/{contest['slug']}/rounds/final/submissions HTTP/1.1",
        "Host: 127.0.0.1",
        f"Authorization: Bearer {contest['tokens'][team]}",
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}",
        f"Content-Length: {length}",
    ]
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n"


def _connected(server: RealServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


@pytest.mark.database
def test_of_fifty_at_the_last_try_one_is_accepted(server: RealServer, attack: dict[str, Any], tmp_path: Path) -> None:
    client = ArenaClient(server.url, attack["tokens"]["Alpha"])
    place = f"/contests/{attack['slug']}/rounds/final/targets"
    until(lambda: [one for one in client.get(place) if one["files"]], "the target was not published")
    (target,) = client.get(place)
    path = tmp_path / "F.csv"
    path.write_bytes(world.guesses())

    def attempt(_number: int) -> str:
        try:
            client.upload(f"{place}/{target['id']}/guesses", [path])
        except ArenaClientError as error:
            return f"{error.status} {error.code}"
        return "accepted"

    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        answers = Counter(pool.map(attempt, range(AT_ONCE)))
    assert answers.pop("accepted") == 1
    assert set(answers) <= {"429 try-pending", "429 no-tries-left"}
    guesses = [one for one in _submissions(server, "Alpha") if one["key"]]
    assert [one["counted"] for one in guesses] == [1]


@pytest.mark.database
def test_slow_and_broken_uploads_keep_nobody_waiting_and_leave_nothing(
    server: RealServer, release: dict[str, Any], tmp_path: Path
) -> None:
    body = START + world.GOOD_A + END
    head = _head(release, "Gamma", len(body))
    slow = [_connected(server) for _ in range(40)]
    silent = [_connected(server) for _ in range(40)]
    try:
        for number, connection in enumerate(slow):
            # Some stop in the head, some in the middle of the file.
            connection.sendall(head[:50] if number % 2 else head + body[: len(body) // 2])
        path = tmp_path / "A.csv"
        path.write_bytes(world.GOOD_A)
        client = ArenaClient(server.url, release["tokens"]["Gamma"])
        began = time.monotonic()
        client.upload(f"/contests/{release['slug']}/rounds/final/submissions", [path], key="whole")
        assert time.monotonic() - began < 14
    finally:
        for connection in (*slow, *silent):
            connection.close()
    # Given up on the way: nothing of them is taken in. One that comes to its end is.
    with closing(_connected(server)) as connection:
        connection.sendall(head + body[:100])
        for place in range(100, len(body), 200):
            time.sleep(0.02)
            connection.sendall(body[place : place + 200])
        assert connection.recv(100).startswith(b"HTTP/1.1 201 ")
    found = _submissions(server, "Gamma")
    assert sorted(one["key"] for one in found) == ["", "whole"]
    assert len({one["stored"] for one in found}) == 1


@pytest.mark.parametrize("announced", [True, False])
def test_what_is_far_too_long_is_refused_clearly(
    server: RealServer, release: dict[str, Any], *, announced: bool
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    with closing(connection):
        connection.putrequest("POST", f"/api/v1/contests/{release['slug']}/rounds/final/submissions")
        connection.putheader("Authorization", f"Bearer {release['tokens']['Gamma']}")
        connection.putheader("Content-Type", "application/json")
        if announced:
            connection.putheader("Content-Length", str(10**12))
            connection.endheaders()
        else:
            connection.putheader("Transfer-Encoding", "chunked")
            connection.endheaders()
            piece = b"%x\r\n%s\r\n" % (1 << 20, bytes(1 << 20))
            try:
                for _ in range(8):
                    connection.send(piece)
            except OSError:
                # The answer is there before everything is sent.
                pass
        answer = connection.getresponse()
        assert answer.status == 413
        assert json.load(answer)["error"] == {
            "code": "too-large",
            "message": "the request is too large; compress the file (.gz or .zip) or make it smaller",
        }


def test_static_files_come_without_a_warning(server: RealServer) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    with closing(connection):
        connection.request("GET", "/static/pages/pages.css")
        answer = connection.getresponse()
        data = answer.read()
        assert (answer.status, answer.getheader("Content-Type")) == (200, 'text/css; charset="utf-8"')
        assert len(data) == int(answer.getheader("Content-Length", "0")) > 1000
        tag = answer.getheader("ETag", "")
        connection.request("GET", "/static/pages/pages.css", headers={"If-None-Match": tag})
        again = connection.getresponse()
        assert (again.status, again.read()) == (304, b"")
    assert "StreamingHttpResponse" not in server.messages.read_text()
