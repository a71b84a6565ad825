"""What a hostile visitor tried in an hour, one after the other; each held after a repair."""

from __future__ import annotations

import json
import resource
import stat
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.conf import LazySettings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.arena import world
from tests.arena.pages import add_second_factor
from tests.arena.playing import evaluate, sign_in, text_of
from tests.arena.test_api import Caller
from tokumei_arena import clock, environment
from tokumei_arena.models import LogEntry, Message, Submission
from tokumei_arena.teams import mail
from tokumei_arena.web.patience import MOST_OF_A_PROXY, MOST_OF_ONE, Counted, raise_file_limit
from tokumei_arena.work import queue_view

pytestmark = pytest.mark.django_db
WRONG = "wrong password"


class Server(BaseEmailBackend):
    """A mail server that can be away."""

    away = True
    got: list[Any]

    def send_messages(self, email_messages: Any) -> int:
        """Take mails, or be away."""
        if Server.away:
            raise ConnectionRefusedError(111, "Connection refused")
        Server.got += [(one.to, one.subject) for one in email_messages]
        return len(email_messages)


# Accounts


def test_wrong_passwords_from_one_place_lock_nobody_out_elsewhere() -> None:
    person = world.make_person("Kim")
    form = {"login": person.email, "password": WRONG}
    for _try in range(6):
        text = text_of(Client(REMOTE_ADDR="192.0.2.7").post("/accounts/login/", form))
    assert "Too many failed login attempts" in text
    right = {"login": person.email, "password": world.PASSWORD}
    assert "Too many" in text_of(Client(REMOTE_ADDR="192.0.2.7").post("/accounts/login/", right))
    assert Client(REMOTE_ADDR="192.0.2.8").post("/accounts/login/", right).status_code == 302


def test_secrets_of_second_factors_are_kept_encrypted() -> None:
    person = world.make_person("Kim")
    add_second_factor(person)
    kept = Authenticator.objects.get(user=person, type="totp").data["secret"]
    plain = get_adapter().decrypt(kept)
    assert get_adapter().encrypt("JBSWY3DP").startswith("fernet:")
    assert get_adapter().decrypt(get_adapter().encrypt("JBSWY3DP")) == "JBSWY3DP"
    # What an earlier version kept in clear can still be used.
    assert get_adapter().decrypt("JBSWY3DP") == "JBSWY3DP"
    assert plain != ""


def test_a_mail_server_that_is_away_delays_mails_and_nothing_else(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.EMAIL_BACKEND = "tokumei_arena.teams.mail.OutboxBackend"
    new = {"name": "Hana", "email": "hana@example.org", "password1": world.PASSWORD, "password2": world.PASSWORD}
    assert Client().post("/accounts/signup/", new).status_code == 302
    now, Server.got, Server.away = timezone.now(), [], True
    monkeypatch.setattr(clock, "now", lambda: now)
    assert mail.send_waiting(Server) == 0
    assert mail.send_waiting(Server) == 0
    assert Message.objects.get().tries == 1
    for wait in (15, 30, 60):
        now += timedelta(seconds=wait)
        mail.send_waiting(Server)
    assert [one.to for one in mail.waiting_messages()] == ["hana@example.org"]
    now, Server.away = now + timedelta(hours=1), False
    assert mail.send_waiting(Server) == 1
    assert Server.got == [(["hana@example.org"], "Verify your e-mail address")]
    assert (Message.objects.get().body, mail.send_waiting(Server), list(mail.waiting_messages())) == ("", 0, [])


def test_links_in_mails_name_the_configured_address(settings: LazySettings) -> None:
    settings.EMAIL_BACKEND = "tokumei_arena.teams.mail.DeskBackend"
    settings.ARENA_URL = "https://cup.example.org"
    person = world.make_person("Kim")
    Client().post("/accounts/password/reset/", {"email": person.email}, headers={"host": "testserver:6666"})
    body = Message.objects.get().body
    assert "https://cup.example.org/accounts/password/reset/key/" in body
    assert "6666" not in body


# What is on the disk, and who may connect


def test_home_and_database_are_closed_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKUMEI_ARENA_HOME", str(tmp_path / "home"))
    folder = tmp_path / "home"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    for name in ("arena.sqlite3", "arena.sqlite3-wal"):
        (folder / name).touch(mode=0o644)
    environment.close_database_file()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()] == [0o600, 0o600]


@pytest.mark.parametrize(
    ("address", "refused"),
    [
        ("smtp://kim:secret@mail.example.org:587", True),
        ("smtp://kim:secret@mail.example.org:587?tls=1", False),
        ("smtps://kim:secret@mail.example.org", False),
        ("smtp://mail.example.org", False),
        ("smtp://kim:secret@localhost", False),
    ],
)
def test_a_mail_password_is_never_sent_in_clear(
    address: str, *, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMAIL_URL", address)
    if not refused:
        assert environment.email()["EMAIL_BACKEND"].endswith("OutboxBackend")
        return
    with pytest.raises(ImproperlyConfigured, match="would send its password in clear; add [?]tls=1") as raised:
        environment.email()
    assert "secret" not in str(raised.value)


def test_connections_of_one_address_and_of_all_are_limited() -> None:
    counted = Counted(MOST_OF_ONE + 10)
    assert [counted.enter("192.0.2.7") for _one in range(MOST_OF_ONE + 1)] == [True] * MOST_OF_ONE + [False]
    counted.leave("192.0.2.7")
    assert [counted.enter("192.0.2.8") for _one in range(11)] == [True] * 10 + [False]
    proxy = Counted(10_000, ["192.0.2.1"])
    assert sum(proxy.enter("192.0.2.1") for _one in range(MOST_OF_A_PROXY + 5)) == MOST_OF_A_PROXY
    assert sum(proxy.enter("127.0.0.1") for _one in range(MOST_OF_A_PROXY + 5)) == MOST_OF_A_PROXY


def test_a_web_process_may_open_as_many_files_as_the_system_lets_it() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, before[0]), before[1]))
        room = raise_file_limit()
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == room + 128
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


# What programs send


def test_half_characters_and_long_documents_are_refused_in_the_one_form() -> None:
    contest = world.make_contest()
    referee = Caller(world.make_person("Ref", referee=True))
    path = f"/contests/{contest.slug}/announcements"
    half = referee.post(path, {"title": "\ud800", "body": "x"}, 422)
    assert half["error"]["code"] == "bad-field"
    document = json.dumps({"title": "x", "body": "x" * 1_100_000})
    long = Client().post(f"/api/v1{path}", document, "application/json", headers=referee.headers)
    assert (long.status_code, long.json()["error"]["code"]) == (413, "too-large")


def test_older_submissions_stand_on_further_pages() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    first = evaluate(world.hand_in(captain, contest.rounds.get()), U=0.5)
    Submission.objects.filter(pk=first.pk).update(received_at=timezone.now() - timedelta(hours=1))
    copy: dict[str, Any] = {"kind": "release", "round": first.round, "team": first.team, "blob": first.blob}
    now = timezone.now()
    Submission.objects.bulk_create(Submission(**copy, received_at=now, state="done") for _one in range(200))
    client = sign_in(captain)
    address = f"/c/{contest.slug}/{contest.rounds.get().kind}/"
    assert str(first.pk) not in client.get(address).content.decode()
    assert str(first.pk) in client.get(f"{address}?page=2").content.decode()
    listed = Caller(captain, "read").get(f"/contests/{contest.slug}/submissions", after="200")
    assert [one["id"] for one in listed] == [str(first.pk)]


def test_the_same_file_of_two_teams_is_flagged_for_referees() -> None:
    contest = world.make_contest()
    (_one, alpha), (_two, beta) = (world.make_team(contest, name) for name in ("Alpha", "Beta"))
    for captain in (alpha, alpha, beta):
        world.hand_in(captain, contest.rounds.get())
    assert LogEntry.objects.filter(action="submit.same-file").count() == 1
    ref = world.make_person("Ref", referee=True)
    add_second_factor(ref)
    page = text_of(sign_in(ref).get(f"/desk/c/{contest.slug}/"))
    assert page.count("same file as Alpha") == 1
    assert page.count("same file as Beta") == 2


def test_the_desk_reads_no_findings() -> None:
    contest = world.make_contest()
    _team, captain = world.make_team(contest, "Alpha")
    evaluate(world.hand_in(captain, contest.rounds.get()), findings=[{"code": "x", "message": {"en": "x", "ja": "x"}}])
    with CaptureQueriesContext(connection) as asked:
        queue_view.latest_submissions(contest)
    assert not any('"findings"' in query["sql"] for query in asked)
