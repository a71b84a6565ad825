"""The HTTP client against a server that misbehaves, and its commands against a real arena."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import threading
import zipfile
from collections.abc import Callable
from datetime import timedelta
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import pytest
from pytest_django.live_server_helper import LiveServer

from tests.arena import world
from tests.arena.played import evaluate
from tests.conftest import Run
from tokumei_arena import client as client_module
from tokumei_arena.client import ArenaClient, ArenaClientError
from tokumei_arena.commands import choosing
from tokumei_arena.models import Contest, Membership, Person
from tokumei_arena.teams import links

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers by a script and notes what it was asked."""

    script: list[Answer]
    seen: list[tuple[str, dict[str, str], bytes]]

    def _handle(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        self.seen.append((f"{self.command} {self.path}", dict(self.headers), body))
        (self.script.pop(0) if len(self.script) > 1 else self.script[0])(self)

    do_GET = do_POST = _handle  # noqa: N815

    def answer(self, status: int, body: bytes, **headers: str) -> None:
        """Send an answer."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Stay quiet."""


def _json(status: int, document: Any) -> Answer:
    return lambda handler: handler.answer(status, json.dumps(document).encode())


def _text(status: int, body: bytes) -> Answer:
    return lambda handler: handler.answer(status, body)


def _hang_up(handler: Handler) -> None:
    handler.connection.close()


def _half(handler: Handler) -> None:
    handler.answer(200, b"half", **{"Content-Length": "400"})
    handler.connection.close()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "FIRST_PAUSE_SECONDS", 0.01)


class Scripted:
    """A server that answers by a script, and a client for it."""

    def __init__(self, *script: Answer) -> None:
        self.seen: list[tuple[str, dict[str, str], bytes]] = []
        kind = type("Scripted", (Handler,), {"script": list(script), "seen": self.seen})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.client = ArenaClient(self.url, "secret-token", timeout=5, patience=2)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / 'A "1".csv'
    path.write_bytes(bytes(range(256)) * 3000)
    return path


def _fields(headers: dict[str, str], body: bytes) -> dict[str, tuple[str | None, bytes]]:
    message = BytesParser().parsebytes(b"Content-Type: " + headers["Content-Type"].encode() + b"\r\n\r\n" + body)
    found = {}
    for part in message.get_payload():
        name = part.get_param("name", header="Content-Disposition")  # type: ignore[union-attr]
        found[str(name)] = (part.get_filename(), part.get_payload(decode=True))  # type: ignore[union-attr]
    return found  # type: ignore[return-value]


@pytest.mark.usefixtures("quick")
def test_an_upload_whose_answer_is_lost_is_sent_again_under_the_same_key(data: Path) -> None:
    script = (_hang_up, _json(503, {"error": {"code": "busy", "message": "later"}}), _json(201, {"id": "x"}))
    with Scripted(*script) as server:
        assert server.client.upload("/up", [data], fields={"note": "résumé"}) == {"id": "x"}
        keys = {headers["Idempotency-Key"] for _, headers, _ in server.seen}
        assert (len(server.seen), len(keys), len(keys.pop())) == (3, 1, 32)
        _, headers, body = server.seen[-1]
        assert headers["Authorization"] == "Bearer secret-token"
        assert b"r\xc3\xa9sum\xc3\xa9" in body
        start = body.index(b"octet-stream\r\n\r\n") + len(b"octet-stream\r\n\r\n")
        assert body[start : start + data.stat().st_size] == data.read_bytes()
        assert b'filename="A %221%22.csv"' in body


def test_several_files_go_as_one_zip_that_is_always_the_same(tmp_path: Path) -> None:
    for name in ("M.csv", "T.csv"):
        (tmp_path / name).write_text(f"{name}\n")
    with Scripted(_json(201, {})) as server:
        for _ in range(2):
            server.client.upload("/up", [tmp_path / "M.csv", tmp_path / "T.csv"])
        first, second = (_fields(headers, body)["file"] for _, headers, body in server.seen)
        assert first == second
        assert first[0] == "files.zip"
        with zipfile.ZipFile(io.BytesIO(first[1])) as archive:
            assert {name: archive.read(name) for name in archive.namelist()} == {
                "M.csv": b"M.csv\n",
                "T.csv": b"T.csv\n",
            }
        server.client.put_files("/data", {"M": tmp_path / "M.csv", "T": tmp_path / "T.csv"})
        assert set(_fields(*server.seen[-1][1:])) == {"file-M", "file-T"}


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("http://localhost:8000", True),
        ("http://127.0.0.1", True),
        ("http://[::1]:8000", True),
        ("https://arena.example.org", True),
        ("http://arena.example.org", False),
        ("http://localhost.example.org", False),
    ],
)
def test_a_token_is_private_on_this_machine_or_encrypted(url: str, *, private: bool) -> None:
    assert ArenaClient(url, "t").is_private == private


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("status", "times"), [(502, 1), (504, 1), (503, 2)])
def test_a_proxy_that_gave_up_may_have_passed_it_on(status: int, times: int) -> None:
    with Scripted(_text(status, b"<html>"), _json(200, {"done": True})) as server:
        if times == 1:
            with pytest.raises(ArenaClientError, match=f"answered with status {status}"):
                server.client.post("/close")
        else:
            assert server.client.post("/close") == {"done": True}
        assert len(server.seen) == times
    with Scripted(_text(status, b"<html>"), _json(200, {"done": True})) as server:
        assert server.client.get("/me") == {"done": True}


@pytest.mark.half_second
@pytest.mark.usefixtures("quick")
def test_what_may_have_been_done_is_not_done_twice() -> None:
    with Scripted(_hang_up) as server:
        with pytest.raises(ArenaClientError, match="cannot be reached: the connection failed or broke; try again"):
            server.client.post("/close")
        assert len(server.seen) == 1
    with pytest.raises(ArenaClientError, match="cannot be reached"):
        server.client.get("/me")


def test_refusals_are_the_servers_own_sentence() -> None:
    refusal = {"error": {"code": "no-tries-left", "message": "no tries are left (limit: 1)"}}
    with Scripted(_json(429, refusal)) as server:
        with pytest.raises(ArenaClientError, match=r"^no tries are left \(limit: 1\)$") as caught:
            server.client.post("/guess")
        assert (caught.value.code, caught.value.status) == ("no-tries-left", 429)
    with (
        Scripted(lambda handler: handler.answer(302, b"", Location="https://evil.example/")) as server,
        pytest.raises(ArenaClientError, match="has moved"),
    ):
        server.client.get("/me")
    for status, sentence in ((200, "no JSON; is it the address"), (404, "with status 404; is it the address")):
        answer = _text(status, b"<html>")
        with Scripted(answer) as server, pytest.raises(ArenaClientError, match=sentence):
            server.client.get("/me")
    with pytest.raises(ArenaClientError, match="'ftp://x' is no address of an arena"):
        ArenaClient("ftp://x", "t")


@pytest.mark.usefixtures("quick")
def test_a_download_is_whole_or_not_there(tmp_path: Path) -> None:
    target, content = tmp_path / "T.csv", b"1,2\n" * 100
    with Scripted(_half, lambda handler: handler.answer(200, content)) as server:
        digest = hashlib.sha256(content).hexdigest()
        assert server.client.download("/api/v1/file", target, sha256=digest) == 400
        assert [path for path, _, _ in server.seen] == ["GET /api/v1/file"] * 2
        assert target.read_bytes() == content
        target.unlink()
        with pytest.raises(ArenaClientError, match="T.csv arrived changed"):
            server.client.download("/file", target, sha256="0" * 64)
        with pytest.raises(ArenaClientError, match="cannot be written: No such file or directory"):
            server.client.download("/file", tmp_path / "none" / "T.csv")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def arena(live_server: LiveServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[Contest, Person]:
    """Return a contest on a live server and a logged-in captain; waiting evaluates in this process."""
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    _token, text = links.make_token(captain, name="cli", scopes=("read", "submit", "attack"), lasts=timedelta(days=1))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TOKUMEI_ARENA_URL", live_server.url)
    monkeypatch.setenv("TOKUMEI_ARENA_TOKEN", text)
    monkeypatch.setenv("LANG", "C")
    monkeypatch.setattr(choosing, "sleep", lambda _seconds: evaluate())
    return contest, captain


def _write(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.half_second
@pytest.mark.django_db(transaction=True)
def test_taking_part_from_the_command_line(arena: tuple[Contest, Person], run: Run, tmp_path: Path) -> None:
    contest, _captain = arena
    ran = run("arena", "download", "data", "-o", tmp_path / "data", "--json")
    assert ran.status == 0, ran.err
    assert (tmp_path / "data/T.csv").read_bytes() == world.T
    bad = _write(tmp_path, "bad.csv", world.GOOD_A.replace(b"2011/", b"2011-", 1))
    ran = run("arena", "submit", bad, "--wait", "--json")
    assert (ran.status, ran.json["submission"]["verdict"]) == (1, "invalid")
    assert ran.json["submission"]["findings"][0]["line"] == 1
    good = _write(tmp_path, "A.csv", world.GOOD_A)
    ran = run("arena", "submit", good, "--wait", "--note", "second try")
    assert ran.status == 0
    assert ran.out.startswith("valid")
    assert "waiting for the result" in ran.err
    ran = run("arena", "status")
    assert "team Alpha (captain)" in ran.out
    assert "anonymize" in ran.out
    assert "invalid" in ran.out
    ran = run("arena", "board", "--json")
    assert ran.json["tables"][0]["rows"][0]["figures"]["U"] == 0.0
    _beta, other = world.make_team(contest, "Beta")
    world.hand_in(other, contest.rounds.get())
    evaluate()
    world.move_to(contest.rounds.get(), "attack")
    evaluate()
    ran = run("arena", "download", "targets", "-o", tmp_path / "targets", "--json")
    (written,) = ran.json["files"]
    assert Path(written["file"]).name == "A1.csv"
    alias = Path(written["file"]).parent.name
    guesses = _write(tmp_path, "F1.csv", world.guesses())
    ran = run("arena", "attack", "Nobody", guesses)
    assert (ran.status, ran.err) == (2, f"tokumei: there is no target 'Nobody'; there are {alias}\n")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as packed:
        packed.writestr("elsewhere/F1.csv", b"")
    ran = run("arena", "attack-all", tmp_path / "all.zip")
    assert (ran.status, ran.err.split(" (")[0][-33:]) == (2, "has no folder named like a target")
    contest.rounds.update(attack_limit=2)
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as packed:
        packed.writestr(f"{alias}/F1.csv", world.guesses())
    ran = run("arena", "attack-all", tmp_path / "all.zip", "--json")
    assert (list(ran.json["submissions"]), ran.json["unanswered"]) == ([alias], [])
    ran = run("arena", "attack", alias.lower(), guesses, "--wait", "--json")
    assert (ran.status, ran.json["submission"]["verdict"]) == (0, "valid")
    ran = run("arena", "attack", alias, guesses, "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "no-tries-left")
    ran = run("arena", "submit", good)
    assert (ran.status, ran.err) == (2, "tokumei: the phase “anonymization” is over\n")


@pytest.mark.django_db(transaction=True)
def test_login_keeps_the_token_for_its_owner_only(
    arena: tuple[Contest, Person], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, token = os.environ["TOKUMEI_ARENA_URL"], os.environ["TOKUMEI_ARENA_TOKEN"]
    monkeypatch.delenv("TOKUMEI_ARENA_URL")
    ran = run("arena", "login", url, "--json")
    assert ran.status == 0, ran.err
    assert sorted(ran.json["scopes"]) == ["attack", "read", "submit"]
    assert token not in ran.out + ran.err
    path = tmp_path / "config/tokumei/arena.toml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    monkeypatch.delenv("TOKUMEI_ARENA_TOKEN")
    assert run("arena", "status", "--json").json["contests"][0]["slug"] == "cup-1"
    monkeypatch.setenv("TOKUMEI_ARENA_TOKEN", "wrong")
    ran = run("arena", "status", "--json")
    assert (ran.status, ran.json["error"]["code"]) == (2, "no-token")
    monkeypatch.delenv("TOKUMEI_ARENA_TOKEN")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{token}\n"))
    assert run("arena", "login", url).status == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    ran = run("arena", "login", url)
    assert (ran.status, "this is no token" in ran.err) == (2, True)
    path.unlink()
    ran = run("arena", "board")
    assert (ran.status, "log in first: tokumei arena login URL" in ran.err) == (2, True)


@pytest.mark.django_db(transaction=True)
def test_a_contest_or_round_that_is_not_clear_is_asked_for(
    arena: tuple[Contest, Person], run: Run, tmp_path: Path
) -> None:
    good = _write(tmp_path, "A.csv", world.GOOD_A)
    assert "has no round 'finale' (did you mean 'final'?)" in run("arena", "submit", good, "--round", "finale").err
    assert "there is nothing here" in run("arena", "board", "--contest", "other").err
    assert "say what to download: data or targets" in run("arena", "download", "everything").err
    assert "there is no such file" in run("arena", "submit", tmp_path / "none.csv").err
    team, _other = world.make_team(world.make_contest(), "Gamma")
    Membership.objects.filter(team=team).update(person=arena[1])
    assert "say which contest with --contest; there are cup-1, cup-2" in run("arena", "board").err
