"""Scoring a round again: start, compare figure by figure, apply or discard."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tokumei.contests import find_contest
from tokumei_arena.addresses import contest_of, round_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Contest, Rescore
from tokumei_arena.templatetags.arena import shown
from tokumei_arena.web.desk_forms import ReasonForm
from tokumei_arena.web.desk_frame import desk_context, referee_acts, referee_of, referee_reads
from tokumei_arena.web.frame import act
from tokumei_arena.wording import in_language
from tokumei_arena.work import (
    VALID,
    apply_rescore,
    discard_rescore,
    rescore_differences,
    rescore_progress,
    start_rescore,
)

SHOWN_DIFFERENCES = 500
DIGITS = 12


@referee_reads
def rescores(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the re-scorings of a contest."""
    contest = contest_of(request, slug)
    listed = Rescore.objects.filter(round__contest=contest).select_related("round", "by").order_by("-created_at")
    context = {
        **desk_context(request, contest, "rescores"),
        "rescores": [{"rescore": one, "progress": rescore_progress(one)} for one in listed],
        "form": ReasonForm(),
    }
    return render(request, "desk/rescores.html", context)


@referee_acts
def start(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Have a round computed once more."""
    round_ = round_of(request, slug, kind)
    try:
        made = start_rescore(round_, by=referee_of(request), reason=request.POST.get("reason", "")[:2000])
    except ArenaError as error:
        messages.error(request, error.message)
        return redirect("desk_rescores", slug)
    return redirect("desk_rescore", slug, made.pk)


def _rescore(request: HttpRequest, slug: str, pk: UUID) -> Rescore:
    return get_object_or_404(Rescore.objects.select_related("round"), round__contest=contest_of(request, slug), pk=pk)


def _context(contest: Contest, found: Rescore) -> dict[str, Any]:
    progress = rescore_progress(found)
    differences = rescore_differences(found) if progress.finished and found.applied_at is None else []
    rules = find_contest(contest.rule_set)
    titles = {column.key: in_language(column.title) for column in (*rules.release_columns, *rules.guess_columns)}
    titles[VALID] = _("valid")
    return {
        "contest": contest,
        "rescore": found,
        "progress": progress,
        "count": len(differences),
        "differences": [
            {
                "difference": one,
                "title": titles.get(one.figure, one.figure),
                "before": shown(one.before, DIGITS),
                "after": shown(one.after, DIGITS),
                "change": "" if one.change is None else f"{one.change:+.6g}",
            }
            for one in differences[:SHOWN_DIFFERENCES]
        ],
        "submissions": len({one.submission.pk for one in differences}),
    }


@referee_reads
def rescore(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Show how far a re-scoring is, and then every figure that differs."""
    contest = contest_of(request, slug)
    context = {**desk_context(request, contest, "rescores"), **_context(contest, _rescore(request, slug, pk))}
    return render(request, "desk/rescore.html", context)


@referee_reads
def part(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Show the part of the page that changes while items are computed."""
    contest = contest_of(request, slug)
    context = {**desk_context(request, contest, "rescores"), **_context(contest, _rescore(request, slug, pk))}
    return render(request, "desk/rescore_part.html", context)


@referee_acts
def apply(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Let the new figures count."""
    found = _rescore(request, slug, pk)
    try:
        count = apply_rescore(found, by=referee_of(request))
    except ArenaError as error:
        messages.error(request, error.message)
        return redirect("desk_rescore", slug, pk)
    done = ngettext("Applied: %(count)d submission changed.", "Applied: %(count)d submissions changed.", count)
    messages.success(request, done % {"count": count})
    return redirect("desk_rescore", slug, pk)


@referee_acts
def discard(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Throw the new figures away."""
    found, by, reason = _rescore(request, slug, pk), referee_of(request), request.POST.get("reason", "")[:2000]
    done = _("Discarded: everything stays as it was.")
    return act(request, lambda: discard_rescore(found, by=by, reason=reason), done, "desk_rescores", slug)
