"""The end of an account: everything about the person goes, what the team handed in stays.

The row of the person stays without name and address, because submissions and the log refer to its id; nothing leads
from the id to the person any more, and the chain of the log still holds.
"""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from tokumei_arena import clock
from tokumei_arena.errors import NotAllowedError, RefusedError
from tokumei_arena.models import Message, OneTimeLink, Person
from tokumei_arena.records import record
from tokumei_arena.teams.membership import hand_over

NO_NAME = "–"


def erase_person(person: Person, *, by: Person | None = None) -> None:
    """Remove all personal data of an account for good; ``by``: the person, a referee, or nobody (the command line)."""
    if by is not None and by.pk != person.pk and not (by.is_referee and by.is_active):
        raise NotAllowedError(_("only the person or a referee may do this"), code="not-referee")
    with transaction.atomic():
        keep_a_referee(person)
        person = Person.objects.select_for_update().get(pk=person.pk)
        if person.erased_at is not None:
            raise RefusedError(_("this account is erased already"), code="erased")
        for membership in person.memberships.select_related("team"):
            hand_over(membership)
            membership.delete()
        _forget_traces(person)
        _forget_row(person)
        record("person.erase", person, actor=by)
    _end_sessions(person)


def keep_a_referee(person: Person) -> None:
    """Refuse to let the last referee go; call it first in the transaction, so that of two who go at once one waits."""
    referees = Person.objects.select_for_update().filter(is_referee=True, is_active=True).order_by("pk")
    if [one.pk for one in referees] == [person.pk]:
        raise RefusedError(_("this is the last referee; make another one first"), code="last-referee")


def _forget_traces(person: Person) -> None:
    addresses = {person.email, *EmailAddress.objects.filter(user=person).values_list("email", flat=True)}
    is_theirs = Q()
    for address in addresses:
        is_theirs |= Q(to__iexact=address)
    Message.objects.filter(is_theirs).delete()
    for address in addresses:
        OneTimeLink.objects.filter(email__iexact=address).update(email="")
    EmailAddress.objects.filter(user=person).delete()
    Authenticator.objects.filter(user=person).delete()
    person.tokens.all().delete()
    person.offices.all().delete()


def _forget_row(person: Person) -> None:
    person.email = f"{person.pk}@erased.invalid"
    person.name = NO_NAME
    person.language = person.time_zone = ""
    person.is_active = person.is_referee = False
    person.last_login = None
    person.erased_at = clock.now()
    person.set_unusable_password()
    person.save()


def _end_sessions(person: Person) -> None:
    """Delete the sessions of the person: they hold the address. Sessions are opaque, so all are looked into."""
    for session in Session.objects.iterator():
        if session.get_decoded().get("_auth_user_id") == str(person.pk):
            session.delete()
