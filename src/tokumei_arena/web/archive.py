"""The public archive of a finished contest: rankings, chart, matrix, and files of teams that agreed."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from tokumei.contests import file_name, find_contest
from tokumei_arena.addresses import contest_of
from tokumei_arena.boards import archived_table, archived_tables, ranking_tables
from tokumei_arena.models import Contest, PublicFile, kind_label
from tokumei_arena.records import attachment
from tokumei_arena.web.boards import matrix_context, trade_off
from tokumei_arena.web.frame import frame
from tokumei_arena.wording import in_language

OVERALL = "overall"


def _archived(request: HttpRequest, slug: str) -> tuple[Contest, dict[str, Any]]:
    contest = contest_of(request, slug)
    if contest.archive is None:
        raise Http404
    return contest, contest.archive


@require_GET
def archive(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a part of the archive: the overall ranking, or a round."""
    contest, document = _archived(request, slug)
    rounds = {one["kind"]: one for one in document["rounds"]}
    names = [(kind, one["name"] or kind_label(kind)) for kind, one in rounds.items()]
    wanted = request.GET.get("round") or (OVERALL if document["overall"] else names[0][0])
    if wanted not in rounds and not (wanted == OVERALL and document["overall"]):
        raise Http404
    context = {
        **frame(request, contest, "archive"),
        "parts": [(OVERALL, ""), *names] if document["overall"] else names,
        "wanted": wanted,
        "title": in_language(find_contest(contest.rule_set).title),
        "version": document["rule_version"],
        "files": _files(contest),
        **(_overall(document["overall"]) if wanted == OVERALL else _round(contest, rounds[wanted])),
    }
    return render(request, "boards/archive.html", context)


def _files(contest: Contest) -> list[PublicFile]:
    found = PublicFile.objects.filter(round__contest=contest).select_related("team", "round", "blob")
    return list(found.order_by("round__position", "team__number", "name"))


def _overall(document: dict[str, Any]) -> dict[str, Any]:
    return {"rankings": ranking_tables(archived_table(document["table"]), document["names"])}


def _round(contest: Contest, document: dict[str, Any]) -> dict[str, Any]:
    rules, found = find_contest(contest.rule_set), archived_tables(document)
    return {
        "rankings": ranking_tables(found.table, found.names),
        **trade_off(rules, found, ""),
        **matrix_context(rules, found.matrix),
    }


@require_GET
def archive_json(request: HttpRequest, slug: str) -> HttpResponse:
    """Give the archive as plain values."""
    contest, document = _archived(request, slug)
    about = {"contest": contest.slug, "name": contest.name, "made_at": contest.archived_at}
    response = JsonResponse({**about, **document}, json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = f'attachment; filename="{contest.slug}-archive.json"'
    return response


@require_GET
def archive_file(request: HttpRequest, slug: str, pk: UUID) -> HttpResponseBase:
    """Hand out a file of the archive."""
    contest, _document = _archived(request, slug)
    file = get_object_or_404(PublicFile.objects.select_related("team", "round", "blob"), round__contest=contest, pk=pk)
    return attachment(request, file.blob, f"{file.round.kind}-team{file.team.number}-{file_name(file.name)}")
