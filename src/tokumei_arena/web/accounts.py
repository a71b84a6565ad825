"""The first page, and what people manage about themselves: preferences, tokens, the end of their account."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from allauth.account.decorators import reauthentication_required
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from tokumei.contests import find_contest
from tokumei_arena import access, clock, teams
from tokumei_arena.addresses import person_of
from tokumei_arena.contests import active_round, next_step
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Contest
from tokumei_arena.teams import erase_person, export_own_data, make_token
from tokumei_arena.web.account_forms import EraseForm, PreferencesForm, TokenForm
from tokumei_arena.web.frame import either, signed_in_acts, signed_in_fills_in, step_address
from tokumei_arena.web.timeline import next_deadline, phase_meanings, round_lines
from tokumei_arena.wording import in_language

YEAR = 366 * 24 * 3600


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """List the contests of this viewer, own ones first, each with the next step."""
    seen = access.contests(request.user).order_by("-created_at")
    lines = [_line(request, contest) for contest in seen]
    lines.sort(key=lambda line: line["membership"] is None)
    taking_part = any(line["membership"] for line in lines) or access.is_referee(request.user)
    context = {"lines": lines, "explain": not taking_part, "meanings": phase_meanings()}
    return render(request, "people/home.html", context)


def _line(request: HttpRequest, contest: Contest) -> dict[str, Any]:
    step, round_ = next_step(request.user, contest), active_round(contest)
    return {
        "contest": contest,
        "membership": access.membership(request.user, contest),
        "round": round_,
        "timeline": None if round_ is None else round_lines([round_])[0],
        "deadline": next_deadline(round_),
        "game_title": in_language(find_contest(contest.rule_set).title),
        "step": step,
        "step_url": step_address(request, step),
    }


@signed_in_fills_in
def preferences(request: HttpRequest) -> HttpResponse:
    """Let people change their name, language and time zone."""
    person = person_of(request)
    now = {name: getattr(person, name) for name in ("name", "language", "time_zone", "news_by_mail")}
    form = PreferencesForm(request.POST or None, initial=now)
    if request.method == "POST" and form.is_valid():
        form.save_to(person)
        with translation.override(person.language or translation.get_language()):
            messages.success(request, _("Your preferences are saved."))
        return _with_language(redirect("preferences"), person.language)
    return render(request, "people/preferences.html", {"form": form})


def _with_language(response: HttpResponse, language: str) -> HttpResponse:
    """Let the chosen language begin at once: the cookie of the language switch would win over it."""
    name = settings.LANGUAGE_COOKIE_NAME
    if not language:
        response.delete_cookie(name, samesite="Lax")
        return response
    response.set_cookie(name, language, max_age=YEAR, samesite="Lax", secure=settings.LANGUAGE_COOKIE_SECURE)
    return response


@login_required
@reauthentication_required
@require_http_methods(["GET", "HEAD", "POST"])
def own_data(request: HttpRequest) -> HttpResponse:
    """Give people everything that is kept about them; who had to write the password again comes back by GET."""
    if request.method != "POST":
        return redirect("preferences")
    response = HttpResponse(export_own_data(person_of(request)), content_type="application/zip")
    response["Content-Disposition"] = 'attachment; filename="tokumei-arena-own-data.zip"'
    return response


@login_required
@reauthentication_required
@either
def erase_account(request: HttpRequest) -> HttpResponse:
    """Let people end their account; what their team handed in stays."""
    form = EraseForm(request.POST or None)
    status = 200
    if request.method == "POST" and form.is_valid():
        person = person_of(request)
        try:
            erase_person(person, by=person)
        except ArenaError as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            logout(request)
            messages.success(request, _("Your account and your personal data are erased."))
            return redirect("home")
    return render(request, "people/erase.html", {"form": form}, status=status)


@signed_in_fills_in
def tokens_page(request: HttpRequest) -> HttpResponse:
    """List the tokens of the person and make new ones; a new one is told here, once."""
    person = person_of(request)
    form = TokenForm(request.POST or None, for_referee=access.has_office(person))
    told, status = "", 200
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        try:
            _token, told = make_token(person, name=wanted["name"], scopes=wanted["scopes"], lasts=form.lasts)
        except ArenaError as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            form = TokenForm(for_referee=access.has_office(person))
    own = person.tokens.order_by("-created_at")
    context = {"form": form, "told": told, "tokens": own, "now": clock.now()}
    return render(request, "people/tokens.html", context, status=status)


@signed_in_acts
def revoke_token(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Make one of the person's tokens useless."""
    person = person_of(request)
    teams.revoke_token(get_object_or_404(person.tokens, pk=pk), by=person)
    messages.success(request, _("The token is revoked; programs cannot use it any more."))
    return redirect("tokens")
