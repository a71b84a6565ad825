"""The audit log: filtered, exported, and whether it is whole."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

from django.core.cache import caches
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from tokumei_arena.addresses import contest_of
from tokumei_arena.models import Contest, LogEntry, Person, Team
from tokumei_arena.records import LogFilter, LogState, log_state, values_of_entry
from tokumei_arena.web.desk_frame import desk_context, referee_reads
from tokumei_arena.web.exports import MARK, neutral

ENTRIES_PER_PAGE = 100
# Walking the chain takes time: viewers who come within this many seconds share one walk.
CHECK_SECONDS = 30
HEX = re.compile("[0-9a-f]{64}")
LONGEST_DETAIL = 160
COLUMNS = ("number", "at", "actor", "action", "contest", "object", "detail", "previous", "hash")


def _state() -> LogState:
    """Return whether the log is whole, as of some seconds ago at most."""
    found = caches["pages"].get_or_set("desk:log-state", log_state, CHECK_SECONDS)
    assert isinstance(found, LogState)
    return found


@referee_reads
def log(request: HttpRequest) -> HttpResponse:
    """Show the log of the whole arena; that of a contest has a page of its own."""
    wanted = request.GET.get("contest", "")
    if wanted and Contest.objects.filter(slug=wanted).exists():
        rest = request.GET.copy()
        del rest["contest"]
        return redirect(f"{reverse('desk_contest_log', args=[wanted])}?{rest.urlencode()}")
    return _page(request, None)


@referee_reads
def contest_log(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the log of a contest."""
    return _page(request, contest_of(request, slug))


def _page(request: HttpRequest, wanted: Contest | None) -> HttpResponse:
    """Show the audit log, newest first, and whether it is whole."""
    asked = LogFilter.of(request.GET.dict())
    entries = asked.entries(None if wanted is None else wanted.pk)
    contests = {one.pk: one for one in Contest.objects.all()}
    page = Paginator(entries.reverse(), ENTRIES_PER_PAGE).get_page(request.GET.get("page"))
    names = {str(one.pk): one.name for one in Person.objects.filter(pk__in=_actors(page.object_list))}
    teams = {str(one.pk): one.name for one in Team.objects.filter(pk__in=_named_teams(page.object_list))}
    lines = [
        {
            "entry": entry,
            "actor": names.get(entry.actor, entry.actor[:8]),
            "contest": contests.get(entry.contest) if entry.contest else None,
            "detail": [(name, _short(value, teams)) for name, value in entry.detail.items() if value not in ("", None)],
        }
        for entry in page.object_list
    ]
    kept = request.GET.copy()
    kept.pop("page", None)
    context = {
        **({} if wanted is None else desk_context(request, wanted, "log")),
        "lines": lines,
        "page": page,
        "state": _state(),
        "contests": contests.values() if wanted is None else [],
        "wanted": wanted,
        "asked": asked,
        "kept": kept.urlencode(),
        "actions": _kinds(wanted),
    }
    return render(request, "desk/log.html" if wanted is None else "desk/contest_log.html", context)


def _kinds(wanted: Contest | None) -> list[str]:
    """Return the kinds of actions that there are, for the list to choose from."""
    rows = LogEntry.objects.all() if wanted is None else LogEntry.objects.filter(contest=wanted.pk)
    return sorted(set(rows.order_by().values_list("action", flat=True).distinct()))


def _named_teams(entries: Any) -> list[str]:
    return [entry.detail["team"] for entry in entries if entry.detail.get("team")]


def _short(value: Any, teams: dict[str, str]) -> str:
    """Return a detail as people read it: teams by name, hashes by their beginning, nothing endless."""
    text = teams.get(str(value), str(value))
    if HEX.fullmatch(text):
        return f"{text[:12]}…"
    return text if len(text) <= LONGEST_DETAIL else f"{text[: LONGEST_DETAIL - 1]}…"


def _actors(entries: Any) -> list[str]:
    return [entry.actor for entry in entries if entry.actor != "system"]


@referee_reads
def log_export(request: HttpRequest, ending: str) -> StreamingHttpResponse:
    """Give the log of the whole arena, as far as it passes the filter."""
    return _export(request, None, ending)


@referee_reads
def contest_log_export(request: HttpRequest, slug: str, ending: str) -> StreamingHttpResponse:
    """Give the log of a contest, as far as it passes the filter."""
    return _export(request, contest_of(request, slug), ending)


def _export(request: HttpRequest, wanted: Contest | None, ending: str) -> StreamingHttpResponse:
    """Stream entries with their hashes; persons are ids, as the log keeps them."""
    asked = LogFilter.of(request.GET.dict())
    entries = asked.entries(None if wanted is None else wanted.pk)
    pieces, kind = (_csv(entries), "text/csv") if ending == "csv" else (_jsonl(entries), "application/x-ndjson")
    response = StreamingHttpResponse(pieces, content_type=f"{kind}; charset=utf-8")
    name = "arena" if wanted is None else wanted.slug
    response["Content-Disposition"] = f'attachment; filename="{name}-log.{ending}"'
    return response


def _jsonl(entries: QuerySet[LogEntry]) -> Iterator[str]:
    for entry in entries.iterator():
        yield json.dumps({**values_of_entry(entry), "hash": entry.hash}, ensure_ascii=False) + "\n"


def _csv(entries: QuerySet[LogEntry]) -> Iterator[str]:
    yield f"{MARK}{','.join(COLUMNS)}\r\n"
    for entry in entries.iterator():
        values = {**values_of_entry(entry), "hash": entry.hash}
        values["detail"] = json.dumps(values["detail"], ensure_ascii=False)
        text = io.StringIO()
        csv.writer(text, lineterminator="\r\n").writerow([neutral(values[name]) for name in COLUMNS])
        yield text.getvalue()
