"""Everything a walk over all addresses needs: a world with one of each object, viewers of every kind, all routes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.files.base import ContentFile
from django.core.signals import request_finished
from django.db import connection, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from tests.arena import world
from tokumei_arena.models import (
    Announcement,
    ApiToken,
    Attachment,
    Blob,
    Clarification,
    Contest,
    DataFile,
    Evaluation,
    Extension,
    Logo,
    Membership,
    Message,
    Office,
    OneTimeLink,
    Page,
    Person,
    PublicFile,
    Rescore,
    SelfCheck,
    Submission,
    Target,
    TargetFile,
    Team,
    Webhook,
)
from tokumei_arena.records.storage import put_bytes

__all__ = ["PHASES", "ROLES", "Town", "Tried", "address", "build", "close", "routes", "try_route"]

ROLES = (
    "anonymous",
    "stranger",
    "other",
    "adviser",
    "member",
    "captain",
    "elsewhere",
    "observer",
    "official",
    "owner",
    "referee",
)
PHASES = (None, "registration", "anonymize", "attack", "scoring", "published")
EMPTY_ARCHIVE = {
    "rule_version": "1",
    "overall": None,
    "rounds": [
        {
            "kind": "final",
            "name": "",
            "table": {
                "anonymizers": [],
                "attackers": [],
                "anonymizer_columns": [],
                "attacker_columns": [],
                "anonymizer_rule": {},
                "attacker_rule": {},
            },
            "names": {},
            "points": [],
            "matrix": {"figure": "", "owners": [], "attackers": [], "cells": []},
        }
    ],
}
SCOPES = ["read", "submit", "attack", "referee"]


@dataclass
class Town:
    """The world: all objects belong to team Alpha; 'other' is the captain of Beta.

    'observer', 'official' (a referee) and 'owner' have offices in the contest, 'elsewhere' is the owner of another one.
    """

    contest: Contest
    people: dict[str, Person | None]
    keys: dict[str, dict[str, Any]]
    tokens: dict[str, str]
    clients: dict[str, Client]


def build(phase: str | None) -> Town:
    """Make the world in this phase."""
    contest = world.make_contest("anonymize")
    round_ = contest.rounds.get()
    alpha, captain = world.make_team(contest, "Alpha")
    beta, other = world.make_team(contest, "Beta")
    people: dict[str, Person | None] = {"anonymous": None, "captain": captain, "other": other}
    people["stranger"] = world.make_person("Stranger")
    people["referee"] = world.make_person("Referee", referee=True)
    second = world.make_person("Second Referee", referee=True)
    Authenticator.objects.create(user=people["referee"], type=Authenticator.Type.TOTP, data={"secret": "x"})
    _give_offices(contest, people)
    for position in (Membership.Role.MEMBER, Membership.Role.ADVISER):
        person = people[position.value] = world.make_person(position.value)
        Membership.objects.create(
            contest=contest, team=alpha, person=person, role=position, terms_accepted_at=timezone.now()
        )
    releases = {}
    for team, person in ((alpha, captain), (beta, other)):
        release = world.hand_in(person, round_)
        evaluation = Evaluation.objects.create(
            submission=release, rule_set="pws2018", rule_version="x", inputs={}, valid=True, figures={"U": 0.5}
        )
        Submission.objects.filter(pk=release.pk).update(state="done", verdict="valid", evaluation=evaluation)
        releases[team.name] = release
    target = Target.objects.create(round=round_, team=alpha, submission=releases["Alpha"], alias="Opal", state="done")
    published = TargetFile.objects.create(
        target=target, name="A1", blob=put_bytes(Blob.Area.PUBLISHED, "A1.csv", b"1,2\n")
    )
    TargetFile.objects.create(target=target, name="F", blob=put_bytes(Blob.Area.TRUTH, "F.csv", b"secret\n"))
    private = DataFile.objects.create(
        round=round_, team=alpha, name="T2", blob=put_bytes(Blob.Area.DATA, "T2.csv", b"1\n")
    )
    question = Clarification.objects.create(contest=contest, team=alpha, question="why?", asked_by=captain)
    soon = timezone.now() + timedelta(days=1)
    invitation = OneTimeLink.objects.create(
        purpose="team", token_hash=_hash("join"), team=alpha, role="member", expires_at=soon, made_by=captain
    )
    OneTimeLink.objects.create(purpose="referee", token_hash=_hash("crown"), expires_at=soon)
    rescore = Rescore.objects.create(round=round_, reason="new rules", by=people["referee"])
    message = Message.objects.create(to="a@example.org", subject="s", body="b")
    notice = Announcement.objects.create(contest=contest, title="Hello", body="all", by=people["referee"])
    event = _make_event(contest, alpha, beta, published)
    tokens = {}
    for role, someone in people.items():
        if someone is not None:
            tokens[role] = f"tka_{role}_" + "x" * 30
            ApiToken.objects.create(
                person=someone, name="t", token_hash=_hash(tokens[role]), hint="x", scopes=SCOPES, expires_at=soon
            )
    membership = Membership.objects.get(team=alpha, role="member")
    own_token = ApiToken.objects.get(person=captain)
    phases = {row.kind: row.pk for row in round_.phases.all()}
    keys: dict[str, dict[str, Any]] = {
        "slug": {"": contest.slug},
        "kind": {"": "final"},
        "token": {"join_team": "join", "become_referee": "crown", "take_office": "seat"},
        "ending": {"": "csv"},
        "name": {"": "rules"},
        "phase": {"": "anonymize"},
        "rest": {"": "nothing"},
        "pk": {
            "token_revoke": own_token.pk,
            "invitation_revoke": invitation.pk,
            "member_role": membership.pk,
            "member_remove": membership.pk,
            "data_file": private.pk,
            "target": target.pk,
            "target_file": target.pk,
            "desk_message_done": message.pk,
            "desk_referee_resign": second.pk,
            "desk_target_again": target.pk,
            "desk_phase_extend": phases["anonymize"],
            "desk_phase_close": phases["anonymize"],
            "desk_team_decide": alpha.pk,
            "desk_withdraw": notice.pk,
            "desk_answer": question.pk,
            "desk_rescore": rescore.pk,
            "desk_rescore_part": rescore.pk,
            "desk_rescore_apply": rescore.pk,
            "desk_rescore_discard": rescore.pk,
            **event,
            "desk_certificate": alpha.pk,
            "": releases["Alpha"].pk,
        },
        "decision": {"": "approve"},
        "file_pk": {"": published.pk},
        "file": {"target_file": published.pk, "page_file": event["page_file"], "": private.pk},
        "page": {"": "rules"},
        "number": {
            "extend_team": alpha.pk,
            "target": target.pk,
            "target_file": target.pk,
            "guess": target.pk,
            "approve_team": alpha.pk,
            "disqualify_team": alpha.pk,
            "answer": question.pk,
            "": releases["Alpha"].pk,
        },
    }
    Contest.objects.update(colour="#27418f", logo_tag="x")
    Logo.objects.create(contest=contest, media_type="image/png", data="")
    check = SelfCheck.objects.create(round=round_, team=alpha, received_at=timezone.now(), name="A.csv", state="done")
    keys["pk"]["check_result"] = keys["number"]["checked"] = check.pk
    for name in ("guesses_check", "ask"):
        keys["pk"][name] = target.pk
    keys["number"]["check_answer"] = target.pk
    world.move_to(round_, phase)
    return Town(contest, people, keys, tokens, {role: _signed_in(person) for role, person in people.items()})


def _give_offices(contest: Contest, people: dict[str, Person | None]) -> None:
    """Make the officials of the contest, and the owner of another one; all have a second factor."""
    second = world.make_contest("anonymize", rule_set="pws2021")
    for name, role, where in (
        ("observer", Office.Role.OBSERVER, contest),
        ("official", Office.Role.REFEREE, contest),
        ("owner", Office.Role.OWNER, contest),
        ("elsewhere", Office.Role.OWNER, second),
    ):
        person = people[name] = world.make_person(name)
        Office.objects.create(contest=where, person=person, role=role)
        Authenticator.objects.create(user=person, type=Authenticator.Type.TOTP, data={"secret": "x"})


def _make_event(contest: Contest, alpha: Team, beta: Team, published: TargetFile) -> dict[str, Any]:
    """Make one of everything that organisers make; return the ids by route."""
    round_, soon = contest.rounds.get(), timezone.now() + timedelta(days=1)
    page = Page.objects.create(contest=contest, slug="rules", title="Rules", body="# Be fair", edited_at=timezone.now())
    attached = Attachment.objects.create(
        page=page, name="sample.csv", blob=put_bytes(Blob.Area.PUBLISHED, "sample.csv", b"1\n")
    )
    OneTimeLink.objects.create(
        purpose="office", token_hash=_hash("seat"), contest=contest, role="referee", expires_at=soon
    )
    webhook = Webhook.objects.create(contest=contest, url="https://example.org/", secret="x", events=["phase"])
    attack = round_.phases.get(kind="attack")
    extension = Extension.objects.create(
        phase=attack, team=beta, until=timezone.now() + timedelta(days=9), reason="ill"
    )
    public = PublicFile.objects.create(round=round_, team=alpha, name="A1", blob=published.blob)
    round_.ceremony = True
    round_.save()
    contest.archive, contest.archived_at = EMPTY_ARCHIVE, timezone.now()
    contest.save()
    observer = Office.objects.get(contest=contest, role="observer")
    return {
        "page_file": attached.pk,
        "desk_page_detach": attached.pk,
        "archive_file": public.pk,
        "desk_official_change": observer.pk,
        "desk_official_end": observer.pk,
        "desk_webhook_test": webhook.pk,
        "desk_webhook_remove": webhook.pk,
        "desk_extension_end": extension.pk,
    }


def _signed_in(person: Person | None) -> Client:
    client = Client(raise_request_exception=False)
    if person is not None:
        client.force_login(person)
    return client


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def routes() -> dict[str, str]:
    """Return every address pattern with the name of its (first) route."""

    def walk(resolver: URLResolver, prefix: str) -> Iterator[tuple[str, str]]:
        for entry in resolver.url_patterns:
            pattern = prefix + str(entry.pattern)
            if isinstance(entry, URLPattern):
                yield pattern, entry.name or pattern
            else:
                yield from walk(entry, pattern)

    found: dict[str, str] = {}
    for pattern, name in walk(get_resolver(), ""):
        found.setdefault(pattern, name)
    return found


def address(town: Town, name: str, pattern: str) -> str:
    """Return the path of a route with the keys of this world."""
    path = pattern
    while "<" in path:
        before, _, rest = path.partition("<")
        inner, _, after = rest.partition(">")
        parameter = inner.split(":")[-1]
        values = town.keys[parameter]
        path = f"{before}{values.get(name, values.get(''))}{after}"
    return "/" + path


@dataclass(frozen=True)
class Tried:
    """What came of a request: the answer, and whether it changed anything besides sessions and counters."""

    status: int
    location: str
    wrote: bool

    @property
    def allowed(self) -> bool:
        """Whether the viewer got in: neither refused nor sent to sign in, nor told that there is nothing."""
        return self.status not in (401, 403, 404) and not self.location.startswith("/accounts/login/")


def try_route(town: Town, role: str, method: str, path: str, body: dict[str, Any] | None = None) -> Tried:
    """Ask for a path as this kind of viewer; what the request changed is undone."""
    api = path.startswith("/api/")
    client = town.clients["anonymous" if api else role]
    headers = {"Authorization": f"Bearer {town.tokens[role]}"} if api and role in town.tokens else {}
    values = {name: world.upload(value) if isinstance(value, bytes) else value for name, value in (body or {}).items()}
    as_json = api and not any(isinstance(value, ContentFile) for value in values.values())
    send = client.get if method == "GET" else client.post
    options: dict[str, Any] = {"content_type": "application/json"} if as_json and method == "POST" else {}
    wrote: list[bool] = []

    def watch(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        wrote.append(_changes(sql))
        return execute(sql, *rest)

    with transaction.atomic():
        with connection.execute_wrapper(watch):
            response = send(path, values, headers=headers, **options)
        close(response)
        transaction.set_rollback(True)
    return Tried(response.status_code, response.headers.get("Location", ""), any(wrote))


def close(response: Any) -> None:
    """Close an answer: files that are streamed stay open until then, and the connection of the test must not close."""
    receivers, request_finished.receivers = request_finished.receivers, []
    try:
        response.close()
    finally:
        request_finished.receivers = receivers


def _changes(sql: str) -> bool:
    """Return whether a statement changes a table that counts."""
    if not sql.startswith(("INSERT", "UPDATE", "DELETE")):
        return False
    return not any(name in sql for name in ("django_session", "arena_cache", "last_used_at", "last_login"))
