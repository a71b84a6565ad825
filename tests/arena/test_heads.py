"""Signed heads of the log: made when a phase begins, listed for everybody, and no rewritten log agrees with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.arena import log_triggers, world
from tests.arena.pages import check_page
from tests.arena.playing import text_of
from tests.conftest import Run
from tokumei_arena import environment
from tokumei_arena.contests import phases
from tokumei_arena.models import Contest, LogEntry, LogHead, Phase
from tokumei_arena.records import heads, logbook

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def contest() -> Contest:
    """Return a contest in anonymization, with some entries in the log."""
    for number in range(3):
        logbook.record("test", n=number)
    return world.make_contest()


def rewrite() -> None:
    """Write the log anew as its owner can: other entries, a chain that holds, triggers put on again."""
    log_triggers.take_off()
    count = LogEntry.objects.count()
    LogEntry.objects.all().delete()
    for number in range(count):
        logbook.record("test", n=-number)
    log_triggers.put_on()


def fetched() -> Any:
    """Return the list as everybody gets it."""
    return Client().get("/api/v1/log/heads").json()


def test_a_head_is_signed_when_a_phase_begins_and_once(contest: Contest) -> None:
    assert heads.sign_due_heads() == 1
    assert heads.sign_due_heads() == 0
    phase = contest.rounds.get().phases.get(kind=Phase.Kind.ANONYMIZE)
    phases.close_phase(phase, by=world.make_person("Ref", referee=True), reason="early")
    assert heads.sign_due_heads() == 1
    first, second = LogHead.objects.all()
    assert [(one.round, one.phase, one.number) for one in (first, second)] == [
        ("final", "anonymize", 3),
        ("final", "attack", 4),
    ]
    assert heads.disagreement([first, second], [heads.own_key() or ""]) is None


def test_phases_to_come_are_not_signed(contest: Contest) -> None:
    world.move_to(contest.rounds.get(), None)
    assert heads.sign_due_heads() == 0


def test_the_key_is_a_file_of_its_owner_and_not_in_the_database(contest: Contest) -> None:
    heads.sign_due_heads()
    path = environment.home() / "log.key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text() not in json.dumps(fetched())


def test_a_rewritten_log_does_not_agree_with_what_was_signed(contest: Contest, run: Run, tmp_path: Path) -> None:
    heads.sign_due_heads()
    kept = tmp_path / "heads.json"
    kept.write_text(json.dumps(fetched()))
    ran = run("arena", "verify-log", "--heads", kept, "--json")
    assert (ran.status, ran.json["heads"]) == (0, {"compared": 2, "last_entry": 3, "key_known": True})
    rewrite()
    assert logbook.verify() is None
    sentence = "the log is broken: entry 3 is not the one that was signed: the log was rewritten or cut off\n"
    assert (run("arena", "verify-log").status, run("arena", "verify-log").out) == (1, sentence)
    # Whoever rewrites the log removes its heads too: only a list that was kept elsewhere tells.
    LogHead.objects.all().delete()
    ran = run("arena", "verify-log")
    assert (ran.status, "no head of it is signed yet" in ran.out) == (0, True)
    assert run("arena", "verify-log", "--heads", kept).out == sentence


def test_heads_signed_by_another_key_or_altered_are_found(
    contest: Contest, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKUMEI_ARENA_LOG_KEY", "ab" * 32)
    heads.sign_due_heads()
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(fetched()))
    key = fetched()["heads"][0]["key"]
    ran = run("arena", "verify-log", "--public-key", key)
    assert ran.status == 0
    assert ran.out.endswith("it agrees with 1 signed heads, the last of them at entry 3\n")
    monkeypatch.delenv("TOKUMEI_ARENA_LOG_KEY")
    environment.log_key()
    ran = run("arena", "verify-log", "--heads", forged)
    assert (ran.status, ran.out) == (1, "the log is broken: the head at entry 3 is signed by another key\n")
    LogHead.objects.update(at=timezone.now())
    ran = run("arena", "verify-log", "--public-key", key)
    assert (ran.status, ran.out) == (1, "the log is broken: the signature of the head at entry 3 is wrong\n")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nothing", "the file is not JSON"),
        ("{}", "it is no list of signed heads"),
        ('{"kind": "tokumei-arena-log-heads", "version": 1, "heads": [{}]}', "a head in it is not complete"),
    ],
)
def test_a_list_that_cannot_be_read_is_one_sentence(text: str, reason: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    ran = run("arena", "verify-log", "--heads", tmp_path / "x.json")
    assert (ran.status, ran.err) == (
        2,
        f"tokumei: {tmp_path}/x.json: {reason}; fetch it from /api/v1/log/heads of the arena\n",
    )


@pytest.mark.parametrize("text", ["ab", "zz" * 32])
def test_a_key_that_is_none_is_refused_without_showing_it(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKUMEI_ARENA_LOG_KEY", text)
    with pytest.raises(Exception, match="^TOKUMEI_ARENA_LOG_KEY has to be 64 hexadecimal digits$"):
        environment.log_key()


def test_everybody_sees_the_heads_but_not_the_names_of_hidden_contests(contest: Contest, client: Client) -> None:
    assert "No head is signed yet" in text_of(client.get("/log/"))
    heads.sign_due_heads()
    hidden = world.make_contest(is_open=False, name="Surprise")
    heads.sign_due_heads()
    page = text_of(client.get("/log/"))
    check_page(client.get("/log/"))
    assert (contest.name in page, "Surprise" in page, "a contest that is not public" in page) == (True, False, True)
    assert LogHead.objects.get(contest=hidden.pk).hash[:12] in page
