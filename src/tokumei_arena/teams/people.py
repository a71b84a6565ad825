"""Referees: made by links that work once, signed in with a second factor, never the last one to go."""

from __future__ import annotations

from datetime import timedelta

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from tokumei_arena import access
from tokumei_arena.errors import NotAllowedError, RefusedError
from tokumei_arena.models import Membership, OneTimeLink, Person
from tokumei_arena.records import record
from tokumei_arena.teams.erasure import keep_a_referee
from tokumei_arena.teams.links import find_link, make_link, use_link

REFEREE_LINK_LASTS = timedelta(days=1)
SECOND_FACTORS = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]


def has_second_factor(person: Person) -> bool:
    """Return whether the person signs in with more than a password; recovery codes alone do not count."""
    return bool(is_mfa_enabled(person, SECOND_FACTORS))


def make_referee_link(by: Person | None = None, *, lasts: timedelta = REFEREE_LINK_LASTS) -> str:
    """Return the token of a link with which somebody becomes a referee, once."""
    if by is not None and not access.is_referee(by):
        raise NotAllowedError(_("only referees invite referees"), code="not-referee")
    with transaction.atomic():
        link, token = make_link(OneTimeLink.Purpose.REFEREE, lasts=lasts, by=by)
        record("referee.invite", link, actor=by)
    return token


def referee_link(token: str) -> OneTimeLink:
    """Return the link if it can be used; otherwise say why not."""
    return find_link(token, OneTimeLink.Purpose.REFEREE)


def become_referee(token: str, *, email: str, name: str, password: str) -> Person:
    """Use the link up to make a new account that is a referee's; its address needs no verification."""
    address = email.strip().lower()
    try:
        validate_email(address)
    except ValidationError:
        raise RefusedError(_("write a complete e-mail address"), code="bad-address") from None
    try:
        with transaction.atomic():
            link = use_link(token, OneTimeLink.Purpose.REFEREE)
            person = Person.objects.create_user(address, password, name=name.strip(), is_referee=True)
            EmailAddress.objects.create(user=person, email=address, verified=True, primary=True)
            record("referee.begin", person, actor=person, link=str(link.pk))
    except IntegrityError:
        message = _("there is an account with this address: sign in with it, then open this link again")
        raise RefusedError(message, code="address-taken") from None
    return person


def make_referee(token: str, person: Person) -> None:
    """Use the link up to make the owner of an account a referee; who plays in a team cannot be one."""
    if Membership.objects.filter(person=person).exists():
        message = _("you are in a team: referees see everything, so leave it first or use another account")
        raise NotAllowedError(message, code="referee-in-team")
    with transaction.atomic():
        link = use_link(token, OneTimeLink.Purpose.REFEREE)
        person.is_referee = True
        person.save(update_fields=["is_referee"])
        record("referee.begin", person, actor=person, link=str(link.pk))


def resign_as_referee(person: Person, *, by: Person) -> None:
    """Take the rights of a referee away; the last referee keeps them."""
    access.need_referee(by)
    with transaction.atomic():
        keep_a_referee(person)
        person.is_referee = False
        person.save(update_fields=["is_referee"])
        record("referee.end", person, actor=by)
