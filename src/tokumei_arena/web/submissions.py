"""The page of one submission: its figures as far as they are told, what the checker found, and the file itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from tokumei.contests import Column, find_contest
from tokumei_arena import access, work
from tokumei_arena.addresses import person_of, submission_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Feedback, Submission
from tokumei_arena.records import attachment
from tokumei_arena.templatetags.arena import cells
from tokumei_arena.web.frame import frame, signed_in_acts
from tokumei_arena.wording import column_name, in_language
from tokumei_arena.work import failure_text, feedback_policy, shown_figures

PER_PAGE = 50


@require_GET
def submission(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Show a submission of the own team (referees: of any)."""
    found = submission_of(request, slug, pk)
    shared = frame(request, found.round.contest, found.round.kind)
    return render(request, "play/submission.html", {**shared, **_result(request, found), **_neighbours(request, found)})


def _neighbours(request: HttpRequest, found: Submission) -> dict[str, Any]:
    """Return the submissions of the same team and kind (guesses: about the same target) before and after one."""
    alike = access.submissions(request.user, found.round.contest).filter(
        round=found.round, team=found.team, kind=found.kind, target=found.target
    )
    order = list(alike.order_by("received_at", "pk").values_list("pk", flat=True))
    at = order.index(found.pk)
    return {
        "number": at + 1,
        "total": len(order),
        "older": order[at - 1] if at else None,
        "newer": next(iter(order[at + 1 :]), None),
    }


@require_GET
def submission_status(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Show the part of the page that changes until the evaluation is done."""
    found = submission_of(request, slug, pk)
    return render(request, "play/parts/result.html", {"contest": found.round.contest, **_result(request, found)})


def _columns(found: Submission) -> Sequence[Column]:
    rules = find_contest(found.round.contest.rule_set)
    return rules.release_columns if found.kind == Submission.Kind.RELEASE else rules.guess_columns


def _result(request: HttpRequest, found: Submission) -> dict[str, Any]:
    figures = shown_figures(request.user, found)
    told = feedback_policy(found.round, found.kind)
    return {
        "submission": found,
        "cells": cells(_columns(found), figures) if figures else [],
        "told": told.label,
        "hidden": told is Feedback.NONE and not figures and found.verdict == Submission.Verdict.VALID,
        "failure": failure_text(found),
        "is_referee": access.sees_all(request.user, found.round.contest),
        **_findings(request, found),
    }


def _findings(request: HttpRequest, found: Submission) -> dict[str, Any]:
    """Return the findings of one page, all or of one rule, and how many there are of each."""
    if found.evaluation is None:
        return {}
    kept: list[dict[str, Any]] = found.evaluation.findings
    rule = request.GET.get("rule", "")
    chosen = [finding for finding in kept if finding["code"] == rule] if rule else kept
    page = Paginator(chosen, PER_PAGE).get_page(request.GET.get("page"))
    notes = [
        {**finding, "name": column_name(finding.get("name")), "sentence": in_language(finding["message"])}
        for finding in page.object_list
    ]
    return {
        "findings": notes,
        "page": page,
        "rule": rule,
        "counts": sorted(Counter(finding["code"] for finding in kept).items()),
        "kept": len(kept),
        "count": found.evaluation.finding_count,
        "with_file": any(finding.get("file") for finding in kept),
    }


@require_GET
def submission_file(request: HttpRequest, slug: str, pk: UUID) -> HttpResponseBase:
    """Give a team its own file back, byte for byte."""
    found = submission_of(request, slug, pk)
    try:
        return attachment(request, found.blob, found.blob.name)
    except ArenaError as error:
        messages.error(request, error.message)
        return redirect("submission", slug, pk)


@signed_in_acts
def choose(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Make a submission the one that counts."""
    found = submission_of(request, slug, pk)
    try:
        work.choose(person_of(request), found)
    except ArenaError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("This submission counts now."))
    return redirect("round", slug, found.round.kind)
