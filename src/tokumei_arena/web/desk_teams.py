"""The teams of a contest: approved, disqualified with a reason, reinstated."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from tokumei_arena.addresses import contest_of
from tokumei_arena.boards import archive_ready
from tokumei_arena.contests import end_extension, extend_for_team, extensions_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.teams import approve, disqualify, reinstate
from tokumei_arena.web.desk_event_forms import ExtensionForm
from tokumei_arena.web.desk_frame import desk_context, referee_acts, referee_of, referee_reads, team_of
from tokumei_arena.web.frame import act


@referee_reads
def teams(request: HttpRequest, slug: str) -> HttpResponse:
    """Show all teams with their members and how much they handed in."""
    return _page(request, slug)


def _page(request: HttpRequest, slug: str, longer: ExtensionForm | None = None) -> HttpResponse:
    contest = contest_of(request, slug)
    listed = contest.teams.prefetch_related("memberships__person").annotate(
        valid=Count("submissions", filter=Q(submissions__verdict="valid"), distinct=True),
        handed_in=Count("submissions", distinct=True),
    )
    context = {
        **desk_context(request, contest, "teams"),
        "teams": listed,
        "extensions": extensions_of(contest),
        "results_out": archive_ready(contest),
        "longer": longer or ExtensionForm(contest=contest),
    }
    return render(request, "desk/teams.html", context, status=400 if longer else 200)


@referee_acts
def decide(request: HttpRequest, slug: str, pk: UUID, decision: str) -> HttpResponse:
    """Approve, disqualify or reinstate a team."""
    team, by, reason = team_of(request, slug, pk), referee_of(request), request.POST.get("reason", "")[:2000]
    decisions: dict[str, tuple[Callable[[], None], str]] = {
        "approve": (lambda: approve(team, by), _("The team takes part.")),
        "disqualify": (lambda: disqualify(team, by, reason), _("The team is disqualified.")),
        "reinstate": (lambda: reinstate(team, by, reason), _("The team takes part again.")),
    }
    if decision not in decisions:
        raise Http404
    action, done = decisions[decision]
    return act(request, action, done, "desk_teams", slug)


@referee_acts
def extend(request: HttpRequest, slug: str) -> HttpResponse:
    """Let a phase last longer for one team."""
    form, by = ExtensionForm(request.POST, contest=contest_of(request, slug)), referee_of(request)
    if form.is_valid():
        wanted = form.cleaned_data
        try:
            extend_for_team(wanted["phase"], wanted["team"], wanted["until"], by=by, reason=wanted["reason"])
        except ArenaError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("The phase lasts longer for this team; its pages say so."))
            return redirect("desk_teams", slug)
    return _page(request, slug, form)


@referee_acts
def end_extra_time(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Take the longer phase of a team back."""
    found = get_object_or_404(extensions_of(contest_of(request, slug)), pk=pk)
    by, reason = referee_of(request), request.POST.get("reason", "")[:500]
    done = _("The extension is ended.")
    return act(request, lambda: end_extension(found, by=by, reason=reason), done, "desk_teams", slug)
