"""The timetable of a contest: phases are extended, closed or moved, each time with a reason."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from tokumei_arena.addresses import contest_of, round_of
from tokumei_arena.contests import Following, close_phase, edit_phases, extend_phase
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Person, Phase
from tokumei_arena.web.desk_forms import ReasonForm, TimesForm, UntilForm
from tokumei_arena.web.desk_frame import desk_context, referee_acts, referee_of, referee_reads
from tokumei_arena.web.frame import act
from tokumei_arena.web.timeline import round_lines


@referee_reads
def phases(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the timetable."""
    return _page(request, slug)


def _page(request: HttpRequest, slug: str, *, status: int = 200, **wrong: Any) -> HttpResponse:
    context = desk_context(request, contest_of(request, slug), "phases")
    forms = {one.kind: TimesForm(round_=one) for one in context["rounds"]}
    forms |= wrong.get("times", {})
    lines = [{"line": line, "form": forms[line.round.kind]} for line in round_lines(context["rounds"])]
    return render(request, "desk/phases.html", {**context, "lines": lines}, status=status)


def _phase(request: HttpRequest, slug: str, pk: UUID) -> Phase:
    return get_object_or_404(
        Phase.objects.select_related("round__contest"), round__contest=contest_of(request, slug), pk=pk
    )


def _change(
    request: HttpRequest, slug: str, form: ReasonForm, change: Callable[..., None], done: str, *fields: str
) -> HttpResponse:
    """Change a phase by what a form says, and go back to the timetable with a word on how it went."""
    if not form.is_valid():
        for errors in form.errors.values():
            messages.error(request, " ".join(str(error) for error in errors))
        return redirect("desk_phases", slug)
    values, by = [form.cleaned_data[name] for name in fields], referee_of(request)
    return act(request, lambda: change(*values, by=by, reason=form.cleaned_data["reason"]), done, "desk_phases", slug)


@referee_acts
def extend(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Move the end of a phase; later phases move with it."""
    phase, done = _phase(request, slug, pk), _("The end of the phase is moved.")

    def change(until: datetime, following: Following, *, by: Person, reason: str) -> None:
        extend_phase(phase, until, by=by, reason=reason, following=following)

    return _change(request, slug, UntilForm(request.POST), change, done, "until", "following")


@referee_acts
def close(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """End a phase now; the next one begins at once."""
    change, done = partial(close_phase, _phase(request, slug, pk)), _("The phase is closed.")
    return _change(request, slug, ReasonForm(request.POST), change, done)


@referee_acts
def move(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Set the times of all phases of a round."""
    round_, by = round_of(request, slug, kind), referee_of(request)
    form = TimesForm(request.POST, round_=round_)
    if not form.is_valid():
        return _page(request, slug, status=400, times={kind: form})
    try:
        edit_phases(round_, form.times(), by=by, reason=form.cleaned_data["reason"])
    except ArenaError as error:
        form.add_error(None, error.message)
        return _page(request, slug, status=error.status, times={kind: form})
    messages.success(request, _("The timetable is changed."))
    return redirect("desk_phases", slug)
