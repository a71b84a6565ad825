"""What people manage about themselves: preferences, tokens, the end of their account."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from allauth.account.models import EmailAddress
from django.conf import LazySettings
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.utils import timezone

from tests.arena import world
from tests.arena.pages import check_page, confirm, keep_mail, sign_in, text_of
from tokumei_arena import teams
from tokumei_arena.errors import NotAllowedError, RefusedError, TooManyError
from tokumei_arena.models import ApiToken, LogEntry, Membership, Message, OneTimeLink, Person, Submission
from tokumei_arena.records import logbook
from tokumei_arena.teams import links

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _without_mail_server(settings: LazySettings) -> None:
    keep_mail(settings)


@pytest.mark.half_second
def test_preferences_change_name_language_and_zone(client: Client) -> None:
    person = world.make_person("Hanako")
    sign_in(client, person)
    check_page(client.get("/preferences/"))
    chosen = {"name": "Hana", "language": "ja", "time_zone": "Europe/Berlin"}
    answer = client.post("/preferences/", chosen)
    assert answer.cookies["arena_language"].value == "ja"
    person.refresh_from_db()
    assert (person.name, person.language, person.time_zone) == ("Hana", "ja", "Europe/Berlin")
    html = check_page(client.get("/preferences/"))
    assert '<html lang="ja">' in html
    assert "Europe/Berlin" in html
    wrong = client.post("/preferences/", {**chosen, "time_zone": "Mars/Base"})
    assert "error" in check_page(wrong)
    person.refresh_from_db()
    assert person.time_zone == "Europe/Berlin"


def test_the_language_switch_works_without_an_account(client: Client) -> None:
    assert '<html lang="en">' in check_page(client.get("/"))
    answer = client.post("/language/", {"language": "ja", "next": "/accounts/login/"})
    assert answer["Location"] == "/accounts/login/"
    assert '<html lang="ja">' in check_page(client.get("/accounts/login/"))
    away = client.post("/language/", {"language": "en", "next": "https://elsewhere.example/"})
    assert away["Location"] == "/"


def test_a_token_is_told_once_and_kept_as_a_hash(client: Client) -> None:
    person = world.make_person("Hanako")
    sign_in(client, person)
    page = check_page(client.post("/tokens/", {"name": "laptop", "scopes": ["read", "submit"], "days": "30"}))
    found = re.search(r'id="new-token">([^<]+)<', page)
    assert found
    token = ApiToken.objects.get()
    assert (token.scopes, token.hint) == (["read", "submit"], found[1][-4:])
    assert token.expires_at is not None
    assert timedelta(days=29) < token.expires_at - timezone.now() < timedelta(days=31)
    assert found[1] not in str(ApiToken.objects.values().get())
    assert found[1] not in check_page(client.get("/tokens/"))
    assert links.find_token(found[1]) == token
    client.post(f"/tokens/{token.pk}/revoke/")
    assert links.find_token(found[1]) is None
    assert [entry.action for entry in LogEntry.objects.all()] == ["token.make", "token.revoke"]


def test_tokens_end_with_their_time_and_their_person() -> None:
    person = world.make_person("Hanako")
    token, text = links.make_token(person, name="x", scopes=["read"], lasts=timedelta(days=1))
    assert links.find_token(text) == token
    assert links.find_token(text + "x") is None
    Person.objects.filter(pk=person.pk).update(is_active=False)
    assert links.find_token(text) is None
    Person.objects.filter(pk=person.pk).update(is_active=True)
    ApiToken.objects.update(expires_at=timezone.now())
    assert links.find_token(text) is None


def test_tokens_of_others_cannot_be_revoked_and_scopes_are_limited(client: Client) -> None:
    token, _text = links.make_token(world.make_person("Taro"), name="x", scopes=["read"], lasts=timedelta(days=1))
    sign_in(client, world.make_person("Hanako"))
    check_page(client.post(f"/tokens/{token.pk}/revoke/"), 404)
    assert ApiToken.objects.count() == 1
    page = check_page(client.post("/tokens/", {"name": "mine", "scopes": ["referee"], "days": "30"}))
    assert "referee is not one of the available choices" in page
    hanako = Person.objects.get(name="Hanako")
    with pytest.raises(NotAllowedError, match="only referees make tokens for the referee desk"):
        links.make_token(hanako, name="x", scopes=["referee"], lasts=timedelta(days=1))
    with pytest.raises(RefusedError, match="a token lasts between one day and one year"):
        links.make_token(hanako, name="x", scopes=["read"], lasts=timedelta(days=400))
    for number in range(20):
        links.make_token(hanako, name=str(number), scopes=["read"], lasts=timedelta(days=1))
    with pytest.raises(TooManyError, match="you have 20 tokens; revoke one"):
        links.make_token(hanako, name="x", scopes=["read"], lasts=timedelta(days=1))


def test_erasing_an_account_leaves_nothing_personal_and_the_log_holds(client: Client) -> None:
    contest = world.make_contest()
    team, captain = world.make_team(contest, "Alpha")
    member = world.make_person("Second Member")
    Membership.objects.create(contest=contest, team=team, person=member, role="member")
    submission = world.hand_in(captain, contest.rounds.get())
    links.make_token(captain, name="laptop", scopes=["read"], lasts=timedelta(days=1))
    Message.objects.create(to=captain.email.upper(), subject="x", body=f"Dear {captain.name}")
    teams.invite(team, captain, "member", captain.email)
    sign_in(client, captain)
    confirm(client)
    check_page(client.get("/preferences/erase/"))
    assert client.post("/preferences/erase/", {}).status_code == 200
    assert Person.objects.filter(email=captain.email).exists()
    assert client.post("/preferences/erase/", {"sure": "on"})["Location"] == "/"
    gone = Person.objects.get(pk=captain.pk)
    assert (gone.name, gone.email, gone.is_active) == ("–", f"{captain.pk}@erased.invalid", False)
    assert gone.erased_at is not None
    assert not gone.has_usable_password()
    for kept in (EmailAddress, Message, ApiToken, Person, OneTimeLink, LogEntry, Membership):
        text = str(list(kept.objects.values())).lower()
        assert captain.email not in text
        assert captain.name.lower() not in text
    assert not [one for one in Session.objects.all() if captain.email in str(one.get_decoded())]
    assert Submission.objects.get().pk == submission.pk
    assert Membership.objects.get().role == "captain"
    assert logbook.verify() is None
    assert LogEntry.objects.order_by("-number")[0].action == "person.erase"
    refused = Client().post("/accounts/login/", {"login": captain.email, "password": world.PASSWORD})
    assert "are not correct" in text_of(check_page(refused))
    with pytest.raises(RefusedError, match="this account is erased already"):
        teams.erase_person(gone)


def test_erasing_needs_a_fresh_sign_in(client: Client) -> None:
    client.force_login(world.make_person("Hanako"))
    answer = client.get("/preferences/erase/")
    assert answer["Location"] == "/accounts/reauthenticate/?next=%2Fpreferences%2Ferase%2F"
    page = check_page(client.get(answer["Location"]))
    assert "write your password again" in page
    client.post(answer["Location"], {"password": world.PASSWORD})
    check_page(client.get("/preferences/erase/"))


def test_who_may_erase_whom() -> None:
    hanako, taro = world.make_person("Hanako"), world.make_person("Taro")
    referee = world.make_person("Ref", referee=True)
    with pytest.raises(NotAllowedError, match="only the person or a referee may do this"):
        teams.erase_person(hanako, by=taro)
    with pytest.raises(RefusedError, match="this is the last referee; make another one first"):
        teams.erase_person(referee, by=referee)
    teams.erase_person(hanako, by=referee)
    teams.erase_person(taro)
    assert [entry.actor for entry in LogEntry.objects.filter(action="person.erase")] == [str(referee.pk), "system"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["erase", "resign"])
def test_of_two_last_referees_who_go_at_once_one_stays(way: str) -> None:
    pair = [world.make_person(name, referee=True) for name in ("Ann", "Bob")]
    together = Barrier(len(pair))

    def go(person: Person) -> str:
        together.wait()
        try:
            teams.erase_person(person) if way == "erase" else teams.resign_as_referee(person, by=person)
        except RefusedError as error:
            return error.code
        finally:
            connection.close()
        return "gone"

    with ThreadPoolExecutor(len(pair)) as pool:
        assert sorted(pool.map(go, pair)) == ["gone", "last-referee"]
    assert Person.objects.filter(is_referee=True, is_active=True).count() == 1
