"""Becoming a referee by a link that works once."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import record_authentication
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from tokumei_arena import teams
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Person
from tokumei_arena.teams import make_referee, referee_link, spend
from tokumei_arena.web.account_forms import RefereeForm
from tokumei_arena.web.frame import either

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"
LINKS_PER_MINUTE = 30


def count_link(request: HttpRequest) -> None:
    """Refuse somebody who tries one link after the other."""
    spend("link", get_adapter().get_client_ip(request), limit=LINKS_PER_MINUTE)


def refuse_link(request: HttpRequest, error: ArenaError) -> HttpResponse:
    """Say why a link does not work."""
    return render(request, "people/link_refused.html", {"message": error.message}, status=error.status)


@sensitive_post_parameters()
@either
def become_referee(request: HttpRequest, token: str) -> HttpResponse:
    """Make a new account, or the one that is signed in, a referee's; the second factor comes next."""
    try:
        count_link(request)
        referee_link(token)
    except ArenaError as error:
        return refuse_link(request, error)
    if isinstance(request.user, Person):
        return _as_signed_in(request, token, request.user)
    form = RefereeForm(request.POST or None)
    status = 200
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        try:
            person = teams.become_referee(
                token, email=wanted["email"], name=wanted["name"], password=wanted["password1"]
            )
        except ArenaError as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            login(request, person, backend=BACKEND)
            # The password was set a moment ago: nobody has to type it again to set up the second factor.
            record_authentication(request, person, method="password", reauthenticated=True)
            return _on_to_second_factor(request)
    return render(request, "people/become_referee.html", {"form": form}, status=status)


def _as_signed_in(request: HttpRequest, token: str, person: Person) -> HttpResponse:
    if person.is_referee:
        messages.info(request, _("You are a referee already; the link is not used up."))
        return redirect("home")
    if request.method != "POST":
        return render(request, "people/become_referee.html", {"form": None})
    try:
        make_referee(token, person)
    except ArenaError as error:
        return refuse_link(request, error)
    return _on_to_second_factor(request)


def _on_to_second_factor(request: HttpRequest) -> HttpResponse:
    messages.success(request, _("You are a referee now. One step is left: set up a second factor."))
    return redirect("mfa_activate_totp")
