"""News by mail and to programs: who is told what, signed, to public servers only, tried again, failures shown."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from unittest import mock

import pytest
from django.conf import LazySettings
from django.urls import reverse
from django.utils import timezone

from tests.arena import pages, world
from tests.arena.playing import sign_in
from tokumei_arena.contests import announce, answer, ask_referees, referee_steps
from tokumei_arena.errors import NotAllowedError, RefusedError
from tokumei_arena.models import Delivery, LogEntry, Message, Person, Phase, Webhook
from tokumei_arena.teams import add_webhook, deliver_news, send_test, tell_begun_phases
from tokumei_arena.teams.outside import UnsentError, check_address, send_out

pytestmark = pytest.mark.django_db


class _Receiver(BaseHTTPRequestHandler):
    """A program that keeps what it is told; the path says how it answers."""

    told: list[tuple[dict[str, str], bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.told.append((dict(self.headers), body))
        status = int(self.path.strip("/") or 204)
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "http://169.254.169.254/latest/meta-data/")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def program(settings: LazySettings) -> Iterator[tuple[str, list[tuple[dict[str, str], bytes]]]]:
    handler = type("Receiver", (_Receiver,), {"told": []})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    settings.ARENA_WEBHOOK_HOSTS = [f"127.0.0.1:{server.server_port}"]
    yield f"http://127.0.0.1:{server.server_port}", handler.told  # type: ignore[attr-defined]
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def referee() -> Person:
    person = world.make_person("Referee", referee=True)
    pages.add_second_factor(person)
    return person


def test_news_is_signed_and_arrives(referee: Person, program: Any) -> None:
    address, told = program
    contest = world.make_contest("anonymize")
    _webhook, secret = add_webhook(contest, f"{address}/200", ["announcement"], by=referee)
    assert secret not in Webhook.objects.get().secret
    announce(contest, "Hello", "to all", by=referee)
    assert deliver_news() == 1
    ((headers, body),) = told
    assert json.loads(body)["title"] == "Hello"
    signed = hmac.new(secret.encode(), f"{headers['X-Tokumei-Timestamp']}.".encode() + body, hashlib.sha256)
    assert headers["X-Tokumei-Signature"] == f"sha256={signed.hexdigest()}"
    assert deliver_news() == 0
    assert LogEntry.objects.filter(action="news.tell", detail__programs=1).exists()


@pytest.mark.parametrize("status", [302, 500])
def test_what_does_not_arrive_is_tried_again_and_told_on_the_desk(referee: Person, program: Any, status: int) -> None:
    address, told = program
    contest = world.make_contest("anonymize")
    webhook, _secret = add_webhook(contest, f"{address}/{status}", ["phase"], by=referee)
    send_test(webhook, by=referee)
    assert (deliver_news(), deliver_news(), len(told)) == (0, 0, 1)
    assert not any(step.route == "desk_news" for step in referee_steps(contest))
    Delivery.objects.update(next_try_at=timezone.now())
    assert (deliver_news(), len(told)) == (0, 2)
    assert any(step.route == "desk_news" for step in referee_steps(contest))
    html = pages.check_page(sign_in(referee).get(reverse("desk_news", args=[contest.slug])))
    assert f"the answer was {status}" in html
    Delivery.objects.update(next_try_at=timezone.now(), tries=15)
    deliver_news()
    assert Delivery.objects.get().handled_at is not None
    assert LogEntry.objects.filter(action="webhook.give-up").exists()


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/",
        "ftp://example.org/",
        "https://user:secret@example.org/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::a9fe:a9fe]/",
        "https://169.254.169.254/latest/",
        "https://192.168.1.1/",
        "https://224.0.0.1/",
        "https:///nowhere",
        "https://example.org:0/",
        "https://[",
        "nonsense",
    ],
)
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    with pytest.raises(RefusedError):
        check_address(address)


@pytest.mark.parametrize("found", [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["fd00::1"]])
def test_a_public_name_of_a_private_machine_is_not_called(found: list[str]) -> None:
    answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 443)) for one in found]
    with (
        mock.patch("socket.getaddrinfo", return_value=answers),
        mock.patch("socket.create_connection") as called,
        pytest.raises(UnsentError, match="public"),
    ):
        send_out("https://innocent.example/", b"{}", {})
    called.assert_not_called()


def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    answers = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 443))]
    with (
        mock.patch("socket.getaddrinfo", return_value=answers),
        mock.patch("socket.create_connection", side_effect=OSError("no way")) as called,
        pytest.raises(UnsentError, match="no way"),
    ):
        send_out("https://innocent.example/", b"{}", {})
    assert called.call_args.args[0] == ("93.184.216.34", 443)


def test_members_get_mail_in_their_language_unless_they_want_none(settings: LazySettings, referee: Person) -> None:
    settings.EMAIL_BACKEND = "tokumei_arena.teams.mail.OutboxBackend"
    settings.ARENA_URL = "https://cup.example.org"
    contest = world.make_contest("anonymize")
    people = [world.make_team(contest, name)[1] for name in ("Alpha", "Beta", "Gamma")]
    Person.objects.filter(pk=people[1].pk).update(language="ja")
    Person.objects.filter(pk=people[2].pk).update(news_by_mail=False)
    question = ask_referees(people[0], contest, "Why?\nReally?")
    answer(question, "Because.", for_everybody=False, by=referee)
    mail = Message.objects.get()
    assert (mail.to, "Because." in mail.body, "\n" in mail.subject) == (people[0].email, True, False)
    assert f"https://cup.example.org/c/{contest.slug}/" in mail.body
    Message.objects.all().delete()
    answer(question, "Because.", for_everybody=True, by=referee)
    subjects = {one.to: one.subject for one in Message.objects.all()}
    assert set(subjects) == {people[0].email, people[1].email}
    assert "審判からの回答" in subjects[people[1].email]


def test_without_a_mail_server_news_stays_on_the_pages(settings: LazySettings, referee: Person) -> None:
    pages.keep_mail(settings)
    contest = world.make_contest("anonymize")
    world.make_team(contest, "Alpha")
    announce(contest, "Hello", "to all", by=referee)
    assert not Message.objects.exists()


def test_phases_that_begin_are_told_once_and_only_when_they_are_new(mailoutbox: list[Any], referee: Person) -> None:
    contest = world.make_contest("attack")
    world.make_team(contest, "Alpha")
    Phase.objects.update(told_at=timezone.now())
    Phase.objects.filter(kind="attack").update(told_at=None)
    add_webhook(contest, "https://example.org/hook", ["phase"], by=referee)
    assert (tell_begun_phases(), tell_begun_phases(), len(mailoutbox)) == (1, 0, 1)
    assert "“attack” has begun" in mailoutbox[0].subject
    assert json.loads(Delivery.objects.get().body)["phase"] == "attack"
    Phase.objects.filter(kind="attack").update(told_at=None, starts_at=timezone.now() - timedelta(days=2))
    assert tell_begun_phases() == 0


def test_only_owners_add_webhooks(referee: Person) -> None:
    contest = world.make_contest("anonymize")
    _team, captain = world.make_team(contest, "Alpha")
    with pytest.raises(NotAllowedError):
        add_webhook(contest, "https://example.org/", ["phase"], by=captain)
    with pytest.raises(RefusedError):
        add_webhook(contest, "https://example.org/", [], by=referee)
