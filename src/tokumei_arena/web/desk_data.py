"""The data of a round: uploaded and checked, or generated; common to all teams, or private to each."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.files.base import File
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tokumei.contests import find_contest
from tokumei_arena.addresses import round_of
from tokumei_arena.contests import (
    DataRefusedError,
    DataReport,
    can_generate,
    generate_common,
    generate_private,
    put_data,
    remove_data,
    teams_without_data,
)
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import DataFile, Round, Team
from tokumei_arena.web.desk_forms import GenerateForm
from tokumei_arena.web.desk_frame import desk_context, referee_acts, referee_fills_in, referee_of, too_large
from tokumei_arena.web.frame import act
from tokumei_arena.wording import in_language


@referee_fills_in
def data(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show what a round hands out, and take new files."""
    round_ = round_of(request, slug, kind)
    if request.method != "POST":
        return _page(request, round_)
    cut = too_large(request)
    if cut:
        return _page(request, round_, status=413, refused=cut)
    try:
        team = _team(round_, request.POST.get("team", ""))
        report = put_data(round_, _files(request), by=referee_of(request), team=team)
    except DataRefusedError as error:
        return _page(request, round_, status=error.status, refused=error.message, findings=_told(error.findings))
    except ArenaError as error:
        return _page(request, round_, status=error.status, refused=error.message)
    messages.success(request, _stored(report))
    return redirect("desk_data", slug, kind)


def _files(request: HttpRequest) -> dict[str, File[Any]]:
    return {name: file for name, file in request.FILES.items() if isinstance(file, File)}


def _stored(report: DataReport) -> str:
    facts = ", ".join(f"{name} {value:,}" for name, value in report.figures.items() if isinstance(value, int))
    return _("The data is checked and stored (%(facts)s).") % {"facts": facts}


def _team(round_: Round, pk: str) -> Team | None:
    """Return the chosen team; no team means common data."""
    if not pk:
        return None
    try:
        return get_object_or_404(round_.contest.teams, pk=UUID(pk))
    except ValueError:
        raise Http404 from None


def _told(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**found, "text": in_language(found["message"])} for found in findings]


def _page(request: HttpRequest, round_: Round, *, status: int = 200, **more: Any) -> HttpResponse:
    contest = round_.contest
    rules = find_contest(contest.rule_set)
    files = DataFile.objects.filter(round=round_).select_related("team", "blob").order_by("team__number", "name")
    # Private tables are as long as the common one they are drawn from, unless somebody wants another length.
    sizes = rules.sizes
    usual = None if round_.private_data or sizes is None else sizes.default
    context = {
        **desk_context(request, contest, "data"),
        "round": round_,
        "files": files,
        "specs": [{"spec": spec, "about": in_language(spec.about)} for spec in rules.data_files],
        "teams": contest.teams.filter(approved_at__isnull=False) if round_.private_data else [],
        "without": teams_without_data(round_),
        "can_generate": can_generate(round_),
        "generate_form": None if sizes is None else GenerateForm(low=sizes.low, high=sizes.high, usual=usual),
        "used": round_.submissions.exists(),
        **more,
    }
    return render(request, "desk/data.html", context, status=status)


@referee_acts
def generate(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Make synthetic data for the round: for all, or for every team that has none."""
    round_, by = round_of(request, slug, kind), referee_of(request)
    text = request.POST.get("subjects", "")
    subjects = int(text) if text.isdecimal() else None
    try:
        if round_.private_data:
            count = len(generate_private(round_, by=by, subjects=subjects))
            done = ngettext("%(count)d team got data of its own.", "%(count)d teams got data of their own.", count)
            messages.success(request, done % {"count": count})
        else:
            messages.success(request, _stored(generate_common(round_, by=by, subjects=subjects)))
    except ArenaError as error:
        return _page(request, round_, status=error.status, refused=error.message)
    return redirect("desk_data", slug, kind)


@referee_acts
def remove(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Take the data of a round (or of one team) back."""
    round_, by = round_of(request, slug, kind), referee_of(request)
    team = _team(round_, request.POST.get("team", ""))
    done = _("The data is removed.")
    return act(request, lambda: remove_data(round_, by=by, team=team), done, "desk_data", slug, kind)
