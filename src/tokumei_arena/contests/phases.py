"""The timetable of a round as referees change it: phases are extended, closed or moved, each time with a reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from tokumei_arena import access, clock
from tokumei_arena.errors import NotNowError, RefusedError
from tokumei_arena.models import Person, Phase, Round
from tokumei_arena.records import record

Kind = Phase.Kind


class Following(StrEnum):
    """What becomes of the next rounds when an extended one would last into them."""

    ASK = "ask"
    MOVE = "move"
    STAY = "stay"


def extend_phase(
    phase: Phase, until: datetime, *, by: Person, reason: str, following: Following = Following.ASK
) -> None:
    """Move the end of a phase; phases to come that would begin before it are pushed back as far.

    A phase that has begun is never moved: only registration can be open beside it.
    """
    access.need_referee(by, phase.round.contest)
    access.need_reason(reason)
    with transaction.atomic():
        phase = Phase.objects.select_for_update().get(pk=phase.pk)
        if phase.ends_at is None or until <= phase.starts_at:
            raise RefusedError(_("a phase must end after it begins"), code="bad-time")
        if until <= clock.now():
            raise RefusedError(_("the new end must lie in the future; to end a phase now, close it"), code="past-time")
        if phase.is_over(clock.now()):
            _refuse_reopening(phase)
        before, shift = phase.ends_at, until - phase.ends_at
        later = list(phase.round.phases.select_for_update().filter(starts_at__gte=before).exclude(pk=phase.pk))
        begun = [one for one in later if one.starts_at <= clock.now()]
        if begun and phase.kind != Kind.REGISTRATION:
            message = _("the phase “%(phase)s” has begun and is never moved; give what you need as times of its own")
            raise NotNowError(message % {"phase": begun[-1].get_kind_display()}, code="phase-begun")
        if shift.total_seconds() > 0 and not begun:
            _move_next_rounds(phase.round, shift, following)
            _push_back(later, shift)
        phase.ends_at = until
        phase.save(update_fields=["ends_at"])
        _record("extend", phase, by, reason, before=before.isoformat(), after=until.isoformat())


def _push_back(phases: Iterable[Phase], shift: timedelta) -> None:
    for phase in phases:
        phase.starts_at += shift
        phase.ends_at = None if phase.ends_at is None else phase.ends_at + shift
        phase.save(update_fields=["starts_at", "ends_at"])


def _move_next_rounds(round_: Round, shift: timedelta, following: Following) -> None:
    """Move the rounds that would begin before this one's results are out, or ask about them."""
    now, results = clock.now(), round_.phase_of(Kind.PUBLISHED)
    due = None if results is None else results.starts_at
    for other in Round.objects.filter(contest=round_.contest, position__gt=round_.position).order_by("position"):
        first, results = other.phase_of(Kind.ANONYMIZE), other.phase_of(Kind.PUBLISHED)
        if due is None or first is None or not due <= first.starts_at < due + shift or following is Following.STAY:
            return
        if following is Following.ASK:
            message = _("the %(round)s would begin before the results are out; say whether it moves too or stays")
            raise RefusedError(message % {"round": other.get_kind_display()}, code="next-round")
        due = None if results is None else results.starts_at
        _push_back(other.phases.select_for_update().filter(starts_at__gt=now), shift)
        # Who can register already can do so until anonymization begins.
        other.phases.filter(kind=Kind.REGISTRATION, starts_at__lte=now, ends_at__gt=now).update(
            ends_at=F("ends_at") + shift
        )


def close_phase(phase: Phase, *, by: Person, reason: str) -> None:
    """End a phase now and begin the next one at once."""
    access.need_referee(by, phase.round.contest)
    access.need_reason(reason)
    moment = clock.now()
    with transaction.atomic():
        phase = Phase.objects.select_for_update().get(pk=phase.pk)
        if phase.starts_at > moment or phase.is_over(moment):
            raise NotNowError(_("this phase is not on"), code="phase-not-on")
        before = phase.starts_at
        phase.ends_at = moment
        phase.save(update_fields=["ends_at"])
        # Registration beside a later phase ends alone.
        beside = phase.round.phases.filter(starts_at__gte=before, starts_at__lte=moment).exclude(pk=phase.pk).exists()
        following = phase.round.phases.filter(starts_at__gt=moment).order_by("starts_at").first()
        if following is not None and not beside:
            following.starts_at = moment
            following.save(update_fields=["starts_at"])
        _record("close", phase, by, reason, at=moment.isoformat())


def _record(what: str, phase: Phase, by: Person, reason: str, **detail: Any) -> None:
    round_ = phase.round
    words = {"round": round_.kind, "phase": phase.kind, **detail, "reason": reason}
    record(f"phase.{what}", phase, actor=by, **words)


def _refuse_reopening(phase: Phase) -> None:
    """Raise if a phase that is over must stay over, because others have seen what it led to."""
    if phase.kind == Kind.ANONYMIZE and phase.round.targets.exists():
        message = _("the releases of this round are published already; anonymization cannot begin again")
        raise NotNowError(message, code="already-published")
    if phase.round.has_begun(Kind.PUBLISHED):
        raise NotNowError(_("the results of this round are out; its phases stay as they are"), code="results-out")


def edit_phases(
    round_: Round, times: Mapping[str, tuple[datetime, datetime | None]], *, by: Person, reason: str
) -> None:
    """Set when the phases of a round begin and end; the past stays as it was."""
    access.need_referee(by, round_.contest)
    access.need_reason(reason)
    with transaction.atomic():
        rows = {phase.kind: phase for phase in round_.phases.select_for_update()}
        _check_times(times)
        for kind, (starts, ends) in times.items():
            phase = rows[kind]
            before = (phase.starts_at, phase.ends_at)
            if before == (starts, ends):
                continue
            _refuse_past(phase, starts, ends)
            phase.starts_at, phase.ends_at = starts, ends
            phase.save(update_fields=["starts_at", "ends_at"])
            told = [[None if time is None else time.isoformat() for time in pair] for pair in (before, (starts, ends))]
            _record("move", phase, by, reason, before=told[0], after=told[1])


def _refuse_past(phase: Phase, starts: datetime, ends: datetime | None) -> None:
    """Raise if a time that lies in the past would change, or a time would be moved into the past."""
    now = clock.now()
    for before, after in ((phase.starts_at, starts), (phase.ends_at, ends)):
        if before == after:
            continue
        if (before is not None and before <= now) or (after is not None and after <= now):
            message = _("the phase “%(phase)s”: times in the past cannot be changed or chosen")
            raise RefusedError(message % {"phase": phase.get_kind_display()}, code="past-time")


def _check_times(times: Mapping[str, tuple[datetime, datetime | None]]) -> None:
    """Raise one sentence unless the phases follow one another without overlapping."""
    previous: tuple[Phase.Kind, datetime | None] | None = None
    for kind in Kind:
        starts, ends = times[kind]
        if ends is not None and ends <= starts:
            message = _("the phase “%(phase)s” must end after it begins")
            raise RefusedError(message % {"phase": kind.label}, code="bad-time")
        if previous is not None and (previous[1] is None or starts < previous[1]):
            message = _("the phase “%(after)s” must not begin before the phase “%(before)s” has ended")
            raise RefusedError(message % {"after": kind.label, "before": previous[0].label}, code="phase-order")
        previous = (kind, ends)
