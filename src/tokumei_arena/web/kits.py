"""Downloads in one piece: the starter kit of a round, and all targets."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from tokumei_arena import contests
from tokumei_arena.addresses import round_of
from tokumei_arena.contests import kit_of
from tokumei_arena.records import sent_file


@require_GET
def kit(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    """Hand out the starter kit of a round."""
    return sent_file(request, kit_of(request.user, round_of(request, slug, kind)))


@require_GET
def all_targets(request: HttpRequest, slug: str, kind: str) -> HttpResponseBase:
    """Hand out the published files of all targets."""
    packed = contests.all_targets(request.user, round_of(request, slug, kind))
    if packed is None:
        raise Http404
    return sent_file(request, packed)
