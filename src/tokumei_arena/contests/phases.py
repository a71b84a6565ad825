"""Which phase a round is in: it follows from the times of its phases and the clock whenever somebody asks."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from tokumei_arena import clock
from tokumei_arena.errors import NotAllowedError, NotNowError, RefusedError
from tokumei_arena.models import Person, Phase, Round
from tokumei_arena.records import logbook

__all__ = [
    "attack_began",
    "close_phase",
    "current_phase",
    "extend_phase",
    "has_ended",
    "need_reason",
    "over",
    "phase_of",
    "refuse_reopening",
    "require",
]

Kind = Phase.Kind


def phase_of(round_: Round, kind: str) -> Phase | None:
    """Return the phase of this kind."""
    return next((phase for phase in round_.phases.all() if phase.kind == kind), None)


def current_phase(round_: Round, *, at: datetime | None = None) -> Phase | None:
    """Return the phase that is on, the one that began last if two overlap; None between phases."""
    moment = at or clock.now()
    on = [phase for phase in round_.phases.all() if phase.starts_at <= moment and not _over(phase, moment)]
    return max(on, key=lambda phase: (phase.starts_at, list(Kind).index(Kind(phase.kind))), default=None)


def _over(phase: Phase, moment: datetime) -> bool:
    return phase.ends_at is not None and phase.ends_at <= moment


def has_ended(round_: Round, kind: str) -> bool:
    """Return whether the phase of this kind is over."""
    phase = phase_of(round_, kind)
    return phase is not None and _over(phase, clock.now())


def attack_began(round_: Round) -> bool:
    """Return whether targets are (or were) open to attackers."""
    phase = phase_of(round_, Kind.ATTACK)
    return phase is not None and phase.starts_at <= clock.now()


def require(round_: Round, kind: str) -> Phase:
    """Return the phase if it is on; otherwise say when it is."""
    phase = phase_of(round_, kind)
    on = current_phase(round_)
    if phase is not None and on is not None and on.pk == phase.pk:
        return phase
    label = Kind(kind).label
    if phase is None:
        raise NotNowError(_("this round has no phase “%(phase)s”") % {"phase": label}, code="no-such-phase")
    if phase.starts_at > clock.now():
        raise NotNowError(_("the phase “%(phase)s” has not begun") % {"phase": label}, code="phase-not-begun")
    raise over(kind)


def over(kind: str) -> NotNowError:
    """Return the refusal of what comes after a phase."""
    return NotNowError(_("the phase “%(phase)s” is over") % {"phase": Kind(kind).label}, code="phase-over")


def extend_phase(phase: Phase, until: datetime, *, by: Person, reason: str) -> None:
    """Move the end of a phase; later phases of the round that would begin before it are pushed back as far."""
    _need_referee(by)
    need_reason(reason)
    with transaction.atomic():
        phase = Phase.objects.select_for_update().get(pk=phase.pk)
        if phase.ends_at is None or until <= phase.starts_at:
            raise RefusedError(_("a phase must end after it begins"), code="bad-time")
        if until <= clock.now():
            raise RefusedError(_("the new end must lie in the future; to end a phase now, close it"), code="past-time")
        if _over(phase, clock.now()):
            refuse_reopening(phase)
        before, shift = phase.ends_at, until - phase.ends_at
        if shift.total_seconds() > 0:
            for later in phase.round.phases.filter(starts_at__gte=before).exclude(pk=phase.pk):
                later.starts_at += shift
                later.ends_at = None if later.ends_at is None else later.ends_at + shift
                later.save(update_fields=["starts_at", "ends_at"])
        phase.ends_at = until
        phase.save(update_fields=["ends_at"])
        logbook.record(
            "phase.extend",
            actor=by,
            contest=phase.round.contest,
            object_id=phase.pk,
            round=phase.round.kind,
            phase=phase.kind,
            before=before.isoformat(),
            after=until.isoformat(),
            reason=reason,
        )


def close_phase(phase: Phase, *, by: Person, reason: str) -> None:
    """End a phase now and begin the next one at once."""
    _need_referee(by)
    need_reason(reason)
    moment = clock.now()
    with transaction.atomic():
        phase = Phase.objects.select_for_update().get(pk=phase.pk)
        if phase.starts_at > moment or (phase.ends_at is not None and phase.ends_at <= moment):
            raise NotNowError(_("this phase is not on"), code="phase-not-on")
        phase.ends_at = moment
        phase.save(update_fields=["ends_at"])
        following = phase.round.phases.filter(starts_at__gt=moment).order_by("starts_at").first()
        if following is not None:
            following.starts_at = moment
            following.save(update_fields=["starts_at"])
        logbook.record(
            "phase.close",
            actor=by,
            contest=phase.round.contest,
            object_id=phase.pk,
            round=phase.round.kind,
            phase=phase.kind,
            at=moment.isoformat(),
            reason=reason,
        )


def refuse_reopening(phase: Phase) -> None:
    """Raise if a phase that is over must stay over, because others have seen what it led to."""
    if phase.kind == Kind.ANONYMIZE and phase.round.targets.exists():
        message = _("the releases of this round are published already; anonymization cannot begin again")
        raise NotNowError(message, code="already-published")
    results = phase_of(phase.round, Kind.PUBLISHED)
    if results is not None and results.starts_at <= clock.now():
        raise NotNowError(_("the results of this round are out; its phases stay as they are"), code="results-out")


def _need_referee(by: Person) -> None:
    if not (by.is_active and by.is_referee):
        raise NotAllowedError(_("only referees may do this"), code="not-referee")


def need_reason(reason: str) -> None:
    """Raise unless a reason is given."""
    if not reason.strip():
        raise RefusedError(_("say why: the reason is kept in the log"), code="reason-missing")
