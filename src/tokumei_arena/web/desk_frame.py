"""What all pages of the referee desk share: who may open them, and how an action ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from tokumei_arena import access
from tokumei_arena.addresses import contest_of
from tokumei_arena.models import Contest, Person, Round, Team
from tokumei_arena.work import was_cut

View = Callable[..., HttpResponse]


def referee_only(*methods: str) -> Callable[[View], View]:
    """Let only referees see a page, by these methods; for everybody else it does not exist."""

    def decorate(view: View) -> View:
        allowed = require_http_methods(methods)(view)

        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not access.is_referee(request.user):
                raise Http404
            return allowed(request, *args, **kwargs)

        return guarded

    return decorate


referee_reads, referee_acts = referee_only("GET"), referee_only("POST")
referee_fills_in = referee_only("GET", "HEAD", "POST")


def referee_of(request: HttpRequest) -> Person:
    """Return the referee who is signed in."""
    return access.need_referee(request.user)


def team_of(request: HttpRequest, slug: str, pk: UUID) -> Team:
    """Return the team of this address."""
    return get_object_or_404(Team, contest=contest_of(request, slug), pk=pk)


def desk_context(contest: Contest, tab: str) -> dict[str, Any]:
    """Return what the tabs of a contest's desk show."""
    rounds: list[Round] = list(contest.rounds.prefetch_related("phases"))
    return {"contest": contest, "rounds": rounds, "tab": tab}


def too_large(request: HttpRequest) -> str:
    """Return what to say if an upload of this request was cut off, or nothing."""
    return _("The file is larger than this server allows.") if was_cut(request) else ""
