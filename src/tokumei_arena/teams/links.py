"""Links that work once and tokens of programs: each is told once, and only a hash of it is kept."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import timedelta

from django.db import models, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tokumei_arena import access, clock
from tokumei_arena.errors import NotAllowedError, RefusedError, TooManyError
from tokumei_arena.models import ApiToken, Contest, OneTimeLink, Person, Team
from tokumei_arena.records import record


def hash_token(token: str) -> str:
    """Return what is kept of a token; tokens are long and random, so that a plain hash is enough."""
    return hashlib.sha256(token.encode()).hexdigest()


def make_link(
    purpose: OneTimeLink.Purpose,
    *,
    lasts: timedelta,
    by: Person | None = None,
    team: Team | None = None,
    contest: Contest | None = None,
    role: str = "",
    email: str = "",
) -> tuple[OneTimeLink, str]:
    """Return a new link and its token, which is told once."""
    token = secrets.token_urlsafe(32)
    link = OneTimeLink.objects.create(
        purpose=purpose,
        token_hash=hash_token(token),
        team=team,
        contest=contest,
        role=role,
        email=email,
        made_by=by,
        expires_at=clock.now() + lasts,
    )
    return link, token


def find_link(token: str, purpose: OneTimeLink.Purpose) -> OneTimeLink:
    """Return the link of a token if it can still be used; otherwise say why not."""
    found = OneTimeLink.objects.filter(token_hash=hash_token(token), purpose=purpose).select_related(
        "team__contest", "contest"
    )
    link = found.first()
    if link is None:
        raise RefusedError(
            _("this link is not known; copy the whole address, or ask for a new one"), code="link-unknown"
        )
    if link.used_at is not None:
        raise RefusedError(_("this link was used before; ask for a new one"), code="link-used")
    if link.expires_at <= clock.now():
        raise RefusedError(_("this link has expired; ask for a new one"), code="link-expired")
    return link


def use_link(token: str, purpose: OneTimeLink.Purpose) -> OneTimeLink:
    """Use a link up and return it; of two that use it at once, one is refused."""
    link = find_link(token, purpose)
    # One statement decides, on every database.
    if not OneTimeLink.objects.filter(pk=link.pk, used_at=None).update(used_at=clock.now()):
        raise RefusedError(_("this link was used before; ask for a new one"), code="link-used")
    return link


# Lets scanners of leaked secrets, and people, see what it is.
PREFIX = "tokumei_"
MOST_TOKENS = 20
LONGEST = timedelta(days=366)


class Scope(models.TextChoices):
    """What a token may do."""

    READ = "read", gettext_lazy("read: contests, data, own submissions, boards")
    SUBMIT = "submit", gettext_lazy("submit: hand in anonymized data")
    ATTACK = "attack", gettext_lazy("attack: hand in guesses")
    REFEREE = "referee", gettext_lazy("referee: everything the referee desk can do")


def make_token(person: Person, *, name: str, scopes: Iterable[str], lasts: timedelta) -> tuple[ApiToken, str]:
    """Return a new token and its text, which is told once."""
    asked = {Scope(scope).value for scope in scopes}
    wanted = [scope for scope in Scope.values if scope in asked]
    if not wanted:
        raise RefusedError(_("choose at least one thing the token may do"), code="no-scope")
    if Scope.REFEREE in wanted and not access.has_office(person):
        raise NotAllowedError(_("only referees make tokens for the referee desk"), code="not-referee")
    if not timedelta(0) < lasts <= LONGEST:
        raise RefusedError(_("a token lasts between one day and one year"), code="bad-time")
    with transaction.atomic():
        # Tokens of one person are made one after the other, so that the limit holds.
        Person.objects.select_for_update().get(pk=person.pk)
        if person.tokens.count() >= MOST_TOKENS:
            message = _("you have %(count)d tokens; revoke one you no longer need") % {"count": MOST_TOKENS}
            raise TooManyError(message, code="too-many-tokens")
        text = PREFIX + secrets.token_urlsafe(32)
        token = ApiToken.objects.create(
            person=person,
            name=name.strip() or _("unnamed"),
            token_hash=hash_token(text),
            hint=text[-4:],
            scopes=wanted,
            expires_at=clock.now() + lasts,
        )
        record("token.make", token, actor=person, scopes=wanted)
    return token, text


def find_token(text: str) -> ApiToken | None:
    """Return the token of a program, with its person, unless it is unknown, expired or its account is closed."""
    found = ApiToken.objects.filter(token_hash=hash_token(text)).select_related("person").first()
    if found is None or not found.person.is_active:
        return None
    return None if found.expires_at is not None and found.expires_at <= clock.now() else found


def revoke_token(token: ApiToken, *, by: Person) -> None:
    """Make a token useless at once."""
    with transaction.atomic():
        record("token.revoke", token, actor=by)
        token.delete()
