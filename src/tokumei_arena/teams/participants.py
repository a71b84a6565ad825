"""Participants by CSV: a list of teams and addresses is checked as a whole, then everybody in it is invited.

The first line names the columns: ``team`` and ``email``, if wanted ``role`` and ``affiliation``. All faults are told
together, and a list with faults changes nothing. Who is in the named team already, or invited to it, is left alone, so
that a longer list can be sent again.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Max
from django.utils import translation
from django.utils.translation import gettext as _

from tokumei_arena import access, clock
from tokumei_arena.errors import RefusedError
from tokumei_arena.models import Contest, Membership, OneTimeLink, Person, Team
from tokumei_arena.records import record
from tokumei_arena.teams.links import make_link
from tokumei_arena.teams.mail import send_invitation
from tokumei_arena.teams.membership import INVITATION_LASTS, LONGEST_AFFILIATION, LONGEST_NAME, look_of, tidy

Role = Membership.Role
NEEDED, OPTIONAL = ("team", "email"), ("role", "affiliation")
LARGEST_LIST, MOST_LINES = 1_000_000, 2_000


@dataclass(frozen=True)
class Fault:
    """What is wrong in a line of the list."""

    line: int
    text: str


class ListRefusedError(RefusedError):
    """A list of participants with faults, all of them."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(_("the list has faults; nothing was changed"), code="bad-list")
        self.faults = faults


@dataclass(frozen=True)
class Line:
    """Somebody to invite."""

    number: int
    team: str
    email: str
    role: str
    affiliation: str


@dataclass
class Invited:
    """What came of a list: how many teams are new, who was invited, and how many were known already."""

    teams: int = 0
    invited: list[tuple[str, str]] = field(default_factory=list)
    known: int = 0


def check_list(contest: Contest, data: bytes) -> list[Line]:
    """Return the lines of a list in which nothing is wrong; otherwise raise all faults together."""
    found, faults = _read(data)
    faults += _faults_of_lines(contest, found)
    if faults:
        raise ListRefusedError(sorted(faults, key=lambda fault: fault.line))
    return found


def invite_list(contest: Contest, data: bytes, *, by: Person, address_of: Callable[[str], str]) -> Invited:
    """Make the teams of a list that there are not yet, and invite everybody who is not in them; all of it or nothing.

    ``address_of`` gives the address of the page where the token of an invitation is accepted.
    """
    access.need_referee(by, contest)
    done, mails = Invited(), []
    with transaction.atomic():
        # Numbers of teams are given one after the other, and nobody joins meanwhile.
        Contest.objects.select_for_update().get(pk=contest.pk)
        teams = {look_of(team.name): team for team in contest.teams.all()}
        for line in check_list(contest, data):
            team = teams.get(look_of(line.team))
            if team is None:
                team = teams[look_of(line.team)] = _make_team(contest, line, by)
                done.teams += 1
            if _is_known(team, line.email):
                done.known += 1
                continue
            link, token = make_link(
                OneTimeLink.Purpose.TEAM, lasts=INVITATION_LASTS, by=by, team=team, role=line.role, email=line.email
            )
            record("team.invite", team, actor=by, link=str(link.pk), role=line.role)
            done.invited.append((line.email, team.name))
            mails.append((team, line.email, address_of(token)))
        record("participants.invite", contest, actor=by, teams=done.teams, people=len(mails), known=done.known)
        for team, email, address in mails:
            send_invitation(team, email, address)
    return done


def _make_team(contest: Contest, line: Line, by: Person) -> Team:
    last = contest.teams.aggregate(last=Max("number"))["last"] or 0
    made = Team.objects.create(
        contest=contest, name=line.team, affiliation=line.affiliation, number=last + 1, approved_at=clock.now()
    )
    record("team.make", made, actor=by, number=made.number)
    return made


def _is_known(team: Team, email: str) -> bool:
    """Return whether somebody is in the team, or can still accept an invitation to it."""
    if team.memberships.filter(person__email__iexact=email).exists():
        return True
    return team.invitations.filter(email__iexact=email, used_at=None, expires_at__gt=clock.now()).exists()


def _text(data: bytes) -> str:
    if len(data) > LARGEST_LIST:
        raise RefusedError(_("the list is too long; send it in parts"), code="large-list")
    for encoding in ("utf-8-sig", "cp932"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise RefusedError(_("the list is neither UTF-8 nor Shift_JIS; save it as UTF-8"), code="bad-encoding")


def _read(data: bytes) -> tuple[list[Line], list[Fault]]:
    """Return the lines of a list, and what is wrong with its form."""
    rows = csv.reader(io.StringIO(_text(data), newline=""), strict=True)
    try:
        head = [name.strip().lower() for name in next(rows, [])]
        listed = [(rows.line_num, row) for row in rows if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise ListRefusedError([Fault(rows.line_num, _("the line is no CSV: %(why)s") % {"why": error})]) from None
    faults = list(_faults_of_head(head))
    if faults:
        return [], faults
    if len(listed) > MOST_LINES or not listed:
        text = (
            _("the list has no lines") if not listed else _("the list has more than %(most)d lines; send it in parts")
        )
        return [], [Fault(2, text % {"most": MOST_LINES} if listed else text)]
    found, roles = [], _roles()
    for number, row in listed:
        if len(row) > len(head):
            faults.append(Fault(number, _("the line has more cells than the first one")))
            continue
        cells = dict(zip(head, (tidy(cell) for cell in row), strict=False))
        role = cells.get("role", "").casefold()
        if role and role not in roles:
            known = ", ".join(Role.values)
            faults.append(
                Fault(number, _("there is no role “%(role)s”; write %(known)s") % {"role": role, "known": known})
            )
        found.append(
            Line(
                number,
                cells.get("team", ""),
                cells.get("email", "").lower(),
                roles.get(role, Role.MEMBER.value),
                cells.get("affiliation", ""),
            )
        )
    return found, faults


def _faults_of_head(head: list[str]) -> Iterator[Fault]:
    for name in NEEDED:
        if name not in head:
            yield Fault(1, _("the first line names no column “%(name)s”") % {"name": name})
    for name in head:
        if name not in (*NEEDED, *OPTIONAL):
            known = ", ".join((*NEEDED, *OPTIONAL))
            yield Fault(
                1, _("there is no column “%(name)s”; there are %(known)s") % {"name": name[:40], "known": known}
            )
    if len(set(head)) < len(head):
        yield Fault(1, _("a column is named twice"))


def _roles() -> dict[str, str]:
    """Return the roles by every word for them, in both languages."""
    words = {role.value: role.value for role in Role}
    for language in ("en", "ja"):
        with translation.override(language):
            words |= {str(role.label).casefold(): role.value for role in Role}
    return words


def _faults_of_lines(contest: Contest, lines: list[Line]) -> list[Fault]:
    """Return what is wrong with single lines, with lines together, and with lines beside what there is already."""
    faults: list[Fault] = []
    seen: dict[str, int] = {}
    spelled: dict[str, Line] = {}
    for line in lines:
        faults += [Fault(line.number, text) for text in _faults_of_line(contest, line)]
        if line.email in seen and line.email:
            text = _("the address stands in line %(line)d too") % {"line": seen[line.email]}
            faults.append(Fault(line.number, text))
        seen.setdefault(line.email, line.number)
        first = spelled.setdefault(look_of(line.team), line)
        if first.team != line.team:
            text = _("the team looks like “%(other)s” of line %(line)d; write both alike")
            faults.append(Fault(line.number, text % {"other": first.team, "line": first.number}))
    return faults + list(_faults_of_teams(contest, lines))


def _faults_of_line(contest: Contest, line: Line) -> Iterator[str]:
    if not line.team:
        yield _("the team is missing")
    if len(line.team) > LONGEST_NAME:
        yield _("the name is longer than %(limit)d characters; shorten it") % {"limit": LONGEST_NAME}
    if len(line.affiliation) > LONGEST_AFFILIATION:
        yield _("the affiliation is longer than %(limit)d characters; shorten it") % {"limit": LONGEST_AFFILIATION}
    try:
        validate_email(line.email)
    except ValidationError:
        yield _("“%(text)s” is no complete e-mail address") % {"text": line.email[:60]}
        return
    person = Person.objects.filter(email__iexact=line.email).first()
    if person is None:
        return
    if person.is_referee or person.offices.filter(contest=contest).exists():
        yield _("%(email)s is an official of this contest") % {"email": line.email}
    found = access.membership(person, contest)
    if found is not None and look_of(found.team.name) != look_of(line.team):
        yield _("%(email)s is in the team “%(team)s” already") % {"email": line.email, "team": found.team.name}


def _faults_of_teams(contest: Contest, lines: list[Line]) -> Iterator[Fault]:
    """Yield teams that would be too large, or have nobody to lead them."""
    known = {look_of(team.name): team for team in contest.teams.prefetch_related("memberships__person")}
    wanted: dict[str, list[Line]] = {}
    for line in lines:
        if line.team:
            wanted.setdefault(look_of(line.team), []).append(line)
    for look, members in wanted.items():
        first, team = members[0], known.get(look)
        there = set() if team is None else {one.person.email.lower() for one in team.memberships.all()}
        size = len(there | {line.email for line in members})
        if size > contest.team_size:
            text = _("the team “%(team)s” would have %(size)d members; at most %(most)d are allowed")
            words = {"team": first.team, "size": size, "most": contest.team_size}
            yield Fault(first.number, text % words)
        if team is None and not any(line.role == Role.CAPTAIN for line in members):
            yield Fault(first.number, _("the team “%(team)s” has no captain") % {"team": first.team})
