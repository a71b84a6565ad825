"""Offices of a contest: owners give them by links that work once; who plays in a team can have none."""

from __future__ import annotations

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from tokumei_arena import access
from tokumei_arena.errors import NotAllowedError, RefusedError
from tokumei_arena.models import Contest, Membership, Office, OneTimeLink, Person
from tokumei_arena.records import record
from tokumei_arena.teams.links import find_link, make_link, use_link

OFFICE_LINK_LASTS = timedelta(days=7)


def _need_role(role: str) -> None:
    if role not in Office.Role.values:
        raise RefusedError(_("choose owner, referee or observer"), code="bad-role")


def offer_office(contest: Contest, role: str, *, by: Person) -> str:
    """Return the token of a link with which somebody takes an office in a contest, once."""
    access.need_owner(by, contest)
    _need_role(role)
    with transaction.atomic():
        link, token = make_link(OneTimeLink.Purpose.OFFICE, lasts=OFFICE_LINK_LASTS, by=by, contest=contest, role=role)
        record("office.offer", link, actor=by, role=role)
    return token


def office_link(token: str) -> OneTimeLink:
    """Return the link if it can be used; otherwise say why not."""
    return find_link(token, OneTimeLink.Purpose.OFFICE)


def take_office(token: str, person: Person) -> Office:
    """Use the link up to give the person the office; the link is kept if that cannot be."""
    _need_free(office_link(token).contest, person)
    with transaction.atomic():
        link = use_link(token, OneTimeLink.Purpose.OFFICE)
        contest = _need_free(link.contest, person)
        try:
            with transaction.atomic():
                made = Office.objects.create(contest=contest, person=person, role=link.role)
        except IntegrityError:
            raise _in_office() from None
        record("office.begin", made, actor=person, person=str(person.pk), role=made.role, link=str(link.pk))
    person.known_offices = None
    return made


def _need_free(contest: Contest | None, person: Person) -> Contest:
    """Return the contest if the person can have an office in it."""
    if contest is None:
        raise RefusedError(_("the contest of this link is gone"), code="contest-gone")
    if person.is_referee:
        raise RefusedError(_("you are a referee of the arena and own every contest"), code="arena-referee")
    if Membership.objects.filter(contest=contest, person=person).exists():
        message = _("you are in a team: officials see everything, so leave it first or use another account")
        raise NotAllowedError(message, code="referee-in-team")
    if person.offices.filter(contest=contest).exists():
        raise _in_office()
    return contest


def _in_office() -> RefusedError:
    return RefusedError(_("you have an office in this contest already"), code="in-office")


def change_office(office: Office, role: str, *, by: Person) -> None:
    """Give an official another role."""
    access.need_owner(by, office.contest)
    _need_role(role)
    with transaction.atomic():
        before, office.role = office.role, role
        office.save(update_fields=["role"])
        record("office.change", office, actor=by, person=str(office.person_id), before=before, after=role)
    by.known_offices = None


def end_office(office: Office, *, by: Person) -> None:
    """Take an office away, or lay one's own down."""
    if office.person_id != by.pk:
        access.need_owner(by, office.contest)
    with transaction.atomic():
        record("office.end", office, actor=by, person=str(office.person_id), role=office.role)
        office.delete()
    by.known_offices = None
