"""The page of a contest, the page of a round with its upload form and files, and questions to the referees."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from tokumei.contests import find_contest
from tokumei_arena import access
from tokumei_arena.addresses import contest_of, person_of, round_of
from tokumei_arena.contests import (
    LONGEST_QUESTION,
    active_round,
    announcements_of,
    ask_referees,
    next_step,
    questions_of,
)
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Contest, Person, Phase, Round
from tokumei_arena.records import attachment
from tokumei_arena.web import uploads
from tokumei_arena.web.frame import either, frame, step_address
from tokumei_arena.web.own_work import own_releases
from tokumei_arena.web.rules import contest_rules, figure_groups, ranking_rules
from tokumei_arena.web.timeline import next_deadline, round_lines
from tokumei_arena.wording import in_language
from tokumei_arena.work import MAY_SUBMIT, submit_release

NEWEST = 5


@require_GET
def contest(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what a contest is about, where it stands and what to do next."""
    found = contest_of(request, slug)
    shared = frame(request, found, "contest")
    step = next_step(request.user, found)
    context = {
        **shared,
        "game_title": in_language(find_contest(found.rule_set).title),
        "lines": round_lines(shared["rounds"]),
        "rules": contest_rules(found, shared["rounds"]),
        "ranking": ranking_rules(found),
        "step": step,
        "deadline": next_deadline(active_round(found)),
        "step_url": step_address(request, step),
        "announcements": announcements_of(found)[:NEWEST],
        "clarifications": questions_of(request.user, found)[:NEWEST],
    }
    return render(request, "play/contest.html", context)


@require_GET
def metrics(request: HttpRequest, slug: str) -> HttpResponse:
    """Explain every figure that boards and results show."""
    found = contest_of(request, slug)
    context = {**frame(request, found, "metrics"), "groups": figure_groups(found), "ranking": ranking_rules(found)}
    return render(request, "play/metrics.html", context)


@either
def round_page(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show the data of a round and the own submissions, and take in a new one."""
    round_ = round_of(request, slug, kind)
    refused: ArenaError | None = None
    if request.method == "POST":
        done = _("The file is stored and waits for the checker.")
        specs = find_contest(round_.contest.rule_set).release_files
        answer = uploads.hand_in(request, specs, partial(submit_release, round_=round_), done)
        if not isinstance(answer, ArenaError):
            return answer
        refused = answer
    return _round_page(request, round_, refused)


def _round_page(request: HttpRequest, round_: Round, refused: ArenaError | None) -> HttpResponse:
    contest_ = round_.contest
    rules = find_contest(contest_.rule_set)
    shared = frame(request, contest_, round_.kind)
    why_not = _why_not(request.user, contest_, round_)
    context = {
        **shared,
        "round": round_,
        "line": round_lines([round_])[0],
        "deadline": next_deadline(round_),
        "data": _data_lines(request, round_),
        "own": own_releases(request.user, round_, shared["membership"], page=request.GET.get("page", "")),
        "form": None if why_not and not refused else uploads.upload_form(rules.release_files, refused, request),
        "why_not": why_not,
        "check_url": reverse("release_check", args=[contest_.slug, round_.kind]),
        "attack_began": round_.has_begun(Phase.Kind.ATTACK),
    }
    return render(request, "play/round.html", context, status=refused.status if refused else 200)


def _why_not(viewer: access.Viewer, contest_: Contest, round_: Round) -> str:
    """Return why this viewer cannot hand anything in now, or nothing."""
    if access.sees_all(viewer, contest_):
        return _("referees hand nothing in")
    if not isinstance(viewer, Person):
        return _("sign in as a member of a team to hand in")
    try:
        team = access.need_member(viewer, contest_, *MAY_SUBMIT)
        access.need_phase(round_, Phase.Kind.ANONYMIZE, team)
    except ArenaError as error:
        return error.message
    return ""


def _data_lines(request: HttpRequest, round_: Round) -> list[dict[str, Any]]:
    about = {spec.name: in_language(spec.about) for spec in find_contest(round_.contest.rule_set).data_files}
    files = access.data_files(request.user, round_).select_related("blob", "team").order_by("name", "team__number")
    return [{"file": file, "about": about.get(file.name, "")} for file in files]


@require_GET
def data_file(request: HttpRequest, slug: str, kind: str, pk: UUID) -> HttpResponseBase:
    """Hand out a file of a round."""
    round_ = round_of(request, slug, kind)
    file = get_object_or_404(access.data_files(request.user, round_).select_related("blob", "team"), pk=pk)
    return attachment(request, file.blob, file.download_name)


@either
def clarifications(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the questions this viewer may read, and take in a new one."""
    contest = contest_of(request, slug)
    refused: ArenaError | None = None
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(request.path)
        try:
            ask_referees(person_of(request), contest, request.POST.get("question", ""))
        except ArenaError as error:
            refused = error
        else:
            messages.success(request, _("Your question went to the referees."))
            return redirect("clarifications", slug)
    shared = frame(request, contest, "questions")
    context = {
        **shared,
        "clarifications": questions_of(request.user, contest),
        "announcements": announcements_of(contest),
        "may_ask": shared["membership"] is not None and not access.sees_all(request.user, contest),
        "error": refused.message if refused else "",
        "question": request.POST.get("question", ""),
        "longest": LONGEST_QUESTION,
    }
    return render(request, "play/questions.html", context, status=refused.status if refused else 200)
