"""``tokumei arena serve`` with real processes: first page, restarts, the end, and what it refuses."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.arena.real_server import RealServer, environment, until
from tests.conftest import Run

pytestmark = pytest.mark.half_second

PATIENCE_SECONDS = 60.0
ARENA = [sys.executable, "-W", "error", "-m", "tokumei", "arena"]


def _status(url: str) -> int:
    """Return the status of a page, 0 if nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as response:  # noqa: S310
            return int(response.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except OSError:
        return 0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """Run one server for the tests of this module, from its first start."""
    found = RealServer(environment(tmp_path_factory.mktemp("arena")), "--processes", "1")
    yield found
    found.end()


def _role(process: int) -> str:
    variables = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    return next(value.decode() for value in variables if value.startswith(b"TOKUMEI_ARENA_ROLE="))


def test_the_first_start_opens_the_arena_and_prints_one_link(server: RealServer) -> None:
    text = server.messages.read_text()
    link = next(word for word in text.split() if "/referee/" in word)
    assert "works once" in text
    assert _status(link.replace("localhost", "127.0.0.1")) == 200
    assert _status(f"{server.url}/referee/{'x' * 43}/") >= 400
    assert _status(f"{server.url}/api/v1/openapi.json") == 200
    assert oct(server.home.joinpath("secret.key").stat().st_mode & 0o777) == "0o600"
    assert [_role(process) for process in server.processes("web")] == ["TOKUMEI_ARENA_ROLE=web"]
    assert [_role(process) for process in server.processes("worker")] == ["TOKUMEI_ARENA_ROLE=worker"]


def test_a_running_server_is_ready_its_figures_are_scraped_and_the_doctor_is_content(server: RealServer) -> None:
    until(lambda: _status(f"{server.url}/readyz") == 200, "the server is not ready")
    with urllib.request.urlopen(f"{server.url}/metrics") as answer:  # noqa: S310
        figures = answer.read().decode()
    assert re.search(r'^tokumei_arena_worker_slots\{worker=".+"\} [1-9]', figures, re.MULTILINE)
    assert re.search(
        r'^tokumei_arena_requests_total\{method="GET",route="account_login",status="200"\} ', figures, re.MULTILINE
    )
    words = [*ARENA, "doctor", "--address", server.url, "--json"]
    ran = subprocess.run(words, env=server.variables, capture_output=True, text=True, check=False)
    document = json.loads(ran.stdout)
    assert (ran.returncode, document["healthy"]) == (0, True), document["checks"]


def test_a_process_that_dies_is_started_again(server: RealServer) -> None:
    before = server.everything()
    for process in before:
        os.kill(process, signal.SIGKILL)
    until(lambda: len(server.everything()) == 2 and not set(before) & set(server.everything()), "no new processes")
    until(lambda: _status(f"{server.url}/accounts/login/") == 200, "the page did not come back")
    assert "a web process has ended (status -9); it is started again" in server.messages.read_text()


def test_a_port_in_use_is_refused_in_one_sentence(server: RealServer, tmp_path: Path) -> None:
    words = [*ARENA, "serve", "--port", str(server.port)]
    ran = subprocess.run(words, env=environment(tmp_path), capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr == (
        f"tokumei: port {server.port} of 127.0.0.1 is in use; end the program that uses it or choose another "
        "with --port\n"
    )


def test_sigterm_ends_everything_in_order(server: RealServer) -> None:
    assert server.end(signal.SIGTERM) == 0
    assert server.messages.read_text().endswith("arena: ending\n")
    assert _status(f"{server.url}/") == 0


def test_children_do_not_outlive_a_killed_supervisor(server: RealServer) -> None:
    # The second start of the same arena: nothing to prepare. The first one runs still where another process has taken
    # the test before.
    server.end(signal.SIGTERM)
    again = RealServer(server.variables, "--processes", "1", "--json")
    told = json.loads(again.told.read_text())
    assert (told["url"], told["home"]) == (f"http://localhost:{again.port}/", str(server.home))
    assert told["referee_link"].startswith(f"{told['url']}referee/")
    assert len(again.everything()) == 2
    assert again.end(signal.SIGKILL) == -signal.SIGKILL


@pytest.mark.parametrize(("chosen", "silenced"), [({}, 2), ({"SUBDOMAINS": "1", "PRELOAD": "1"}, 0)])
def test_the_deployment_checks_are_clean(tmp_path: Path, chosen: dict[str, str], silenced: int) -> None:
    # What HSTS says of other names is the operator's choice: the two checks that demand it are silenced, no other.
    words = [*ARENA, "manage", "check", "--deploy", "--fail-level", "WARNING"]
    more = {f"TOKUMEI_ARENA_HSTS_{name}": value for name, value in chosen.items()}
    public = environment(tmp_path / "home", TOKUMEI_ARENA_HTTPS="1", TOKUMEI_ARENA_HOSTS="arena.example.org", **more)
    ran = subprocess.run(words, env=public, capture_output=True, text=True, check=False)
    clean = f"System check identified no issues ({silenced} silenced).\n"
    assert (ran.returncode, ran.stdout) == (0, clean), ran.stderr


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"DATABASE_URL": "postgresql://u:pass-word@127.0.0.1:1/db"}, "the database cannot be used (connection failed"),
        ({"DATABASE_URL": "mysql://u:pass-word@h/db"}, "DATABASE_URL cannot be used; write it as postgresql://"),
        ({"TOKUMEI_ARENA_HOME": "/dev/null/arena"}, "/dev/null/arena: the folder of the arena cannot be made"),
        ({}, "the database is not prepared for this version; start 'tokumei arena serve' first"),
    ],
)
def test_what_cannot_start_says_why(more: dict[str, str], sentence: str, tmp_path: Path) -> None:
    wrong = {**environment(tmp_path / "home"), **more}
    ran = subprocess.run([*ARENA, "worker"], env=wrong, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr.startswith("tokumei: ")
    assert ran.stderr.count("\n") == 1
    assert sentence in ran.stderr
    assert "pass-word" not in ran.stderr


def test_without_the_extra_every_server_command_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokumei_arena.commands.setup.find_spec", lambda _name: None)
    for words in (["serve"], ["worker"], ["manage", "check"], ["demo"], ["verify-log"]):
        ran = run("arena", *words)
        assert ran.status == 2, words
        assert ran.err == (
            "tokumei: the arena needs packages that are not installed; run: pip install 'tokumei[arena]'\n"
        )


def test_a_host_that_is_not_ours_is_refused(run: Run) -> None:
    ran = run("arena", "serve", "--host", "192.0.2.1")
    sentence = "tokumei: '192.0.2.1' is no address of this machine; choose another with --host\n"
    assert (ran.status, ran.err) == (2, sentence)
