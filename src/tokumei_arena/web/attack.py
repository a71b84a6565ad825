"""Targets: the published data of the other teams, and guesses about it."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.files.base import File
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from tokumei.contests import find_contest
from tokumei_arena import access
from tokumei_arena.addresses import person_of, round_of, target_of
from tokumei_arena.boards import visible_tables
from tokumei_arena.errors import ArenaError, RefusedError
from tokumei_arena.models import Person, Phase, Round, Submission, Target, Team
from tokumei_arena.records import attachment
from tokumei_arena.templatetags.arena import cells
from tokumei_arena.web import uploads
from tokumei_arena.web.frame import either, frame, signed_in_acts
from tokumei_arena.web.own_work import counted_attempts, own_guesses
from tokumei_arena.web.timeline import next_deadline, round_lines
from tokumei_arena.wording import in_language
from tokumei_arena.work import (
    MAY_SUBMIT,
    Answer,
    answered,
    is_poor,
    remaining_tries,
    short_alias,
    shown_figures,
    submit_answers,
    submit_guesses,
    used_tries,
)

POOR_ANSWER = "poor-answer"
SHOWN_REFUSALS = 10


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
        "deadline": next_deadline(round_),
        "lines": _lines(request.user, round_, team, found),
        "columns": find_contest(round_.contest.rule_set).guess_columns,
        "named": visible_tables(request.user, round_) is not None,
        "began": round_.has_begun(Phase.Kind.ATTACK),
        "own_team": team,
        "limit": round_.attack_limit,
        "attacking": team is not None and round_.is_in(Phase.Kind.ATTACK) and not shared["viewer_is_referee"],
        "example": _example(round_, found),
    }
    return render(request, "play/targets.html", context)


def _example(round_: Round, found: list[Target]) -> str:
    """Return how the files of a zip of answers are called."""
    files = find_contest(round_.contest.rule_set).guess_files
    return ", ".join(f"{short_alias(one)}-{spec.filename}" for one in found[:2] for spec in files[:1])


@signed_in_acts
def answers(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Take in one zip with the answers about all targets."""
    round_ = round_of(request, slug, kind)
    try:
        file, _name = uploads.received(request, find_contest(round_.contest.rule_set).guess_files[:1])
        with file:
            confirmed = "confirmed" in request.POST
            found = submit_answers(person_of(request), round_, file, confirmed=confirmed)
    except ArenaError as error:
        messages.error(request, error.message[:1].upper() + error.message[1:])
    else:
        _tell(request, round_, found)
    return redirect("targets", slug, kind)


def _tell(request: HttpRequest, round_: Round, found: list[Answer]) -> None:
    """Say which answers were taken, which were not and why, and which targets have none."""
    taken = [one for one in found if one.submission is not None]
    if taken:
        text = ngettext(
            "%(count)d answer is stored and waits for the checker.",
            "%(count)d answers are stored and wait for the checker.",
            len(taken),
        )
        messages.success(request, text % {"count": len(taken)})
    for one in [one for one in found if one.submission is None][:SHOWN_REFUSALS]:
        messages.error(request, f"{one.target.alias}: {one.refused}")
    named = {one.target.pk for one in found}
    without = [one.alias for one in access.targets(request.user, round_).order_by("alias") if one.pk not in named]
    if without:
        messages.warning(request, _("No answer about: %(names)s") % {"names": ", ".join(without)})


def _lines(viewer: access.Viewer, round_: Round, team: Team | None, found: list[Target]) -> list[dict[str, Any]]:
    """Return the targets, each with the tries used, the state of the latest one and the figures of the best one."""
    if team is None:
        return [{"target": one} for one in found]
    used, best = used_tries(round_, team), counted_attempts(round_, team)
    columns = find_contest(round_.contest.rule_set).guess_columns
    newest: dict[UUID | None, Submission] = {}
    for one in Submission.objects.filter(round=round_, team=team, kind=Submission.Kind.GUESSES).order_by("received_at"):
        newest[one.target_id] = one
    return [
        {
            "target": one,
            "left": max(0, round_.attack_limit - used.get(one.pk, 0)),
            "latest": newest.get(one.pk),
            "cells": cells(columns, shown_figures(viewer, best[one.pk]) if one.pk in best else {}),
            "owner": one.team.name,
        }
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
        submit = partial(_careful, target=found, confirmed="confirmed" in request.POST)
        answer = uploads.hand_in(request, specs, submit, done)
        if not isinstance(answer, ArenaError):
            return answer
        refused = answer
    return _target_page(request, found, refused)


def _careful(person: Person, target: Target, file: File[Any], *, confirmed: bool, **fields: Any) -> Submission:
    """Take in guesses; a poor answer only if somebody said that a try shall be spent on it."""
    question = "" if confirmed or _why_not(person, target) else _question(person, target, file)
    if question:
        raise RefusedError(question, code=POOR_ANSWER)
    return submit_guesses(person, target, file, **fields)


def _question(person: Person, target: Target, file: File[Any]) -> str:
    """Return what to ask before a try is spent on a file, or nothing."""
    found = answered(person, target, file)
    if found is None or not is_poor(found):
        return ""
    member = access.membership(person, target.round.contest)
    left = None if member is None else remaining_tries(target.round, member.team, target)
    if not left:
        return ""
    words = {"given": found.given, "asked": found.asked, "what": in_language(found.what), "left": left}
    if target.round.attack_limit == 1:
        return _("%(given)s of %(asked)s %(what)s guessed: spend your only try?") % words
    return (
        ngettext(
            "%(given)s of %(asked)s %(what)s guessed: spend your last try?",
            "%(given)s of %(asked)s %(what)s guessed: spend one of your %(left)s tries?",
            left,
        )
        % words
    )


@signed_in_acts
def ask(request: HttpRequest, slug: str, kind: str, pk: UUID) -> HttpResponse:
    """Say what a page should ask before it hands in these guesses; nothing is stored."""
    found = target_of(request, slug, kind, pk)
    try:
        file, _name = uploads.received(request, find_contest(found.round.contest.rule_set).guess_files)
        with file:
            question = _question(person_of(request), found, file)
    except ArenaError:
        # The form itself says what is wrong.
        question = ""
    return JsonResponse({"question": question})


def _target_page(request: HttpRequest, found: Target, refused: ArenaError | None) -> HttpResponse:
    round_, contest = found.round, found.round.contest
    rules, shared = find_contest(contest.rule_set), frame(request, contest, round_.kind)
    about = {spec.name: in_language(spec.about) for spec in rules.published_files}
    files = access.target_files(request.user, found).select_related("blob", "team").order_by("name", "team__number")
    member, why_not = shared["membership"], _why_not(request.user, found)
    page, words = request.GET.get("page", ""), [contest.slug, round_.kind, found.pk]
    form = None if why_not and not refused else uploads.upload_form(rules.guess_files, refused, request)
    if form and refused and refused.code == POOR_ANSWER:
        form |= {"question": form["error"], "error": ""}
    context = {
        **shared,
        **_neighbours(request.user, found),
        "round": round_,
        "target": found,
        "check_url": reverse("guesses_check", args=words),
        "ask_url": reverse("ask", args=words),
        "files": [{"file": file, "about": about.get(file.name, "")} for file in files],
        "own": None if member is None else own_guesses(request.user, found, member.team, page=page),
        "form": form,
        "why_not": why_not,
        "attack_feedback": round_.get_attack_feedback_display(),
        "is_referee": access.sees_all(request.user, round_.contest),
    }
    return render(request, "play/target.html", context, status=refused.status if refused else 200)


def _neighbours(viewer: access.Viewer, found: Target) -> dict[str, Any]:
    """Return the targets before and after one, in the order of the list."""
    listed = list(access.targets(viewer, found.round).order_by("alias").only("pk", "alias"))
    at = next((number for number, one in enumerate(listed) if one.pk == found.pk), 0)
    return {"previous": listed[at - 1] if at else None, "following": next(iter(listed[at + 1 :]), None)}


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
