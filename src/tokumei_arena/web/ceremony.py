"""The ceremony: everybody watches ranks appear, a referee reveals them; and what else ends a contest at the desk."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from tokumei_arena import access
from tokumei_arena.addresses import contest_of, round_of
from tokumei_arena.boards import archive_ready, end_ceremony, make_archive, remove_archive, reveal_next, revealing
from tokumei_arena.models import Phase, Round
from tokumei_arena.web.certificates import why_no_certificates
from tokumei_arena.web.desk_frame import desk_context, owner_acts, referee_acts, referee_of, referee_reads
from tokumei_arena.web.frame import act, frame


@require_GET
def ceremony(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show the ranks that were revealed so far, large enough for a hall."""
    round_ = _round(request, slug, kind)
    shared = frame(request, round_.contest, "board")
    return render(request, "boards/ceremony.html", {**shared, **_shown(request, round_)})


@require_GET
def ceremony_part(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show the part of the ceremony that changes."""
    return render(request, "boards/ceremony_part.html", _shown(request, _round(request, slug, kind)))


def _round(request: HttpRequest, slug: str, kind: str) -> Round:
    """Return the round if it has a ceremony and its results are due."""
    found = round_of(request, slug, kind)
    if not found.ceremony or not found.has_begun(Phase.Kind.PUBLISHED):
        raise Http404
    return found


def _shown(request: HttpRequest, round_: Round) -> dict[str, Any]:
    member = access.membership(request.user, round_.contest)
    own = "" if member is None else str(member.team_id)
    return {
        "contest": round_.contest,
        "round": round_,
        "shown": revealing(round_, own),
        "live": round_.at_ceremony(),
        "may_run": access.may_run(request.user, round_.contest),
    }


@referee_reads
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how the contest ends: ceremonies, certificates, the public archive."""
    contest = contest_of(request, slug)
    shared = desk_context(request, contest, "results")
    context = {
        **shared,
        "lines": [
            {
                "round": one,
                "due": one.has_begun(Phase.Kind.PUBLISHED),
                "out": one.results_out(),
                "shown": revealing(one) if one.at_ceremony() else [],
            }
            for one in shared["rounds"]
        ],
        "ready": archive_ready(contest),
        "agreed": contest.teams.filter(publishes=True, approved_at__isnull=False),
        "teams": contest.teams.filter(approved_at__isnull=False),
        "no_certificates": why_no_certificates(contest),
    }
    return render(request, "desk/results.html", context)


@referee_acts
def reveal(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Reveal the next rank of a ranking."""
    round_, by, key = round_of(request, slug, kind), referee_of(request), request.POST.get("ranking", "")
    return act(request, lambda: reveal_next(round_, key, by=by), _("Revealed."), "desk_results", slug)


@referee_acts
def end(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """End a ceremony: everybody sees everything."""
    round_, by = round_of(request, slug, kind), referee_of(request)
    done = _("The ceremony is over; everybody sees the results.")
    return act(request, lambda: end_ceremony(round_, by=by), done, "desk_results", slug)


@owner_acts
def archive_make(request: HttpRequest, slug: str) -> HttpResponse:
    """Make the public archive."""
    contest, by = contest_of(request, slug), referee_of(request)
    return act(request, lambda: make_archive(contest, by=by), _("The archive is public."), "desk_results", slug)


@owner_acts
def archive_remove(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the public archive back."""
    contest, by, reason = contest_of(request, slug), referee_of(request), request.POST.get("reason", "")[:500]
    done = _("The archive is withdrawn.")
    return act(request, lambda: remove_archive(contest, by=by, reason=reason), done, "desk_results", slug)
