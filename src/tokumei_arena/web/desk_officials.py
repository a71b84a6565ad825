"""Who runs a contest: its officials, who get their office by a link, and the page where they take it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from tokumei_arena.addresses import contest_of, person_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Office, Person
from tokumei_arena.teams import change_office, end_office, has_second_factor, offer_office, office_link, take_office
from tokumei_arena.web.desk_frame import desk_context, owner_acts, referee_acts, referee_of, referee_reads
from tokumei_arena.web.frame import act, either
from tokumei_arena.web.referees import count_link, refuse_link


@referee_reads
def officials(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the officials of a contest."""
    return _page(request, slug)


def _page(request: HttpRequest, slug: str, **more: Any) -> HttpResponse:
    contest = contest_of(request, slug)
    listed = contest.offices.select_related("person").order_by("created_at")
    context = {
        **desk_context(request, contest, "officials"),
        "officials": [{"office": one, "second_factor": has_second_factor(one.person)} for one in listed],
        "everywhere": Person.objects.filter(is_referee=True, is_active=True).order_by("created_at"),
        "roles": Office.Role.choices,
        **more,
    }
    return render(request, "desk/officials.html", context)


@owner_acts
def offer(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a link with which somebody takes an office; it is shown once."""
    try:
        token = offer_office(contest_of(request, slug), request.POST.get("role", ""), by=referee_of(request))
    except ArenaError as error:
        messages.error(request, error.message)
        return redirect("desk_officials", slug)
    return _page(request, slug, told=request.build_absolute_uri(reverse("take_office", args=[token])))


@owner_acts
def change(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Give an official another role."""
    office = get_object_or_404(Office.objects.select_related("contest"), contest__slug=slug, pk=pk)
    by, role = referee_of(request), request.POST.get("role", "")
    return act(request, lambda: change_office(office, role, by=by), _("The role is changed."), "desk_officials", slug)


@referee_acts
def end(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Take an office away, or lay down one's own."""
    office = get_object_or_404(Office.objects.select_related("contest", "person"), contest__slug=slug, pk=pk)
    by = referee_of(request)
    to = ("home",) if office.person_id == by.pk else ("desk_officials", slug)
    return act(request, lambda: end_office(office, by=by), _("The office is ended."), *to)


@either
def take(request: HttpRequest, token: str) -> HttpResponse:
    """Show which office is offered, and let the viewer take it; strangers sign in or sign up first and come back."""
    try:
        count_link(request)
        link = office_link(token)
    except ArenaError as error:
        return refuse_link(request, error)
    if request.method != "POST" or not isinstance(request.user, Person):
        context = {"contest": link.contest, "role": Office.Role(link.role)}
        return render(request, "people/take_office.html", context)
    try:
        office = take_office(token, person_of(request))
    except ArenaError as error:
        return refuse_link(request, error)
    role = {"role": office.get_role_display(), "contest": office.contest.name}
    messages.success(request, _("You are now %(role)s of the contest “%(contest)s”.") % role)
    if not has_second_factor(request.user):
        return redirect("mfa_activate_totp")
    return redirect("desk_contest", office.contest.slug)
