"""What all pages share: the frame of a contest, the way to the next step, and how an action ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from tokumei_arena import access
from tokumei_arena.contests import Step, extensions_of, pages_of
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Contest

View = Callable[..., HttpResponse]


def frame(request: HttpRequest, contest: Contest, tab: str) -> dict[str, Any]:
    """Return the context of the tabs above every page of a contest; ``tab`` names the open one."""
    rounds = list(contest.rounds.prefetch_related("phases"))
    member = access.membership(request.user, contest)
    return {
        "contest": contest,
        "rounds": rounds,
        "membership": member,
        "extensions": [] if member is None else extensions_of(contest, member.team),
        "viewer_is_referee": access.sees_all(request.user, contest),
        "pages": pages_of(request.user, contest),
        "tab": tab,
    }


def step_address(request: HttpRequest, step: Step) -> str:
    """Return where the step leads, or nothing; after signing in the viewer comes back."""
    if not step.route:
        return ""
    address = reverse(step.route, args=step.words)
    return f"{address}?next={quote(request.path)}" if step.route == "account_login" else address


def signed_in(*methods: str) -> Callable[[View], View]:
    """Let those who are signed in use a page by these methods; others sign in first."""
    return lambda view: login_required(require_http_methods(methods)(view))


either = require_http_methods(["GET", "HEAD", "POST"])
signed_in_acts, signed_in_fills_in = signed_in("POST"), signed_in("GET", "HEAD", "POST")


def act(request: HttpRequest, action: Callable[[], object], done: str, *to: Any) -> HttpResponse:
    """Do something, say how it went, and go on to a page."""
    try:
        action()
    except ArenaError as error:
        messages.error(request, error.message[:1].upper() + error.message[1:])
    else:
        messages.success(request, done)
    return redirect(*to)
