"""Accounts through their pages: signing up and in, second factors, referees, preferences, tokens, erasure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import LazySettings
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.utils import timezone, translation

import tokumei_arena
from tests.arena import world
from tests.arena.pages import (
    add_second_factor,
    check_page,
    confirm,
    inline_parts,
    links_in,
    sign_in,
    text_of,
    totp_code,
)
from tokumei_arena.core import logbook, people, tokens
from tokumei_arena.core.errors import NotAllowedError, RefusedError, TooManyError
from tokumei_arena.models import ApiToken, LogEntry, Membership, Message, OneTimeLink, Person, Submission
from tokumei_arena.templatetags.arena import badge, figure, moment
from tokumei_arena.web import errors

pytestmark = pytest.mark.django_db
TEMPLATES = Path(tokumei_arena.__file__).parent / "templates"
NEW = {"name": "Hanako", "email": "Hanako@Example.org", "password1": world.PASSWORD, "password2": world.PASSWORD}


@pytest.fixture(autouse=True)
def _without_mail_server(settings: LazySettings) -> None:
    """Keep mails for the desk (the test runner would catch them), and let no try of another test count."""
    settings.EMAIL_BACKEND = "tokumei_arena.core.mail.DeskBackend"
    cache.clear()


def _sign_up(client: Client, **changes: str) -> None:
    response = client.post("/accounts/signup/", {**NEW, **changes})
    assert (response.status_code, response["Location"]) == (302, "/accounts/confirm-email/")


# Signing up and in


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
    token = people.make_referee_link()
    path = f"/referee/{token}/"
    assert "This link works once" in check_page(client.get(path))
    form = {"name": "Ref", "email": "ref@example.org", "password1": world.PASSWORD, "password2": world.PASSWORD}
    weak = client.post(path, {**form, "password1": "1234567890", "password2": "1234567890"})
    assert "too common" in text_of(check_page(weak))
    assert client.post(path, form)["Location"] == "/accounts/2fa/totp/activate/"
    referee = Person.objects.get()
    assert (referee.is_referee, people.has_second_factor(referee)) == (True, False)
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
    assert people.has_second_factor(referee)
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
    assert not people.has_second_factor(person)
    add_second_factor(person)
    assert people.has_second_factor(person)


def test_a_referee_link_expires(client: Client) -> None:
    token = people.make_referee_link(lasts=timedelta(seconds=-1))
    assert "This link has expired" in check_page(client.get(f"/referee/{token}/"), 400)
    assert "This link is not known" in check_page(client.get("/referee/unknown/"), 400)
    with pytest.raises(RefusedError, match="this link has expired; ask for a new one"):
        people.become_referee(token, email="a@example.org", name="A", password=world.PASSWORD)
    assert not Person.objects.exists()


def test_guessing_links_is_slowed_down(client: Client) -> None:
    for number in range(30):
        assert client.get(f"/referee/guess{number}/").status_code == 400
    assert "Too many at once" in check_page(client.get("/referee/guess/"), 429)


def test_an_address_that_has_an_account_does_not_use_the_link_up() -> None:
    world.make_person("Ref")
    token = people.make_referee_link()
    with pytest.raises(RefusedError, match="there is an account with this address: sign in with it"):
        people.become_referee(token, email="REF@example.org", name="R", password=world.PASSWORD)
    assert people.referee_link(token).used_at is None


def test_somebody_with_an_account_becomes_referee_unless_they_play(client: Client) -> None:
    person = world.make_person("Ref")
    client.force_login(person)
    path = f"/referee/{people.make_referee_link()}/"
    assert "ref@example.org" in check_page(client.get(path))
    assert client.post(path)["Location"] == "/accounts/2fa/totp/activate/"
    person.refresh_from_db()
    assert person.is_referee
    _team, captain = world.make_team(world.make_contest(), "Alpha")
    client.force_login(captain)
    path = f"/referee/{people.make_referee_link()}/"
    assert "You are in a team" in check_page(client.post(path), 403)
    captain.refresh_from_db()
    assert not captain.is_referee


def test_only_referees_invite_referees_and_one_stays() -> None:
    person, referee = world.make_person("Hanako"), world.make_person("Ref", referee=True)
    with pytest.raises(NotAllowedError, match="only referees invite referees"):
        people.make_referee_link(person)
    with pytest.raises(RefusedError, match="this is the last referee; make another one first"):
        people.resign_as_referee(referee, by=referee)
    people.make_referee(people.make_referee_link(referee), person)
    people.resign_as_referee(referee, by=person)
    referee.refresh_from_db()
    assert not referee.is_referee


def test_only_the_hash_of_a_link_is_kept() -> None:
    token = people.make_referee_link()
    link = OneTimeLink.objects.get()
    assert token not in str(OneTimeLink.objects.values().get())
    assert len(token) >= 40
    assert link.expires_at - timezone.now() < timedelta(days=1)


# Preferences, tokens, erasure


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
    assert tokens.find(found[1]) == token
    client.post(f"/tokens/{token.pk}/revoke/")
    assert tokens.find(found[1]) is None
    assert [entry.action for entry in LogEntry.objects.all()] == ["token.make", "token.revoke"]


def test_tokens_end_with_their_time_and_their_person() -> None:
    person = world.make_person("Hanako")
    token, text = tokens.make(person, name="x", scopes=["read"], lasts=timedelta(days=1))
    assert tokens.find(text) == token
    assert tokens.find(text + "x") is None
    Person.objects.filter(pk=person.pk).update(is_active=False)
    assert tokens.find(text) is None
    Person.objects.filter(pk=person.pk).update(is_active=True)
    ApiToken.objects.update(expires_at=timezone.now())
    assert tokens.find(text) is None


def test_tokens_of_others_cannot_be_revoked_and_scopes_are_limited(client: Client) -> None:
    token, _text = tokens.make(world.make_person("Taro"), name="x", scopes=["read"], lasts=timedelta(days=1))
    sign_in(client, world.make_person("Hanako"))
    check_page(client.post(f"/tokens/{token.pk}/revoke/"), 404)
    assert ApiToken.objects.count() == 1
    page = check_page(client.post("/tokens/", {"name": "mine", "scopes": ["referee"], "days": "30"}))
    assert "referee is not one of the available choices" in page
    hanako = Person.objects.get(name="Hanako")
    with pytest.raises(NotAllowedError, match="only referees make tokens for the referee desk"):
        tokens.make(hanako, name="x", scopes=["referee"], lasts=timedelta(days=1))
    with pytest.raises(RefusedError, match="a token lasts between one day and one year"):
        tokens.make(hanako, name="x", scopes=["read"], lasts=timedelta(days=400))
    for number in range(20):
        tokens.make(hanako, name=str(number), scopes=["read"], lasts=timedelta(days=1))
    with pytest.raises(TooManyError, match="you have 20 tokens; revoke one"):
        tokens.make(hanako, name="x", scopes=["read"], lasts=timedelta(days=1))


def test_erasing_an_account_leaves_nothing_personal_and_the_log_holds(client: Client) -> None:
    contest = world.make_contest()
    team, captain = world.make_team(contest, "Alpha")
    member = world.make_person("Second Member")
    Membership.objects.create(contest=contest, team=team, person=member, role="member")
    submission = world.hand_in(captain, contest.rounds.get())
    tokens.make(captain, name="laptop", scopes=["read"], lasts=timedelta(days=1))
    Message.objects.create(to=captain.email.upper(), subject="x", body=f"Dear {captain.name}")
    people.invite(team, captain, "member", captain.email)
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
        people.erase(gone)


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
        people.erase(hanako, by=taro)
    with pytest.raises(RefusedError, match="this is the last referee; make another one first"):
        people.erase(referee, by=referee)
    people.erase(hanako, by=referee)
    people.erase(taro)
    assert [entry.actor for entry in LogEntry.objects.filter(action="person.erase")] == [str(referee.pk), "system"]


# Pages


def test_pages_of_an_account_are_clean(client: Client) -> None:
    person = world.make_person("Hanako")
    Person.objects.filter(pk=person.pk).update(name="Hanako <script>")
    add_second_factor(person)
    Authenticator.objects.create(
        user=person, type=Authenticator.Type.RECOVERY_CODES, data={"seed": "a" * 40, "used_mask": 0}
    )
    client.post("/accounts/login/", {"login": person.email, "password": world.PASSWORD})
    secret = Authenticator.objects.get(type="totp").data["secret"]
    client.post("/accounts/2fa/authenticate/", {"code": totp_code(secret)})
    confirm(client)
    for path in (
        "/",
        "/preferences/",
        "/preferences/erase/",
        "/tokens/",
        "/accounts/logout/",
        "/accounts/email/",
        "/accounts/password/change/",
        "/accounts/2fa/",
        "/accounts/2fa/totp/deactivate/",
        "/accounts/2fa/recovery-codes/",
        "/accounts/2fa/recovery-codes/generate/",
        "/accounts/2fa/webauthn/",
        "/accounts/2fa/webauthn/add/",
        "/accounts/2fa/reauthenticate/",
        "/accounts/reauthenticate/",
        "/accounts/inactive/",
    ):
        html = check_page(client.get(path))
        assert "Hanako <script>" not in html, path
    codes = client.get("/accounts/2fa/recovery-codes/download/")
    assert (codes["Content-Type"], codes["Content-Disposition"][:10]) == ("text/plain", "attachment")


def test_changing_the_address_waits_for_its_verification(client: Client) -> None:
    person = world.make_person("Hanako")
    sign_in(client, person)
    confirm(client)
    client.post("/accounts/email/", {"email": "new@example.org", "action_add": ""})
    assert "The new address new@example.org counts once you open the link" in text_of(
        check_page(client.get("/accounts/email/"))
    )
    person.refresh_from_db()
    assert person.email == "hanako@example.org"
    (link,) = links_in(Message.objects.get(to="new@example.org").body)
    client.post(link)
    person.refresh_from_db()
    assert person.email == "new@example.org"
    assert [one.email for one in EmailAddress.objects.all()] == ["new@example.org"]


def test_no_template_holds_inline_script_style_or_unescaped_text() -> None:
    templates = sorted(TEMPLATES.rglob("*.html"))
    assert len(templates) > 40
    for path in templates:
        text = path.read_text(encoding="utf-8")
        assert inline_parts(re.sub(r"{%.*?%}|{{.*?}}", "/static/", text)) == [], path
        for unsafe in ("|safe", "autoescape off", "json_script"):
            assert unsafe not in text, path


def test_errors_are_pages_too(client: Client) -> None:
    assert "There is nothing here" in check_page(client.get("/nowhere/"), 404)
    strict = Client(enforce_csrf_checks=True)
    assert "This form is too old" in check_page(strict.post("/accounts/login/", {}), 403)
    failed = errors.failed(RequestFactory().get("/"))
    assert failed.status_code == 500
    assert "Something went wrong on our side" in failed.content.decode()
    assert inline_parts(failed.content.decode()) == []


def test_the_first_page_lists_contests_with_the_next_step(client: Client) -> None:
    contest = world.make_contest("registration", name="Cup <b>1</b>")
    world.make_contest("attack", name="Hidden Cup", is_open=False)
    html = check_page(client.get("/"))
    assert "Cup &lt;b&gt;1&lt;/b&gt;" in html
    assert "Hidden Cup" not in html
    assert "Sign in to take part." in html
    sign_in(client, world.make_person("Hanako"))
    assert f"/c/{contest.slug}/teams/new/" in check_page(client.get("/"))


# Filters


def test_moments_are_shown_in_the_viewers_zone_with_jst() -> None:
    at = datetime(2026, 11, 3, 14, 5, tzinfo=UTC)
    with timezone.override("Asia/Tokyo"):
        assert moment(at) == '<time datetime="2026-11-03T14:05:00+00:00">2026-11-03 23:05 JST</time>'
    with timezone.override("Europe/Berlin"):
        assert ">2026-11-03 15:05 CET (23:05 JST)<" in moment(at)
    with timezone.override("Asia/Dubai"):
        assert ">2026-11-03 18:05 UTC+04 (23:05 JST)<" in moment(at)
    with timezone.override("America/New_York"):
        late = at + timedelta(hours=2)
        assert ">2026-11-03 11:05 EST (2026-11-04 01:05 JST)<" in moment(late)
    assert moment(None) == "–"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (1234567, "1,234,567"),
        (0.5, "0.50"),
        (float("inf"), "∞"),
        ("0.1 – 0.2", "0.1 – 0.2"),
    ],
)
def test_figures(value: object, shown: str) -> None:
    assert figure(value, 2) == shown


def test_badges_escape_their_text() -> None:
    with translation.override("en"):
        assert badge("<b>", "bad") == '<span class="badge bad">&lt;b&gt;</span>'
