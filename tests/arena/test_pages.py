"""Pages of an account and of errors are clean in every state; moments, figures and badges as pages show them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import LazySettings
from django.test import Client, RequestFactory
from django.utils import timezone, translation

import tokumei_arena
from tests.arena import world
from tests.arena.pages import (
    add_second_factor,
    check_page,
    confirm,
    inline_parts,
    keep_mail,
    links_in,
    sign_in,
    text_of,
    totp_code,
)
from tokumei_arena.models import Message, Person
from tokumei_arena.templatetags.arena import badge, figure, moment
from tokumei_arena.web import errors

pytestmark = pytest.mark.django_db
TEMPLATES = Path(tokumei_arena.__file__).parent / "templates"


@pytest.fixture(autouse=True)
def _without_mail_server(settings: LazySettings) -> None:
    keep_mail(settings)


# Pages


@pytest.mark.half_second
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
        assert moment(at) == '<time datetime="2026-11-03T14:05:00+00:00">2026-11-03 23:05:00 JST</time>'
    with timezone.override("Europe/Berlin"):
        assert ">2026-11-03 15:05:00 CET</span> <span>(23:05:00 JST)<" in moment(at)
    with timezone.override("Asia/Dubai"):
        assert ">2026-11-03 18:05:00 UTC+04</span> <span>(23:05:00 JST)<" in moment(at)
    with timezone.override("America/New_York"):
        late = at + timedelta(hours=2)
        assert ">2026-11-03 11:05:00 EST</span> <span>(2026-11-04 01:05:00 JST)<" in moment(late)
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
