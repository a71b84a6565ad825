"""Announcements, and questions of teams with their answers."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from tokumei_arena import contests
from tokumei_arena.addresses import contest_of
from tokumei_arena.contests import announcements_of, questions_of
from tokumei_arena.models import Announcement
from tokumei_arena.web.desk_forms import AnnouncementForm, AnswerForm
from tokumei_arena.web.desk_frame import desk_context, referee_acts, referee_of, referee_reads
from tokumei_arena.web.frame import act


@referee_reads
def notices(request: HttpRequest, slug: str) -> HttpResponse:
    """Show announcements and questions; those without an answer come first."""
    return _page(request, slug)


def _page(request: HttpRequest, slug: str, *, status: int = 200, **more: Any) -> HttpResponse:
    contest = contest_of(request, slug)
    questions: list[dict[str, Any]] = [
        {
            "question": one,
            "form": AnswerForm(prefix=str(one.pk), initial={"answer": one.answer, "for_everybody": one.for_everybody}),
        }
        for one in questions_of(request.user, contest)
    ]
    questions.sort(key=lambda one: one["question"].answered_at is not None)
    context = {
        **desk_context(request, contest, "notices"),
        "announcements": announcements_of(contest),
        "questions": questions,
        "form": AnnouncementForm(),
        **more,
    }
    return render(request, "desk/notices.html", context, status=status)


@referee_acts
def announce(request: HttpRequest, slug: str) -> HttpResponse:
    """Tell everybody something."""
    contest, by, form = contest_of(request, slug), referee_of(request), AnnouncementForm(request.POST)
    if not form.is_valid():
        return _page(request, slug, status=400, form=form)
    title, body = form.cleaned_data["title"], form.cleaned_data["body"]
    done = _("The announcement is out.")
    return act(request, lambda: contests.announce(contest, title, body, by=by), done, "desk_notices", slug)


@referee_acts
def withdraw(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Take an announcement back."""
    found = get_object_or_404(Announcement, contest=contest_of(request, slug), pk=pk)
    by = referee_of(request)
    done = _("The announcement is withdrawn.")
    return act(request, lambda: contests.withdraw(found, by=by), done, "desk_notices", slug)


@referee_acts
def answer(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Answer a question."""
    contest, by = contest_of(request, slug), referee_of(request)
    found = get_object_or_404(questions_of(request.user, contest), pk=pk)
    form = AnswerForm(request.POST, prefix=str(found.pk))
    if not form.is_valid():
        return redirect("desk_notices", slug)
    text, everybody = form.cleaned_data["answer"], form.cleaned_data["for_everybody"]
    done = _("The answer is out.")
    return act(
        request, lambda: contests.answer(found, text, for_everybody=everybody, by=by), done, "desk_notices", slug
    )
