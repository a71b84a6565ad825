"""The public page of signed heads of the log."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tokumei_arena import access
from tokumei_arena.models import LogHead, Phase, Round

HEADS_PER_PAGE = 100


def _label(kinds: type[Round.Kind | Phase.Kind], value: str) -> str:
    """Return the words for a kind, or the kind itself if this version has none for it."""
    return str(kinds(value).label) if value in kinds.values else value


@require_safe
def log_heads(request: HttpRequest) -> HttpResponse:
    """List signed heads, newest first; a contest is named to those who may see it."""
    page = Paginator(LogHead.objects.order_by("-pk"), HEADS_PER_PAGE).get_page(request.GET.get("page"))
    names = {one.pk: one.name for one in access.contests(request.user)}
    lines = [
        {
            "head": head,
            "contest": names.get(head.contest, _("a contest that is not public")),
            "round": _label(Round.Kind, head.round),
            "phase": _label(Phase.Kind, head.phase),
        }
        for head in page.object_list
    ]
    keys = sorted(set(LogHead.objects.values_list("key", flat=True)))
    return render(request, "people/log_heads.html", {"lines": lines, "page": page, "keys": keys})
