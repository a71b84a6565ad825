"""Certificates of participation as PDF, once results are out: for the own team, and at the desk for every team.

WeasyPrint (extra ``pdf``) makes them; without it, or without a font for Japanese, one sentence says so.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from tokumei.errors import ParameterError
from tokumei.reports import check_document, document_bytes
from tokumei_arena import access
from tokumei_arena.addresses import contest_of
from tokumei_arena.boards import archive_ready, counted_rounds, overall_table, ranking_tables, tables
from tokumei_arena.models import Contest, Phase, Team
from tokumei_arena.web.desk_frame import referee_reads, team_of

# Only its ending counts: it says which kind of document is asked for.
NAME = Path("certificate.pdf")
STYLE = Path(__file__).resolve().parents[1] / "static/arena/certificate.css"


def why_no_certificates(contest: Contest) -> str:
    """Return why there are no certificates at this moment, or nothing."""
    if not archive_ready(contest):
        return _("certificates can be made when the results of all rounds are out")
    try:
        check_document(NAME, _language())
    except ParameterError:
        return _(
            "certificates need WeasyPrint on the server (pip install 'tokumei[pdf]') and, in Japanese, "
            "a Japanese font (Debian: fonts-noto-cjk)"
        )
    return ""


def _language() -> str:
    return (get_language() or "en")[:2]


@login_required
@require_GET
def own_certificate(request: HttpRequest, slug: str) -> HttpResponse:
    """Give the certificate of the own team."""
    member = access.membership(request.user, contest_of(request, slug))
    if member is None or member.team.approved_at is None:
        raise Http404
    return _certificate(request, member.team, "team")


@referee_reads
def desk_certificate(request: HttpRequest, slug: str, pk: UUID) -> HttpResponse:
    """Give the certificate of a team to the referees."""
    return _certificate(request, team_of(request, slug, pk), "desk_results")


def _certificate(request: HttpRequest, team: Team, back: str) -> HttpResponse:
    """Return the PDF, or go back to a page that says why there is none."""
    refused = why_no_certificates(team.contest)
    if team.disqualified_at is not None:
        refused = _("a disqualified team has no certificate")
    if refused:
        messages.error(request, f"{refused[:1].upper()}{refused[1:]}")
        return redirect(back, team.contest.slug)
    # The document holds its own style, for nothing is fetched when it is made.
    html = render_to_string("boards/certificate.html", _context(team)).replace("</head>", f"{_style()}</head>")
    response = HttpResponse(document_bytes(html, NAME), content_type="application/pdf")
    response["Content-Disposition"] = f'attachment; filename="{team.contest.slug}-team{team.number}.pdf"'
    return response


def _style() -> str:
    return f"<style>{STYLE.read_text(encoding='utf-8')}</style>"


def _context(team: Team) -> dict[str, Any]:
    contest = team.contest
    rounds = counted_rounds(contest)
    results = overall_table(contest) if len(rounds) > 1 else tables(rounds[0]).table
    names = {str(one.pk): one.name for one in contest.teams.all()}
    places = []
    for table in ranking_tables(results, names, str(team.pk)):
        rank = next((row.rank for row in table.rows if row.own), None)
        places.append({"title": table.title, "rank": rank, "of": sum(row.rank is not None for row in table.rows)})
    out = [
        round_.ceremony_ended_at or getattr(round_.phase_of(Phase.Kind.PUBLISHED), "starts_at", None)
        for round_ in rounds
    ]
    day = max(moment for moment in out if moment is not None)
    return {
        "language": _language(),
        "contest": contest,
        "team": team,
        "members": team.memberships.select_related("person").order_by("created_at"),
        "places": places,
        "day": timezone.localtime(day).date(),
    }
