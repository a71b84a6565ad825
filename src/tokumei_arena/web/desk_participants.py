"""Participants by CSV: checked as a whole, all faults shown together, then invited."""

from __future__ import annotations

from typing import Any

from django.core.files.base import File
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from tokumei_arena.addresses import contest_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Contest
from tokumei_arena.teams import ListRefusedError, check_list, invite_list, mail_goes_out
from tokumei_arena.web.desk_frame import desk_context, referee_fills_in, referee_of, too_large

LONGEST_PASTED = 1_000_000


@referee_fills_in
def participants(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a list of teams and addresses; a list with faults changes nothing."""
    contest = contest_of(request, slug)
    if request.method != "POST":
        return _page(request, contest)
    file, text = request.FILES.get("file"), request.POST.get("text", "")
    data = file.read(LONGEST_PASTED + 1) if isinstance(file, File) else text.encode()
    if not data.strip():
        return _page(request, contest, status=400, refused=too_large(request) or _("Choose a file or write a list."))
    kept: dict[str, Any] = {"text": text if not isinstance(file, File) else ""}
    try:
        if "check" in request.POST:
            lines = check_list(contest, data)
            return _page(request, contest, checked=len(lines), **kept)
        done = invite_list(contest, data, by=referee_of(request), address_of=lambda token: _address(request, token))
    except ListRefusedError as error:
        return _page(request, contest, status=error.status, refused=error.message, faults=error.faults, **kept)
    except ArenaError as error:
        return _page(request, contest, status=error.status, refused=error.message, **kept)
    return _page(request, contest, done=done)


def _address(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("join_team", args=[token]))


def _page(request: HttpRequest, contest: Contest, *, status: int = 200, **more: Any) -> HttpResponse:
    context = {**desk_context(request, contest, "teams"), "mail": mail_goes_out(), **more}
    return render(request, "desk/participants.html", context, status=status)
