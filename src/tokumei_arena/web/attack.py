"""Targets: the published data of the other teams, and guesses about it."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from tokumei.contests import find_contest
from tokumei_arena import access
from tokumei_arena.addresses import round_of, target_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Person, Phase, Round, Submission, Target, Team
from tokumei_arena.records import attachment
from tokumei_arena.web import uploads
from tokumei_arena.web.frame import either, frame, round_lines
from tokumei_arena.web.own_work import own_guesses
from tokumei_arena.wording import in_language
from tokumei_arena.work import MAY_SUBMIT, remaining_tries, submit_guesses, used_tries


@require_GET
def targets(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show what there is to attack, and how far the own team is."""
    round_ = round_of(request, slug, kind)
    shared = frame(request, round_.contest, round_.kind)
    found = list(access.targets(request.user, round_).select_related("team").order_by("alias"))
    team = None if shared["membership"] is None else shared["membership"].team
    context = {
        **shared,
        "round": round_,
        "line": round_lines([round_])[0],
        "lines": _lines(round_, team, found),
        "began": round_.has_begun(Phase.Kind.ATTACK),
        "own_team": team,
        "limit": round_.attack_limit,
    }
    return render(request, "play/targets.html", context)


def _lines(round_: Round, team: Team | None, found: list[Target]) -> list[dict[str, Any]]:
    """Return the targets, each with the tries used and the state of the latest one."""
    if team is None:
        return [{"target": one} for one in found]
    used = used_tries(round_, team)
    newest: dict[UUID | None, Submission] = {}
    for one in Submission.objects.filter(round=round_, team=team, kind=Submission.Kind.GUESSES).order_by("received_at"):
        newest[one.target_id] = one
    return [
        {"target": one, "left": max(0, round_.attack_limit - used.get(one.pk, 0)), "latest": newest.get(one.pk)}
        for one in found
    ]


@either
def target(request: HttpRequest, slug: str, kind: str, pk: UUID) -> HttpResponse:
    """Show a target with its files and the own attempts, and take in guesses."""
    found = target_of(request, slug, kind, pk)
    refused: ArenaError | None = None
    if request.method == "POST":
        done = _("The guesses are stored and wait for the checker.")
        specs = find_contest(found.round.contest.rule_set).guess_files
        answer = uploads.hand_in(request, specs, partial(submit_guesses, target=found), done)
        if not isinstance(answer, ArenaError):
            return answer
        refused = answer
    return _target_page(request, found, refused)


def _target_page(request: HttpRequest, found: Target, refused: ArenaError | None) -> HttpResponse:
    round_, contest = found.round, found.round.contest
    rules, shared = find_contest(contest.rule_set), frame(request, contest, round_.kind)
    about = {spec.name: in_language(spec.about) for spec in rules.published_files}
    files = access.target_files(request.user, found).select_related("blob", "team").order_by("name", "team__number")
    member, why_not = shared["membership"], _why_not(request.user, found)
    page = request.GET.get("page", "")
    context = {
        **shared,
        "round": round_,
        "target": found,
        "files": [{"file": file, "about": about.get(file.name, "")} for file in files],
        "own": None if member is None else own_guesses(request.user, found, member.team, page=page),
        "form": None if why_not and not refused else uploads.upload_form(rules.guess_files, refused, request),
        "why_not": why_not,
        "attack_feedback": round_.get_attack_feedback_display(),
        "is_referee": access.sees_all(request.user, round_.contest),
    }
    return render(request, "play/target.html", context, status=refused.status if refused else 200)


def _why_not(viewer: access.Viewer, found: Target) -> str:
    """Return why this viewer cannot hand in guesses now, or nothing."""
    if access.sees_all(viewer, found.round.contest) or not isinstance(viewer, Person):
        return _("referees hand nothing in")
    try:
        team = access.need_member(viewer, found.round.contest, *MAY_SUBMIT)
        access.need_phase(found.round, Phase.Kind.ATTACK, team)
    except ArenaError as error:
        return error.message
    return "" if remaining_tries(found.round, team, found) else _("no tries are left")


@require_GET
def target_file(request: HttpRequest, slug: str, kind: str, pk: UUID, file_pk: UUID) -> HttpResponseBase:
    """Hand out a published file of a target."""
    found = target_of(request, slug, kind, pk)
    file = get_object_or_404(access.target_files(request.user, found).select_related("blob", "target"), pk=file_pk)
    return attachment(request, file.blob, file.download_name)
