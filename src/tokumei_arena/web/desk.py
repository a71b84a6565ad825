"""The referee desk: all contests, and the live view of one."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from tokumei.contests import find_contest
from tokumei_arena import access, work
from tokumei_arena.addresses import contest_of
from tokumei_arena.contests import hide_contest, open_contest, referee_steps
from tokumei_arena.models import Contest, Submission, Target, WorkState
from tokumei_arena.teams import waiting_messages
from tokumei_arena.templatetags.arena import cells
from tokumei_arena.web.desk_frame import desk_context, office_reads, owner_acts, referee_acts, referee_of, referee_reads
from tokumei_arena.web.frame import act
from tokumei_arena.web.timeline import round_lines
from tokumei_arena.work import copied, failure_text, latest_submissions, queue


@office_reads
def home(request: HttpRequest) -> HttpResponse:
    """Show all contests with what is left to do in each."""
    listed = access.run_contests(request.user).prefetch_related("rounds__phases").order_by("-created_at")
    shown = [
        {"contest": one, "lines": round_lines(list(one.rounds.all())), "steps": referee_steps(one)} for one in listed
    ]
    return render(request, "desk/home.html", {"shown": shown, "messages_waiting": waiting_messages().count()})


@referee_reads
def contest(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what is going on in a contest."""
    found = contest_of(request, slug)
    context = {**desk_context(request, found, "live"), **_live(found)}
    return render(request, "desk/contest.html", {**context, "lines": round_lines(context["rounds"])})


@referee_reads
def live(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the part of the live view that changes all the time."""
    return render(request, "desk/live.html", _live(contest_of(request, slug)))


def _live(found: Contest) -> dict[str, Any]:
    newest = latest_submissions(found)
    same = copied(newest)
    return {
        "contest": found,
        "queue": queue(found),
        "submissions": [{**_line(found, one), "copied": same.get(one.pk)} for one in newest],
        "steps": referee_steps(found),
    }


def _line(found: Contest, submission: Submission) -> dict[str, Any]:
    """Return a submission with its first figures, and why its evaluation failed if it did."""
    rules = find_contest(found.rule_set)
    columns = rules.release_columns if submission.target is None else rules.guess_columns
    figures = {} if submission.evaluation is None else submission.evaluation.figures
    shown = cells(columns[:2], figures) if submission.verdict == Submission.Verdict.VALID else []
    return {"submission": submission, "cells": shown, "failure": failure_text(submission)}


@referee_reads
def failed(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the work that failed, to be repeated."""
    found = contest_of(request, slug)
    targets = Target.objects.filter(round__contest=found, state=WorkState.FAILED).select_related("team", "round")
    context = {
        **desk_context(request, found, "live"),
        "submissions": [_line(found, one) for one in latest_submissions(found, failed=True)],
        "targets": [{"target": one, "failure": failure_text(one)} for one in targets],
    }
    return render(request, "desk/failed.html", context)


@referee_acts
def evaluate_again(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Repeat an evaluation that failed."""
    submission = get_object_or_404(access.submissions(request.user, contest_of(request, slug)), pk=pk)
    by = referee_of(request)
    done = _("The submission waits for its evaluation again.")
    return act(request, lambda: work.evaluate_again(submission, by=by), done, "desk_failed", slug)


@referee_acts
def publish_again(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Repeat a publication that failed."""
    target = get_object_or_404(Target, round__contest=contest_of(request, slug), pk=pk)
    by = referee_of(request)
    done = _("The target waits for its publication again.")
    return act(request, lambda: work.publish_again(target, by=by), done, "desk_failed", slug)


@owner_acts
def show(request: HttpRequest, slug: str) -> HttpResponse:
    """Open a contest to everybody, or hide it again."""
    found, by = contest_of(request, slug), referee_of(request)
    if request.POST.get("open") == "yes":
        done = _("The contest is open to everybody.")
        return act(request, lambda: open_contest(found, by=by), done, "desk_contest", slug)
    done = _("The contest is hidden; its teams still see it.")
    return act(request, lambda: hide_contest(found, by=by), done, "desk_contest", slug)
