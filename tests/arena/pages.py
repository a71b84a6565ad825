"""What every page must hold, and how tests sign in."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import struct
import time
from html.parser import HTMLParser
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import LazySettings
from django.core.cache import cache
from django.test import Client

from tests.arena import world
from tokumei_arena.models import Person
from tokumei_pages.middleware import POLICY

__all__ = [
    "add_second_factor",
    "check_page",
    "confirm",
    "inline_parts",
    "keep_mail",
    "links_in",
    "sign_in",
    "text_of",
    "totp_code",
]


class _Inline(HTMLParser):
    """Collects what the content security policy would block."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name: value or "" for name, value in attrs}
        if (tag == "script" and not names.get("src", "").startswith("/static/")) or tag == "style":
            self.found.append(tag)
        self.found += [name for name in names if name == "style" or name.startswith("on")]
        self.found += [name for name, value in names.items() if value.strip().lower().startswith("javascript:")]


def inline_parts(html: str) -> list[str]:
    """Return the inline scripts, styles and handlers of a page: there must be none."""
    parser = _Inline()
    parser.feed(html)
    return parser.found


def check_page(response: Any, status: int = 200) -> str:
    """Check the headers and the cleanliness of a page; return its HTML."""
    assert response.status_code == status
    assert response["Content-Security-Policy"] == POLICY
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["X-Frame-Options"] == "DENY"
    html: str = response.content.decode()
    assert inline_parts(html) == []
    assert html.count("<h1>") == 1
    return html


def text_of(html: str) -> str:
    """Return the words of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def links_in(text: str) -> list[str]:
    """Return the paths of the links in a mail."""
    return re.findall(r"https?://[^/\s]+(/\S+)", text)


def sign_in(client: Client, person: Person) -> None:
    """Sign in through the page, as people do."""
    response = client.post("/accounts/login/", {"login": person.email, "password": world.PASSWORD})
    assert response.status_code == 302, response.content.decode()


def confirm(client: Client) -> None:
    """Write the password again, as important pages ask."""
    assert client.post("/accounts/reauthenticate/", {"password": world.PASSWORD}).status_code == 302


def totp_code(secret: str, *, at: float | None = None) -> str:
    """Return the code an authenticator app shows (RFC 6238 with SHA-1, 30 seconds, 6 digits)."""
    counter = struct.pack(">Q", int((time.time() if at is None else at) // 30))
    digest = hmac.new(base64.b32decode(secret), counter, hashlib.sha1).digest()
    start = digest[-1] & 15
    number = struct.unpack(">I", digest[start : start + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06d}"


def add_second_factor(person: Person) -> str:
    """Give a person an authenticator app; return its secret."""
    secret = base64.b32encode(b"twenty bytes of key!").decode()
    Authenticator.objects.create(user=person, type=Authenticator.Type.TOTP, data={"secret": secret})
    return secret


def keep_mail(settings: LazySettings) -> None:
    """Keep mails for the desk (the test runner would catch them), and let no try of another test count."""
    settings.EMAIL_BACKEND = "tokumei_arena.teams.mail.DeskBackend"
    cache.clear()
