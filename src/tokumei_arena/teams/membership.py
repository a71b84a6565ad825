"""Teams: made while registration is open, joined by invitation, led by captains, approved by referees."""

from __future__ import annotations

import re
import unicodedata
from datetime import timedelta
from typing import NoReturn

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from tokumei_arena import access, clock
from tokumei_arena.errors import NotAllowedError, NotNowError, RefusedError, TooManyError
from tokumei_arena.models import Contest, LogEntry, Membership, OneTimeLink, Person, Phase, Team
from tokumei_arena.records import record
from tokumei_arena.teams import rate_limits
from tokumei_arena.teams.links import make_link, use_link

Role = Membership.Role
INVITATION_LASTS = timedelta(days=7)
MOST_INVITATIONS = 30
LONGEST_NAME, LONGEST_AFFILIATION = 60, 120


def registration_open(contest: Contest) -> bool:
    """Return whether teams can be made now: the registration of some round is on, even beside another phase."""
    now = clock.now()
    on = Phase.objects.filter(round__contest=contest, kind=Phase.Kind.REGISTRATION, starts_at__lte=now)
    return on.filter(ends_at__gt=now).exists() or on.filter(ends_at=None).exists()


def tidy(text: str) -> str:
    """Return a name as it is kept: composed characters, single spaces, nothing invisible."""
    composed = unicodedata.normalize("NFC", text)
    visible = "".join(letter for letter in composed if unicodedata.category(letter) not in ("Cc", "Cf", "Co", "Cs"))
    return re.sub(r"\s+", " ", visible).strip()


def look_of(name: str) -> str:
    """Return what names that look alike share: full-width and half-width letters, upper and lower case."""
    return unicodedata.normalize("NFKC", name).casefold()


def _need_captain(team: Team, by: Person) -> None:
    """Refuse everybody but captains of this very team and referees."""
    if access.may_run(by, team.contest):
        return
    if not team.memberships.filter(person=by, role=Role.CAPTAIN).exists():
        raise NotAllowedError(_("only captains of the team may do this"), code="not-captain")


def _need_free(person: Person, contest: Contest) -> None:
    """Refuse who sees or saw too much: referees, also former ones, and members of a team since the data is out."""
    if person.is_referee or person.offices.filter(contest=contest).exists():
        raise NotAllowedError(_("referees see everything and cannot be in a team"), code="referee-in-team")
    if access.membership(person, contest) is not None:
        raise NotAllowedError(_("you are in a team of this contest already"), code="in-team")
    resigned = LogEntry.objects.filter(action="referee.end", object_id=str(person.pk), at__gte=contest.created_at)
    left = LogEntry.objects.filter(contest=contest.pk, action="office.end", detail__person=str(person.pk))
    if resigned.exists() or left.exists():
        message = _("you were a referee of this contest and could see everything, so you cannot be in a team of it")
        raise NotAllowedError(message, code="was-referee")
    opened = Phase.objects.filter(
        round__contest=contest, kind=Phase.Kind.ANONYMIZE, starts_at__lte=clock.now()
    ).order_by("starts_at")
    first = opened.first()
    if first is None:
        return
    went = LogEntry.objects.filter(
        contest=contest.pk, action__in=("team.leave", "team.remove"), at__gte=first.starts_at
    )
    if went.filter(detail__person=str(person.pk)).exists():
        message = _("you left a team after the data was handed out, so you cannot join another one in this contest")
        raise NotAllowedError(message, code="was-in-team")


def _refuse_long(name: str, affiliation: str) -> None:
    """Refuse texts that do not fit: not every database does so by itself."""
    if len(name) > LONGEST_NAME:
        message = _("the name is longer than %(limit)d characters; shorten it") % {"limit": LONGEST_NAME}
        raise RefusedError(message, code="long-name")
    if len(affiliation) > LONGEST_AFFILIATION:
        message = _("the affiliation is longer than %(limit)d characters; shorten it") % {"limit": LONGEST_AFFILIATION}
        raise RefusedError(message, code="long-affiliation")


def _need_free_name(contest: Contest, name: str, *, apart_from: Team | None = None) -> None:
    if not name:
        raise RefusedError(_("give the team a name"), code="no-name")
    others = Team.objects.filter(contest=contest)
    if apart_from is not None:
        others = others.exclude(pk=apart_from.pk)
    # Compared in Python: databases do not agree on what upper and lower case are outside ASCII.
    if look_of(name) in {look_of(other) for other in others.values_list("name", flat=True)}:
        _refuse_name()


def _refuse_name() -> NoReturn:
    raise RefusedError(_("another team has this name; choose a different one"), code="name-taken")


def create_team(
    person: Person, contest: Contest, *, name: str, affiliation: str = "", terms_accepted: bool = False
) -> Team:
    """Make a team with the person as its captain."""
    _need_free(person, contest)
    if not registration_open(contest):
        raise NotNowError(_("teams can be made only while registration is open"), code="registration-closed")
    if not terms_accepted and contest.terms:
        raise RefusedError(_("accept the terms of this contest first"), code="terms-not-accepted")
    name, affiliation = tidy(name), tidy(affiliation)
    _refuse_long(name, affiliation)
    try:
        with transaction.atomic():
            # Numbers are given one after the other.
            Contest.objects.select_for_update().get(pk=contest.pk)
            _need_free_name(contest, name)
            last = contest.teams.aggregate(last=Max("number"))["last"] or 0
            now = clock.now()
            approved = None if contest.needs_approval else now
            team = Team.objects.create(
                contest=contest, name=name, affiliation=affiliation, number=last + 1, approved_at=approved
            )
            _add_member(team, person, Role.CAPTAIN, accepts=True)
            record("team.make", team, actor=person, number=team.number)
    except IntegrityError:
        # Somebody else took the name, or the same person sent the form twice.
        _need_free(person, contest)
        _refuse_name()
    return team


def _add_member(team: Team, person: Person, role: str, *, accepts: bool) -> Membership:
    accepted = clock.now() if accepts or not team.contest.terms else None
    return Membership.objects.create(
        contest=team.contest, team=team, person=person, role=role, terms_accepted_at=accepted
    )


def edit_team(team: Team, *, by: Person, name: str, affiliation: str) -> None:
    """Change name and affiliation; the name only while registration is open, because boards show it later."""
    _need_captain(team, by)
    name, affiliation = tidy(name), tidy(affiliation)
    _refuse_long(name, affiliation)
    if name != team.name and not (registration_open(team.contest) or access.may_run(by, team.contest)):
        raise NotNowError(_("the name can be changed only while registration is open"), code="registration-closed")
    try:
        with transaction.atomic():
            _need_free_name(team.contest, name, apart_from=team)
            team.name, team.affiliation = name, affiliation
            team.save(update_fields=["name", "affiliation"])
            record("team.edit", team, actor=by)
    except IntegrityError:
        _refuse_name()


def open_invitations(team: Team) -> list[OneTimeLink]:
    """Return the invitations that can still be accepted."""
    return list(team.invitations.filter(used_at=None, expires_at__gt=clock.now()).order_by("created_at"))


def invite(team: Team, by: Person, role: str = Role.MEMBER, email: str = "") -> str:
    """Return the token of a link with which one person can join."""
    _need_captain(team, by)
    if role not in Role.values:
        raise RefusedError(_("choose the role of the new member"), code="bad-role")
    if email:
        _refuse_bad_address(email)
        # Invitations can be withdrawn and made again; mail that was sent cannot.
        limit = settings.ARENA_LIMITS["invitations_per_hour"]
        rate_limits.spend("invite", by.pk, limit=limit, seconds=rate_limits.HOUR)
    with transaction.atomic():
        locked = Team.objects.select_for_update().get(pk=team.pk)
        _need_room(locked)
        if len(open_invitations(locked)) >= MOST_INVITATIONS:
            message = _("there are %(count)d open invitations; withdraw one first") % {"count": MOST_INVITATIONS}
            raise TooManyError(message, code="too-many-invitations")
        link, token = make_link(
            OneTimeLink.Purpose.TEAM, lasts=INVITATION_LASTS, by=by, team=locked, role=role, email=email
        )
        record("team.invite", team, actor=by, link=str(link.pk), role=role)
    return token


def _refuse_bad_address(email: str) -> None:
    try:
        validate_email(email)
    except ValidationError:
        raise RefusedError(_("write a complete e-mail address"), code="bad-address") from None


def _need_room(team: Team) -> None:
    if team.memberships.count() >= team.contest.team_size:
        message = _("the team is full (largest team: %(size)d)") % {"size": team.contest.team_size}
        raise TooManyError(message, code="team-full")


def revoke_invitation(link: OneTimeLink, *, by: Person) -> None:
    """Make an invitation useless."""
    if link.team is None:
        raise RefusedError(_("this link is no invitation"), code="no-invitation")
    _need_captain(link.team, by)
    with transaction.atomic():
        record("team.uninvite", link.team, actor=by, link=str(link.pk))
        link.delete()


def accept_invitation(token: str, person: Person, *, terms_accepted: bool = False) -> Membership:
    """Put the person into the team that invited them; the link is used up only if that works."""
    try:
        with transaction.atomic():
            return _joined(token, person, terms_accepted=terms_accepted)
    except IntegrityError:
        # The same person joined another team at the same moment.
        raise NotAllowedError(_("you are in a team of this contest already"), code="in-team") from None


def _joined(token: str, person: Person, *, terms_accepted: bool) -> Membership:
    link = use_link(token, OneTimeLink.Purpose.TEAM)
    if link.team is None:
        raise RefusedError(_("the team that invited you is gone"), code="team-gone")
    team = Team.objects.select_for_update().get(pk=link.team.pk)
    _need_free(person, team.contest)
    _need_room(team)
    membership = _add_member(team, person, link.role, accepts=terms_accepted)
    record("team.join", team, actor=person, person=str(person.pk), role=link.role, link=str(link.pk))
    return membership


def accept_terms(person: Person, contest: Contest) -> None:
    """Note that the person accepts the terms of the contest."""
    membership = access.membership(person, contest)
    if membership is None:
        raise NotAllowedError(_("you are in no team of this contest"), code="no-team")
    if membership.terms_accepted_at is not None:
        return
    with transaction.atomic():
        membership.terms_accepted_at = clock.now()
        membership.save(update_fields=["terms_accepted_at"])
        record("team.terms", membership.team, actor=person)


def _is_last_captain(membership: Membership) -> bool:
    others = Membership.objects.filter(team=membership.team_id, role=Role.CAPTAIN).exclude(pk=membership.pk)
    return membership.role == Role.CAPTAIN and not others.exists()


def _refuse_last_captain(membership: Membership) -> None:
    if _is_last_captain(membership):
        raise RefusedError(_("a team needs a captain: make somebody else captain first"), code="last-captain")


def change_role(membership: Membership, role: str, *, by: Person) -> None:
    """Give a member another role; a team keeps at least one captain."""
    _need_captain(membership.team, by)
    if role not in Role.values:
        raise RefusedError(_("choose the role of the member"), code="bad-role")
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=membership.team_id)
        if role != Role.CAPTAIN:
            _refuse_last_captain(membership)
        before, membership.role = membership.role, role
        membership.save(update_fields=["role"])
        record("team.role", team, actor=by, person=str(membership.person_id), before=before, after=role)


def leave_team(membership: Membership) -> None:
    """Take the person out of the team; a team that nobody is left in and that handed in nothing is dissolved."""
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=membership.team_id)
        alone = team.memberships.count() == 1
        if not (alone and not team.submissions.exists()):
            _refuse_last_captain(membership)
        person = membership.person
        membership.delete()
        record("team.leave", team, actor=person, person=str(person.pk))
        if alone and not team.submissions.exists():
            record("team.dissolve", team, actor=person)
            team.delete()


def remove_member(membership: Membership, *, by: Person) -> None:
    """Take somebody else out of the team."""
    _need_captain(membership.team, by)
    with transaction.atomic():
        team = Team.objects.select_for_update().get(pk=membership.team_id)
        _refuse_last_captain(membership)
        person = str(membership.person_id)
        membership.delete()
        record("team.remove", team, actor=by, person=person)


def hand_over(membership: Membership) -> None:
    """Make the member who joined first captain if this captain is the last one; advisers come after members."""
    if not _is_last_captain(membership):
        return
    others = Membership.objects.filter(team=membership.team_id).exclude(pk=membership.pk)
    heirs = sorted(others, key=lambda other: (other.role == Role.ADVISER, other.created_at))
    if heirs:
        heirs[0].role = Role.CAPTAIN
        heirs[0].save(update_fields=["role"])
        team, person = membership.team, str(heirs[0].person_id)
        record("team.hand-over", team, person=person)


def approve(team: Team, by: Person) -> None:
    """Let a team take part."""
    access.need_referee(by, team.contest)
    if team.approved_at is not None:
        return
    with transaction.atomic():
        team.approved_at = clock.now()
        team.save(update_fields=["approved_at"])
        record("team.approve", team, actor=by)


def disqualify(team: Team, by: Person, reason: str) -> None:
    """Take a team out of the ranking, with the reason it reads on its page."""
    access.need_referee(by, team.contest)
    told = access.need_reason(reason)
    with transaction.atomic():
        team.disqualified_at, team.disqualified_for = clock.now(), told
        team.save(update_fields=["disqualified_at", "disqualified_for"])
        record("team.disqualify", team, actor=by, reason=told)


def reinstate(team: Team, by: Person, reason: str) -> None:
    """Take a disqualification back."""
    access.need_referee(by, team.contest)
    told = access.need_reason(reason)
    with transaction.atomic():
        team.disqualified_at, team.disqualified_for = None, ""
        team.save(update_fields=["disqualified_at", "disqualified_for"])
        record("team.reinstate", team, actor=by, reason=told)
