"""The phases of a contest as a timeline with words, and the next deadline with the time that is left until it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tokumei_arena import clock
from tokumei_arena.models import Phase, Round

# What happens in each phase, in a sentence.
MEANING = {
    Phase.Kind.REGISTRATION: gettext_lazy("Teams register and accept the terms."),
    Phase.Kind.ANONYMIZE: gettext_lazy("Teams make the data anonymous and hand it in; the checker answers at once."),
    Phase.Kind.ATTACK: gettext_lazy("Every team looks for people in the data of the others."),
    Phase.Kind.SCORING: gettext_lazy("The referees check the scores."),
    Phase.Kind.PUBLISHED: gettext_lazy("Rankings, charts and all attacks are shown."),
}


@dataclass(frozen=True)
class PhaseLine:
    """A phase with what it is now ('over', 'on' or 'coming') and what happens in it."""

    phase: Phase
    when: str

    @property
    def meaning(self) -> str:
        """What happens in this phase."""
        return str(MEANING[Phase.Kind(self.phase.kind)])


@dataclass(frozen=True)
class RoundLine:
    """A round with its phases, of which one may be on."""

    round: Round
    phases: Sequence[PhaseLine]
    current: Phase | None


@dataclass(frozen=True)
class Deadline:
    """What happens next, when, and how many seconds are left until then."""

    text: str
    moment: datetime
    seconds: int


def phase_meanings() -> list[tuple[str, str]]:
    """Return every phase with what happens in it, for those who see a contest for the first time."""
    return [(str(kind.label), str(MEANING[kind])) for kind in Phase.Kind]


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


def next_deadline(round_: Round | None) -> Deadline | None:
    """Return when the phase of a round ends or, where none is on that ends, when the next one begins."""
    if round_ is None:
        return None
    now, current = clock.now(), round_.current_phase()
    if current is not None and current.ends_at is not None:
        text = _("“%(phase)s” ends in") % {"phase": current.get_kind_display()}
        return Deadline(text, current.ends_at, _seconds(current.ends_at, now))
    coming = min(
        (one for one in round_.phases.all() if one.starts_at > now), key=lambda one: one.starts_at, default=None
    )
    if coming is None:
        return None
    text = _("“%(phase)s” begins in") % {"phase": coming.get_kind_display()}
    return Deadline(text, coming.starts_at, _seconds(coming.starts_at, now))


def _seconds(moment: datetime, now: datetime) -> int:
    return max(0, int((moment - now).total_seconds()))
