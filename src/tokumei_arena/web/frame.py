"""What all pages of a contest share: its name, its rounds, and what this viewer is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from tokumei_arena import access, clock
from tokumei_arena.models import Contest, Phase, Round

__all__ = ["PhaseLine", "RoundLine", "frame", "round_lines"]


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
    return {
        "contest": contest,
        "rounds": rounds,
        "membership": access.membership(request.user, contest),
        "tab": tab,
    }
