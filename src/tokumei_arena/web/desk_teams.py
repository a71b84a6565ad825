"""The teams of a contest: approved, disqualified with a reason, reinstated."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from tokumei_arena.addresses import contest_of
from tokumei_arena.teams import approve, disqualify, reinstate
from tokumei_arena.web.desk_frame import desk_context, referee_acts, referee_of, referee_reads, team_of
from tokumei_arena.web.frame import act


@referee_reads
def teams(request: HttpRequest, slug: str) -> HttpResponse:
    """Show all teams with their members and how much they handed in."""
    contest = contest_of(request, slug)
    listed = contest.teams.prefetch_related("memberships__person").annotate(
        valid=Count("submissions", filter=Q(submissions__verdict="valid"), distinct=True),
        handed_in=Count("submissions", distinct=True),
    )
    return render(request, "desk/teams.html", {**desk_context(contest, "teams"), "teams": listed})


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
