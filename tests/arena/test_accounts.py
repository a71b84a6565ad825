"""Accounts through their pages: signing up and in, second factors, and becoming a referee."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from tests.arena import world
from tests.arena.pages import add_second_factor, check_page, keep_mail, links_in, sign_in, text_of, totp_code
from tokumei_arena import teams
from tokumei_arena.errors import NotAllowedError, RefusedError
from tokumei_arena.models import LogEntry, Message, OneTimeLink, Person

pytestmark = pytest.mark.django_db
NEW = {"name": "Hanako", "email": "Hanako@Example.org", "password1": world.PASSWORD, "password2": world.PASSWORD}


@pytest.fixture(autouse=True)
def _without_mail_server(settings: LazySettings) -> None:
    keep_mail(settings)


def _sign_up(client: Client, **changes: str) -> None:
    response = client.post("/accounts/signup/", {**NEW, **changes})
    assert (response.status_code, response["Location"]) == (302, "/accounts/confirm-email/")


# Signing up and in


@pytest.mark.half_second
def test_sign_up_needs_the_link_that_waits_on_the_referee_desk(client: Client) -> None:
    html = check_page(client.get("/accounts/signup/"))
    assert "at least 10 characters" in html
    _sign_up(client)
    message = Message.objects.get()
    assert (message.to, message.subject) == ("hanako@example.org", "Verify your e-mail address")
    assert "ask a referee for the link" in check_page(client.get("/accounts/confirm-email/"))
    refused = client.post("/accounts/login/", {"login": "hanako@example.org", "password": world.PASSWORD})
    assert refused["Location"] == "/accounts/confirm-email/"
    (link,) = links_in(message.body)
    assert "hanako@example.org" in check_page(client.get(link))
    assert not EmailAddress.objects.get().verified
    client.post(link)
    assert EmailAddress.objects.get().verified
    person = Person.objects.get()
    assert (person.name, person.email, person.is_referee) == ("Hanako", "hanako@example.org", False)
    other = Client()
    sign_in(other, person)
    assert "Hanako" in check_page(other.get("/"))


@pytest.mark.half_second
def test_a_second_sign_up_with_an_address_looks_like_the_first(client: Client) -> None:
    world.make_person("Hanako")
    _sign_up(client)
    assert Person.objects.count() == 1
    message = Message.objects.get()
    assert (message.to, message.subject) == ("hanako@example.org", "You have an account already")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"password1": "short", "password2": "short"}, "This password is too short"),
        ({"password1": "hanako@example", "password2": "hanako@example"}, "too similar to the email"),
        ({"password2": "another horse"}, "You must type the same password each time."),
        ({"name": ""}, "This field is required."),
        ({"email": "nobody"}, "Enter a valid email address."),
    ],
)
def test_sign_up_says_what_is_wrong(client: Client, changes: dict[str, str], words: str) -> None:
    page = text_of(check_page(client.post("/accounts/signup/", {**NEW, **changes})))
    assert words in page.replace("e-mail", "email")
    assert not Person.objects.exists()


def test_a_wrong_password_and_an_unknown_address_look_alike(client: Client) -> None:
    person = world.make_person("Hanako")
    pages = []
    for email in (person.email, "nobody@example.org"):
        html = check_page(client.post("/accounts/login/", {"login": email, "password": "wrong password"}))
        hidden = re.sub(r'value="[^"]*"', "", html)
        pages.append(hidden)
        assert "are not correct" in text_of(html)
    assert pages[0] == pages[1]


def test_forgotten_passwords_tell_nobody_who_has_an_account(client: Client) -> None:
    person = world.make_person("Hanako")
    answers = [client.post("/accounts/password/reset/", {"email": to}) for to in ("nobody@example.org", person.email)]
    assert {(answer.status_code, answer["Location"]) for answer in answers} == {(302, "/accounts/password/reset/done/")}
    message = Message.objects.get()
    assert message.to == person.email
    check_page(client.get("/accounts/password/reset/done/"))
    (link,) = links_in(message.body)
    form = client.get(link, follow=True)
    check_page(form)
    page = form.redirect_chain[-1][0]
    client.post(page, {"password1": "a better battery", "password2": "a better battery"})
    person.refresh_from_db()
    assert person.check_password("a better battery")
    assert "This link was used before" in check_page(Client().get(link))


def test_failed_sign_ins_are_slowed_down(client: Client) -> None:
    person = world.make_person("Hanako")
    wrong = {"login": person.email, "password": "wrong password"}
    for _try in range(5):
        assert "are not correct" in text_of(check_page(client.post("/accounts/login/", wrong)))
    right = {"login": person.email, "password": world.PASSWORD}
    assert "Too many failed login attempts" in text_of(check_page(client.post("/accounts/login/", right)))


def test_sign_ups_are_limited_per_address(client: Client, settings: LazySettings) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"signup": "2/h/ip"}
    for number in range(2):
        _sign_up(Client(), email=f"person{number}@example.org")
    html = check_page(client.post("/accounts/signup/", {**NEW, "email": "third@example.org"}), 429)
    assert "Too many tries" in html


def test_passwords_are_kept_by_argon2_in_the_real_settings() -> None:
    from tokumei_arena import settings as real

    assert real.PASSWORD_HASHERS == ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    assert real.ACCOUNT_RATE_LIMITS["login_failed"] == "10/m/ip,5/300s/key"
    assert real.DEBUG is False


@pytest.mark.parametrize(
    "path",
    [
        "login/code/",
        "login/code/confirm/",
        "password/set/",
        "phone/verify/",
        "signup/passkey/",
        "2fa/trust/",
        "social/",
    ],
)
def test_what_is_not_needed_does_not_exist(client: Client, path: str) -> None:
    check_page(client.get(f"/accounts/{path}"), 404)


# Second factors and referees


def test_first_referee_uses_the_link_once_and_sets_up_a_second_factor(client: Client) -> None:
    token = teams.make_referee_link()
    path = f"/referee/{token}/"
    assert "This link works once" in check_page(client.get(path))
    form = {"name": "Ref", "email": "ref@example.org", "password1": world.PASSWORD, "password2": world.PASSWORD}
    weak = client.post(path, {**form, "password1": "1234567890", "password2": "1234567890"})
    assert "too common" in text_of(check_page(weak))
    assert client.post(path, form)["Location"] == "/accounts/2fa/totp/activate/"
    referee = Person.objects.get()
    assert (referee.is_referee, teams.has_second_factor(referee)) == (True, False)
    # Until the second factor stands, every page leads to it.
    assert client.get("/")["Location"] == "/accounts/2fa/totp/activate/"
    html = check_page(client.get("/accounts/2fa/totp/activate/"))
    assert 'src="data:image/svg+xml' in html
    found = re.search(r'id="totp-key">(\w+)<', html)
    assert found
    wrong = client.post("/accounts/2fa/totp/activate/", {"code": "000000"})
    assert "Incorrect code." in check_page(wrong)
    done = client.post("/accounts/2fa/totp/activate/", {"code": totp_code(found[1])})
    assert done["Location"] == "/accounts/2fa/recovery-codes/"
    assert check_page(client.get("/accounts/2fa/recovery-codes/")).count("<li>") == 10
    assert teams.has_second_factor(referee)
    assert "on the referee desk" in check_page(client.get("/"))
    assert "This link was used before" in check_page(Client().get(path), 400)
    assert "This link was used before" in check_page(Client().post(path, form), 400)
    actions = list(LogEntry.objects.values_list("action", flat=True))
    assert actions == ["referee.invite", "referee.begin"]
    assert "ref@example.org" not in str(list(LogEntry.objects.values()))


def test_signing_in_asks_for_the_second_factor(client: Client) -> None:
    person = world.make_person("Ref", referee=True)
    secret = add_second_factor(person)
    response = client.post("/accounts/login/", {"login": person.email, "password": world.PASSWORD})
    assert response["Location"] == "/accounts/2fa/authenticate/"
    html = check_page(client.get("/accounts/2fa/authenticate/"))
    assert "data-passkey" in html
    assert "Sign in" in check_page(client.get("/"))
    assert "Incorrect code." in check_page(client.post("/accounts/2fa/authenticate/", {"code": "000000"}))
    assert client.post("/accounts/2fa/authenticate/", {"code": totp_code(secret)})["Location"] == "/"
    assert "Sign out" in check_page(client.get("/"))


def test_recovery_codes_alone_are_no_second_factor() -> None:
    person = world.make_person("Ref", referee=True)
    Authenticator.objects.create(user=person, type=Authenticator.Type.RECOVERY_CODES, data={"seed": "x"})
    assert not teams.has_second_factor(person)
    add_second_factor(person)
    assert teams.has_second_factor(person)


def test_a_referee_link_expires(client: Client) -> None:
    token = teams.make_referee_link(lasts=timedelta(seconds=-1))
    assert "This link has expired" in check_page(client.get(f"/referee/{token}/"), 400)
    assert "This link is not known" in check_page(client.get("/referee/unknown/"), 400)
    with pytest.raises(RefusedError, match="this link has expired; ask for a new one"):
        teams.become_referee(token, email="a@example.org", name="A", password=world.PASSWORD)
    assert not Person.objects.exists()


def test_guessing_links_is_slowed_down(client: Client) -> None:
    for number in range(30):
        assert client.get(f"/referee/guess{number}/").status_code == 400
    assert "Too many at once" in check_page(client.get("/referee/guess/"), 429)


def test_an_address_that_has_an_account_does_not_use_the_link_up() -> None:
    world.make_person("Ref")
    token = teams.make_referee_link()
    with pytest.raises(RefusedError, match="there is an account with this address: sign in with it"):
        teams.become_referee(token, email="REF@example.org", name="R", password=world.PASSWORD)
    assert teams.referee_link(token).used_at is None


def test_somebody_with_an_account_becomes_referee_unless_they_play(client: Client) -> None:
    person = world.make_person("Ref")
    client.force_login(person)
    path = f"/referee/{teams.make_referee_link()}/"
    assert "ref@example.org" in check_page(client.get(path))
    assert client.post(path)["Location"] == "/accounts/2fa/totp/activate/"
    person.refresh_from_db()
    assert person.is_referee
    _team, captain = world.make_team(world.make_contest(), "Alpha")
    client.force_login(captain)
    path = f"/referee/{teams.make_referee_link()}/"
    assert "You are in a team" in check_page(client.post(path), 403)
    captain.refresh_from_db()
    assert not captain.is_referee


def test_only_referees_invite_referees_and_one_stays() -> None:
    person, referee = world.make_person("Hanako"), world.make_person("Ref", referee=True)
    with pytest.raises(NotAllowedError, match="only referees invite referees"):
        teams.make_referee_link(person)
    with pytest.raises(RefusedError, match="this is the last referee; make another one first"):
        teams.resign_as_referee(referee, by=referee)
    teams.make_referee(teams.make_referee_link(referee), person)
    teams.resign_as_referee(referee, by=person)
    referee.refresh_from_db()
    assert not referee.is_referee


def test_only_the_hash_of_a_link_is_kept() -> None:
    token = teams.make_referee_link()
    link = OneTimeLink.objects.get()
    assert token not in str(OneTimeLink.objects.values().get())
    assert len(token) >= 40
    assert link.expires_at - timezone.now() < timedelta(days=1)
