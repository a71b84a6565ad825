"""What operators and their programs ask: alive, ready, figures, findings with advice, lines of JSON."""

from __future__ import annotations

import json
import logging
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.utils import timezone, translation

from tests.arena import log_triggers, world
from tests.arena.pages import add_second_factor, check_page
from tests.arena.playing import sign_in
from tests.conftest import Run
from tokumei_arena import environment
from tokumei_arena.log_lines import JsonLine
from tokumei_arena.models import Message, Submission, WorkerBeat
from tokumei_arena.operations import doctor, requests
from tokumei_arena.operations.checks import Check, State, health, readiness
from tokumei_arena.records import logbook
from tokumei_arena.work import beats
from tokumei_arena.work.boxes import LIMITS

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def worker() -> WorkerBeat:
    """Return a worker that was just seen."""
    beats.beat(timezone.now(), 2)
    return WorkerBeat.objects.get()


def states(found: list[Check]) -> dict[str, State]:
    """Return how each thing is."""
    return {check.name: check.state for check in found}


def test_alive_and_ready_are_answered_to_everybody_under_any_name(client: Client, worker: WorkerBeat) -> None:
    answer = client.get("/healthz", headers={"host": "10.0.0.7:8000"})
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    answer = client.get("/readyz", headers={"host": "10.0.0.7:8000"})
    assert answer.json() == {
        "ready": True,
        "checks": {"database": "ok", "migrations": "ok", "storage": "ok", "worker": "ok"},
    }
    assert client.post("/readyz").status_code == 405
    WorkerBeat.objects.update(seen_at=timezone.now() - timedelta(minutes=1))
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["ready"], answer.json()["checks"]["worker"]) == (503, False, "bad")


def test_without_its_tables_the_arena_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: [1, 2])
    found = readiness()
    assert states(found) == {"database": State.OK, "migrations": State.BAD}
    assert found[-1].text == "2 changes of the tables are missing."
    assert "serve" in found[-1].advice


# A line of the text format: a name, labels in braces, a number.
SAMPLE = re.compile(r'^[a-z_]+(\{([a-z_]+="([^"\\\n]|\\.)*",?)*\})? (-?[0-9.e+-]+|NaN)$')


def scraped(client: Client, **headers: str) -> dict[str, float]:
    """Return all samples as Prometheus reads them: every line has its form, every family its type before it."""
    answer = client.get("/metrics", headers=headers)
    assert answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    known: set[str] = set()
    found: dict[str, float] = {}
    for line in answer.content.decode().splitlines():
        if line.startswith("# TYPE "):
            known.add(line.split()[2])
        if line.startswith("#"):
            continue
        assert SAMPLE.match(line), line
        name, value = line.rsplit(" ", 1)
        family = name.split("{")[0]
        assert family in known or re.sub("_(bucket|sum|count)$", "", family) in known, line
        assert name not in found, line
        found[name] = float(value)
    return found


def test_metrics_tell_queue_jobs_workers_and_requests(client: Client, worker: WorkerBeat) -> None:
    requests.forget_counts()
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    submission = world.hand_in(captain, contest.rounds.get())
    Submission.objects.update(received_at=timezone.now() - timedelta(minutes=5))
    before = scraped(client)
    assert before['tokumei_arena_queue_jobs{kind="release",state="queued"}'] == 1
    assert 300 <= before['tokumei_arena_queue_oldest_seconds{kind="release"}'] < 400
    Submission.objects.filter(pk=submission.pk).update(state="done", verdict="valid")
    client.get("/")
    client.get("/nothing/here/")
    after = scraped(client)
    assert after['tokumei_arena_queue_jobs{kind="release",state="queued"}'] == 0
    assert after['tokumei_arena_jobs_total{kind="release",outcome="valid"}'] == 1
    seen = f'tokumei_arena_worker_seen_timestamp_seconds{{worker="{worker.name}",sandbox="{worker.sandbox}"}}'
    assert after[seen] == pytest.approx(worker.seen_at.timestamp(), abs=1)
    for route, status in (("home", 200), ("none", 404)):
        name = f'tokumei_arena_requests_total{{method="GET",route="{route}",status="{status}"}}'
        assert after[name] - before.get(name, 0) == 1
    assert after["tokumei_arena_request_seconds_count"] - before["tokumei_arena_request_seconds_count"] == 2
    assert after['tokumei_arena_request_seconds_bucket{le="+Inf"}'] == after["tokumei_arena_request_seconds_count"]


def test_metrics_are_for_this_machine_or_who_has_the_token(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    far: dict[str, Any] = {"REMOTE_ADDR": "192.0.2.7"}
    assert client.get("/metrics").status_code == 200
    assert client.get("/metrics", **far).status_code == 404
    # A proxy of this machine passes on what others ask.
    assert client.get("/metrics", headers={"x-forwarded-for": "127.0.0.1"}).status_code == 404
    assert client.get("/metrics", headers={"authorization": "Bearer "}, **far).status_code == 404
    monkeypatch.setenv("TOKUMEI_ARENA_METRICS_TOKEN", "let me see")
    assert client.get("/metrics", headers={"authorization": "Bearer let me see"}, **far).status_code == 200
    assert client.get("/metrics", headers={"authorization": "Bearer let me"}, **far).status_code == 404


def test_counts_of_all_web_processes_are_added_and_survive_them() -> None:
    requests.forget_counts()
    dead = requests.Requests()
    for seconds in (0.001, 0.3, 99.0):
        dead.count("GET", "home", 200, seconds)
    dead.write()
    (requests.counts_folder() / "web-1.json").write_bytes(
        next(requests.counts_folder().glob("web-*.json")).read_bytes()
    )
    (requests.counts_folder() / "web-2.json").write_bytes(b"{ half")
    total = requests.all_requests()
    assert total.counts["GET|home|200"] >= 3
    assert sum(total.classes.values()) == sum(total.counts.values())
    requests.forget_counts()
    assert list(requests.counts_folder().iterdir()) == []


def test_the_page_of_operators_names_workers_and_their_sandbox(worker: WorkerBeat) -> None:
    referee = world.make_person("Ref", referee=True)
    add_second_factor(referee)
    html = check_page(sign_in(referee).get("/desk/health/"))
    assert worker.name in html
    assert worker.sandbox in html
    assert "No worker" not in html


def test_limits_alone_are_no_sandbox(worker: WorkerBeat) -> None:
    assert states(health())["sandbox"] == (State.BAD if worker.sandbox == LIMITS else State.OK)
    WorkerBeat.objects.update(sandbox=LIMITS)
    (found,) = [check for check in health() if check.name == "sandbox"]
    assert (found.state, found.text) == (State.BAD, "Evaluations have limits, but no sandbox.")
    with translation.override("ja"):
        assert "bubblewrap" in next(check for check in health() if check.name == "sandbox").advice


def test_what_waits_for_long_and_mails_that_cannot_be_sent_are_told(settings: LazySettings, worker: WorkerBeat) -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    world.hand_in(captain, contest.rounds.get())
    assert states(health())["queue"] == State.OK
    Submission.objects.update(received_at=timezone.now() - timedelta(minutes=11))
    assert states(health())["queue"] == State.WARN
    Submission.objects.update(state="failed")
    assert states(health())["queue"] == State.WARN
    settings.EMAIL_BACKEND = "tokumei_arena.teams.mail.OutboxBackend"
    assert states(health())["mail"] == State.OK
    Message.objects.create(to="a@example.org", subject="s", body="b", by_mail=True, tries=3)
    assert states(health())["mail"] == State.WARN


def test_the_doctor_is_content_with_a_good_deployment(
    run: Run, worker: WorkerBeat, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKUMEI_ARENA_ROLE", "web")
    settings.ALLOWED_HOSTS = ["localhost"]
    WorkerBeat.objects.update(sandbox="landlock + seccomp + limits")
    ran = run("arena", "doctor")
    assert (ran.status, ran.out.splitlines()[-1]) == (0, "everything works"), ran.out
    document = run("arena", "doctor", "--json").json
    assert document["healthy"] is True
    assert {check["name"] for check in document["checks"]} >= {"database", "store", "home", "log", "sandbox"}
    assert all(check["advice"] for check in document["checks"] if check["state"] != "ok")


def test_the_doctor_says_what_to_do(
    run: Run, settings: LazySettings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TOKUMEI_ARENA_ROLE", "web")
    logbook.record("test")
    settings.ALLOWED_HOSTS = ["cup.example.org"]
    settings.SECRET_KEY = "short"
    log_triggers.take_off()
    found = {check.name: check for check in doctor.examine("http://127.0.0.1:9")}
    log_triggers.put_on()
    bad = {name for name, check in found.items() if check.state is State.BAD}
    assert bad == {"worker", "secret", "address", "log", "server"}
    assert all(found[name].advice for name in bad)
    ran = run("arena", "doctor")
    assert ran.status == 1
    assert "BAD  worker: No worker was seen in the last 30 seconds. Start" in ran.out
    key = environment.home() / "secret.key"
    key.write_text("x" * 50)
    key.chmod(0o644)
    assert "Others can read secret.key." in run("arena", "doctor").out
    key.unlink()


def test_messages_are_lines_of_json() -> None:
    record = logging.LogRecord("a.b", logging.WARNING, "f.py", 1, "%s died\nbadly", ("it",), None)
    record.fields = {"route": "home"}
    line = JsonLine().format(record)
    assert "\n" not in line
    told = json.loads(line)
    assert (told["level"], told["logger"], told["message"], told["route"]) == (
        "warning",
        "a.b",
        "it died\nbadly",
        "home",
    )


def test_a_worker_that_ends_in_order_takes_its_row_away(worker: WorkerBeat) -> None:
    beats.leave()
    assert beats.live_workers() == []
