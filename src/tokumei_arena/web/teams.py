"""The page of the own team, and what its captains do there."""

from __future__ import annotations

from smtplib import SMTPException
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tokumei_arena import access, teams
from tokumei_arena.addresses import contest_of, person_of
from tokumei_arena.boards import agree_to_publish
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Membership
from tokumei_arena.teams import edit_team, open_invitations, registration_open, send_invitation
from tokumei_arena.web.account_forms import EditTeamForm, InvitationForm, RoleForm
from tokumei_arena.web.certificates import why_no_certificates
from tokumei_arena.web.frame import act, frame, signed_in_acts


def _own(request: HttpRequest, slug: str) -> Membership:
    """Return the viewer's membership; who has none finds nothing here."""
    membership = access.membership(request.user, contest_of(request, slug))
    if membership is None:
        raise Http404
    return membership


@login_required
@require_safe
def team(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the own team; who has none learns how to get one."""
    contest = contest_of(request, slug)
    membership = access.membership(request.user, contest)
    if membership is None:
        context = {**frame(request, contest, "team"), "open": registration_open(contest)}
        return render(request, "teams/none.html", context)
    return _page(request, membership)


def _page(request: HttpRequest, membership: Membership, *, status: int = 200, **more: Any) -> HttpResponse:
    own = membership.team
    captain = membership.role == Membership.Role.CAPTAIN
    members = own.memberships.select_related("person").order_by("created_at")
    context = {
        **frame(request, own.contest, "team"),
        "team": own,
        "membership": membership,
        "is_captain": captain,
        "members": members,
        "certificate": not why_no_certificates(own.contest) and own.disqualified_at is None,
        "full": members.count() >= own.contest.team_size,
        "roles": Membership.Role.choices,
        "invitations": open_invitations(own) if captain else [],
        "edit_form": EditTeamForm(initial={"name": own.name, "affiliation": own.affiliation}, contest=own.contest),
        "invite_form": InvitationForm(),
        **more,
    }
    return render(request, "teams/team.html", context, status=status)


@signed_in_acts
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Change name and affiliation."""
    membership = _own(request, slug)
    form = EditTeamForm(request.POST, contest=membership.contest)
    if not form.is_valid():
        return _page(request, membership, edit_form=form)
    try:
        edit_team(membership.team, by=person_of(request), **form.cleaned_data)
    except ArenaError as error:
        form.add_error(None, error.message)
        # The page shows the team as it is kept, not as it was refused.
        return _page(request, _own(request, slug), status=error.status, edit_form=form)
    messages.success(request, _("Your team is changed."))
    return redirect("team", slug)


@signed_in_acts
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    """Make an invitation; its link is shown here, once, and sent if there is an address."""
    membership = _own(request, slug)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, membership, invite_form=form)
    role, email = form.cleaned_data["role"], form.cleaned_data["email"]
    try:
        token = teams.invite(membership.team, person_of(request), role, email)
    except ArenaError as error:
        form.add_error(None, error.message)
        return _page(request, membership, status=error.status, invite_form=form)
    address = request.build_absolute_uri(reverse("join_team", args=[token]))
    sent = bool(email) and _sent(request, membership, email, address)
    return _page(request, membership, told=address, sent_to=email if sent else "")


def _sent(request: HttpRequest, membership: Membership, email: str, address: str) -> bool:
    try:
        send_invitation(membership.team, email, address)
    except (SMTPException, OSError):
        messages.warning(request, _("The mail could not be sent; pass the link on yourself."))
        return False
    return True


@signed_in_acts
def revoke_invitation(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Take an invitation back."""
    membership = _own(request, slug)
    link = get_object_or_404(membership.team.invitations, pk=pk, used_at=None)
    done = _("The invitation is withdrawn.")
    return act(request, lambda: teams.revoke_invitation(link, by=person_of(request)), done, "team", slug)


@signed_in_acts
def change_role(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Give a member of the own team another role."""
    member = get_object_or_404(_own(request, slug).team.memberships, pk=pk)
    form = RoleForm(request.POST)
    role = form.cleaned_data["role"] if form.is_valid() else ""
    done = _("The role is changed.")
    return act(request, lambda: teams.change_role(member, role, by=person_of(request)), done, "team", slug)


@signed_in_acts
def remove_member(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Take a member out of the own team."""
    member = get_object_or_404(_own(request, slug).team.memberships, pk=pk)
    done = _("The member is removed from the team.")
    return act(request, lambda: teams.remove_member(member, by=person_of(request)), done, "team", slug)


@signed_in_acts
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Leave the own team."""
    membership = _own(request, slug)
    try:
        teams.leave_team(membership)
    except ArenaError as error:
        messages.error(request, error.message)
        return redirect("team", slug)
    messages.success(request, _("You have left the team."))
    return redirect("home")


@signed_in_acts
def publish(request: HttpRequest, slug: str) -> HttpResponse:
    """Say whether the files of the own team may stand in the public archive."""
    own, by, agrees = _own(request, slug).team, person_of(request), request.POST.get("publish") == "yes"
    done = _("Your files may stand in the public archive.") if agrees else _("Your files stay out of the archive.")
    return act(request, lambda: agree_to_publish(own, agrees=agrees, by=by), done, "team", slug)
