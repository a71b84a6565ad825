"""What all pages share: the frame of a contest, the way to the next step, and how an action ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from tokumei_arena import access, clock
from tokumei_arena.contests import Step
from tokumei_arena.errors import ArenaError
from tokumei_arena.models import Contest, Phase, Round


@dataclass(frozen=True)
class PhaseLine:
    """A phase with what it is now: 'over', 'on' or 'coming'."""

    phase: Phase
    when: str


@dataclass(frozen=True)
class RoundLine:
    """A round with its phases, of which one may be on."""

    round: Round
    phases: Sequence[PhaseLine]
    current: Phase | None


def round_lines(rounds: Sequence[Round]) -> list[RoundLine]:
    """Return the rounds with their phases as of now."""
    return [_line(one) for one in rounds]


def _line(round_: Round) -> RoundLine:
    moment, current = clock.now(), round_.current_phase()
    lines = []
    for phase in round_.phases.all():
        when = "coming" if phase.starts_at > moment else "over"
        lines.append(PhaseLine(phase, "on" if current is not None and phase.pk == current.pk else when))
    return RoundLine(round_, lines, current)


def frame(request: HttpRequest, contest: Contest, tab: str) -> dict[str, Any]:
    """Return the context of the tabs above every page of a contest; ``tab`` names the open one."""
    rounds = list(contest.rounds.prefetch_related("phases"))
    return {"contest": contest, "rounds": rounds, "membership": access.membership(request.user, contest), "tab": tab}


def step_address(request: HttpRequest, step: Step) -> str:
    """Return where the step leads, or nothing; after signing in the viewer comes back."""
    if not step.route:
        return ""
    address = reverse(step.route, args=step.words)
    return f"{address}?next={quote(request.path)}" if step.route == "account_login" else address


def act(request: HttpRequest, action: Callable[[], object], done: str, *to: Any) -> HttpResponse:
    """Do something, say how it went, and go on to a page."""
    try:
        action()
    except ArenaError as error:
        messages.error(request, error.message[:1].upper() + error.message[1:])
    else:
        messages.success(request, done)
    return redirect(*to)
