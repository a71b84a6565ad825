"""Operations of teams: create, invite, join, accept the terms."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from ninja import Schema, Status

from tokumei_arena import access, teams
from tokumei_arena.addresses import contest_of
from tokumei_arena.api import schemas, show
from tokumei_arena.api.auth import READ, SUBMIT, caller
from tokumei_arena.api.router import operations
from tokumei_arena.models import Contest, Membership
from tokumei_arena.teams import accept_invitation

get, post = operations("teams")
TEAM = "/contests/{slug}/team"


class TeamIn(Schema):
    """A new team; its maker is the captain."""

    name: str
    affiliation: str = ""
    accept_terms: bool = False


class InvitationIn(Schema):
    """An invitation for one person."""

    role: str = Membership.Role.MEMBER.value
    email: str = ""


class InvitationOut(Schema):
    """The token with which one person joins; it is told once."""

    token: str


class JoinIn(Schema):
    """An invitation that is accepted."""

    token: str
    accept_terms: bool = False


def _own(request: HttpRequest, contest: Contest) -> Membership:
    found = access.membership(caller(request), contest)
    if found is None:
        raise Http404
    return found


@post("/contests/{slug}/teams", auth=SUBMIT, response={201: schemas.MembershipOut})
def create_team(request: HttpRequest, slug: str, body: TeamIn) -> Status[schemas.MembershipOut]:
    """Create a team with the caller as its captain."""
    contest = contest_of(request, slug)
    teams.create_team(
        caller(request), contest, name=body.name, affiliation=body.affiliation, terms_accepted=body.accept_terms
    )
    return Status(201, show.membership_document(_own(request, contest)))


@get(TEAM, auth=READ, response=schemas.MembershipOut)
def team(request: HttpRequest, slug: str) -> schemas.MembershipOut:
    """Return the caller's team."""
    return show.membership_document(_own(request, contest_of(request, slug)))


@post(TEAM + "/invitations", auth=SUBMIT, response={201: InvitationOut})
def invite(request: HttpRequest, slug: str, body: InvitationIn) -> Status[InvitationOut]:
    """Invite one person to the caller's team."""
    found = _own(request, contest_of(request, slug))
    return Status(201, InvitationOut(token=teams.invite(found.team, caller(request), body.role, body.email)))


@post("/join", auth=SUBMIT, response={201: schemas.MembershipOut})
def join(request: HttpRequest, body: JoinIn) -> Status[schemas.MembershipOut]:
    """Join the team that made this invitation."""
    found = accept_invitation(body.token, caller(request), terms_accepted=body.accept_terms)
    return Status(201, show.membership_document(found))


@post("/contests/{slug}/terms", auth=SUBMIT, response=schemas.MembershipOut)
def accept_terms(request: HttpRequest, slug: str) -> schemas.MembershipOut:
    """Accept the terms of a contest."""
    contest = contest_of(request, slug)
    teams.accept_terms(caller(request), contest)
    return show.membership_document(_own(request, contest))
