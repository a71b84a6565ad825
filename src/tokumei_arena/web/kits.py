"""Downloads in one piece: the starter kit of a round, and all targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.files.base import File
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_GET

from tokumei_arena import contests
from tokumei_arena.addresses import round_of
from tokumei_arena.contests import kit_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.records import sent_file


@require_GET
def kit(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    """Hand out the starter kit of a round."""
    round_ = round_of(request, slug, kind)
    return _sent(request, lambda: kit_of(request.user, round_), slug, kind)


@require_GET
def all_targets(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    """Hand out the published files of all targets."""
    round_ = round_of(request, slug, kind)
    return _sent(request, lambda: contests.all_targets(request.user, round_), slug, kind)


def _sent(request: HttpRequest, pack: Callable[[], File[Any] | None], slug: str, kind: str) -> HttpResponseBase:
    """Send what was packed; say on the page of the round why it was not."""
    try:
        packed = pack()
    except ArenaError as error:
        messages.error(request, error.message[:1].upper() + error.message[1:])
        return redirect("round", slug, kind)
    if packed is None:
        raise Http404
    return sent_file(request, packed)
