"""What all pages of the referee desk share: who may open them, and how an action ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from tokumei_arena import access
from tokumei_arena.addresses import contest_of, person_of
from tokumei_arena.models import Contest, Person, Round, Team
from tokumei_arena.work import was_cut

View = Callable[..., HttpResponseBase]
Allowed = Callable[[access.Viewer, Contest], bool]


def _may(viewer: access.Viewer, slug: str | None, method: str | None, writer: Allowed) -> bool:
    """Return whether a viewer may ask for a page of the desk: of a contest by an office in it, else referees only."""
    if slug is None:
        return access.is_referee(viewer)
    contest = Contest.objects.filter(slug=slug).first()
    if contest is None:
        return False
    return writer(viewer, contest) if method == "POST" else access.sees_all(viewer, contest)


def desk_page(*methods: str, writer: Allowed = access.may_run) -> Callable[[View], View]:
    """Let officials see a page of their contest by these methods, and ``writer`` say who of them may change something.

    For everybody else it does not exist. Pages of no contest are for referees of the arena.
    """

    def decorate(view: View) -> View:
        allowed = require_http_methods(methods)(view)

        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not _may(request.user, kwargs.get("slug"), request.method, writer):
                raise Http404
            return allowed(request, *args, **kwargs)

        return guarded

    return decorate


BOTH = ("GET", "HEAD", "POST")
referee_reads, referee_acts, referee_fills_in = desk_page("GET"), desk_page("POST"), desk_page(*BOTH)
owner_acts = desk_page("POST", writer=access.may_own)
owner_fills_in = desk_page(*BOTH, writer=access.may_own)


def office_reads(view: View) -> View:
    """Let everybody with an office see a page, whatever the contest."""
    allowed = require_http_methods(["GET"])(view)

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not access.has_office(request.user):
            raise Http404
        return allowed(request, *args, **kwargs)

    return guarded


def referee_of(request: HttpRequest) -> Person:
    """Return the official who is signed in; what they do asks whether they may."""
    access.need_office(request.user)
    return person_of(request)


def team_of(request: HttpRequest, slug: str, pk: UUID) -> Team:
    """Return the team of this address."""
    return get_object_or_404(Team, contest=contest_of(request, slug), pk=pk)


def desk_context(request: HttpRequest, contest: Contest, tab: str) -> dict[str, Any]:
    """Return what the tabs of a contest's desk show, and what this viewer may do there."""
    rounds: list[Round] = list(contest.rounds.prefetch_related("phases"))
    may_run, may_own = access.may_run(request.user, contest), access.may_own(request.user, contest)
    return {"contest": contest, "rounds": rounds, "tab": tab, "may_run": may_run, "may_own": may_own}


def too_large(request: HttpRequest) -> str:
    """Return what to say if an upload of this request was cut off, or nothing."""
    return _("The file is larger than this server allows.") if was_cut(request) else ""
