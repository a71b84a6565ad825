"""Getting into a team: making one, accepting an invitation, accepting the terms."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from tokumei_arena import access
from tokumei_arena.addresses import contest_of, person_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Membership, OneTimeLink, Person, Team
from tokumei_arena.teams import accept_invitation, accept_terms, create_team, find_link, registration_open
from tokumei_arena.web.account_forms import TeamForm, TermsForm
from tokumei_arena.web.frame import either, frame, signed_in_fills_in
from tokumei_arena.web.referees import count_link, refuse_link


def _sent(request: HttpRequest) -> QueryDict | None:
    """Return the form that was sent, even if it is empty: a contest without terms asks nothing."""
    return request.POST if request.method == "POST" else None


@signed_in_fills_in
def team_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a team of this contest."""
    contest, person = contest_of(request, slug), person_of(request)
    if access.membership(person, contest) is not None:
        return redirect("team", slug)
    form = TeamForm(_sent(request), contest=contest)
    status = 200
    if form.is_valid():
        wanted = form.cleaned_data
        try:
            made = create_team(
                person, contest, name=wanted["name"], affiliation=wanted["affiliation"], terms_accepted=form.accepted
            )
        except ArenaError as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            messages.success(request, _("Your team is made. Invite the others now."))
            return redirect("team", made.contest.slug)
    context = {**frame(request, contest, "team"), "form": form, "open": registration_open(contest)}
    return render(request, "teams/new.html", context, status=status)


@either
def join_team(request: HttpRequest, token: str) -> HttpResponse:
    """Show who invites, and let the viewer accept; strangers sign in or sign up first and come back."""
    try:
        count_link(request)
        link = find_link(token, OneTimeLink.Purpose.TEAM)
    except ArenaError as error:
        return refuse_link(request, error)
    team = link.team
    assert team is not None
    form = TermsForm(_sent(request), contest=team.contest)
    context = {"team": team, "contest": team.contest, "role": Membership.Role(link.role).label, "form": form}
    if isinstance(request.user, Person) and form.is_valid():
        return _join(request, token, team, terms_accepted=form.accepted)
    return render(request, "teams/join.html", context)


def _join(request: HttpRequest, token: str, team: Team, *, terms_accepted: bool) -> HttpResponse:
    try:
        accept_invitation(token, person_of(request), terms_accepted=terms_accepted)
    except ArenaError as error:
        return refuse_link(request, error)
    messages.success(request, _("Welcome to the team “%(team)s”.") % {"team": team.name})
    return redirect("team", team.contest.slug)


@either
def terms(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the terms of a contest; members accept them here."""
    contest = contest_of(request, slug)
    membership = access.membership(request.user, contest)
    form = TermsForm(_sent(request), contest=contest)
    if membership is not None and form.is_valid():
        accept_terms(person_of(request), contest)
        messages.success(request, _("You have accepted the terms."))
        return redirect("team", slug)
    return render(request, "teams/terms.html", {**frame(request, contest, "terms"), "form": form})
