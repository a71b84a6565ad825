"""A phase that lasts longer for one team: with a reason that the team reads, and never into what follows from it."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tokumei_arena import access, clock
from tokumei_arena.errors import NotNowError, RefusedError
from tokumei_arena.models import Contest, Extension, Person, Phase, Round, Team
from tokumei_arena.records import record

Kind = Phase.Kind
EXTENDABLE = (Kind.ANONYMIZE, Kind.ATTACK)


def _latest(round_: Round, kind: str) -> datetime | None:
    """Return until when a phase can last for one team: late data must be attacked, late guesses scored."""
    attack, results = round_.phase_of(Kind.ATTACK), round_.phase_of(Kind.PUBLISHED)
    if kind == Kind.ANONYMIZE:
        return None if attack is None else attack.ends_at
    return None if results is None else results.starts_at


def extend_for_team(phase: Phase, team: Team, until: datetime, *, by: Person, reason: str) -> Extension:
    """Let a phase last longer for one team; a second time the new end takes the place of the old one."""
    round_ = phase.round
    access.need_referee(by, round_.contest)
    told = access.need_reason(reason)
    if phase.kind not in EXTENDABLE or phase.ends_at is None:
        raise RefusedError(_("only anonymization and attack can be longer for one team"), code="not-extendable")
    if team.contest_id != round_.contest_id or team.approved_at is None:
        raise RefusedError(_("the team does not take part in this contest"), code="not-in-contest")
    latest = _latest(round_, phase.kind)
    if until <= clock.now() or until <= phase.ends_at:
        message = _("the new end must lie in the future and after the end for everybody")
        raise RefusedError(message, code="bad-time")
    if latest is not None and until > latest:
        message = (
            _("the attack phase ends before that; others must be able to attack this team's data")
            if phase.kind == Kind.ANONYMIZE
            else _("the results come out before that")
        )
        raise RefusedError(message, code="too-late")
    with transaction.atomic():
        Round.objects.select_for_update().get(pk=round_.pk)
        if phase.kind == Kind.ANONYMIZE and round_.targets.filter(team=team).exists():
            message = _("the data of this team is published already; it cannot hand in again")
            raise NotNowError(message, code="already-published")
        made, _new = Extension.objects.update_or_create(
            phase=phase, team=team, defaults={"until": until, "reason": told}
        )
        words = {"round": round_.kind, "phase": phase.kind, "team": str(team.pk)}
        record("phase.extend-for-team", round_, actor=by, **words, until=until.isoformat(), reason=told)
    return made


def end_extension(extension: Extension, *, by: Person, reason: str) -> None:
    """Take an extension back; from then on the phase is for this team what it is for everybody."""
    round_ = extension.phase.round
    access.need_referee(by, round_.contest)
    told = access.need_reason(reason)
    with transaction.atomic():
        words = {"round": round_.kind, "phase": extension.phase.kind, "team": str(extension.team_id)}
        record("phase.end-for-team", round_, actor=by, **words, reason=told)
        # The row stays: data of a team that had more time is published when its time is over.
        Extension.objects.filter(pk=extension.pk).update(until=clock.now())


def extensions_of(contest: Contest, team: Team | None = None) -> QuerySet[Extension]:
    """Return the extensions that have not ended, of all teams or of one."""
    found = Extension.objects.filter(phase__round__contest=contest, until__gt=clock.now())
    if team is not None:
        found = found.filter(team=team)
    return found.select_related("phase__round", "team").order_by("until")
