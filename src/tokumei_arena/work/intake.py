"""Taking in submissions: stored immutable first, then queued for the checker; tries are counted under a constraint.

A try is a slot of its scope (round, team and, for guesses, target). The database lets each slot be taken once, so that
of fifty concurrent submissions at the last permitted try exactly one is accepted. A file that turns out invalid, or
whose evaluation fails, gives its slot back: it never costs a try.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.files.base import File
from django.db import IntegrityError, transaction
from django.db.models import Count
from django.utils.translation import gettext as _

from tokumei_arena import access, clock
from tokumei_arena.errors import ArenaError, NotAllowedError, NotNowError, RefusedError, TooManyError
from tokumei_arena.models import Attempt, Blob, Choice, Membership, Person, Phase, Round, Submission, Target, Team
from tokumei_arena.records import discard_blob, put_file, record
from tokumei_arena.teams import spend
from tokumei_arena.work.fair_share import refuse_greed

MAY_SUBMIT = (Membership.Role.CAPTAIN, Membership.Role.MEMBER)
LONGEST_NOTE, LONGEST_KEY = 200, 64


def submit_release(
    person: Person, round_: Round, file: File[Any], *, name: str, note: str = "", client_key: str = ""
) -> Submission:
    """Take in anonymized data for the person's team."""
    team = access.need_member(person, round_.contest, *MAY_SUBMIT)
    refuse_disqualified(team)
    access.need_phase(round_, Phase.Kind.ANONYMIZE, team)
    fields = {"kind": Submission.Kind.RELEASE, "round": round_, "team": team}
    return _take(person, file, name=name, note=note, client_key=client_key, limit=round_.release_limit, fields=fields)


def submit_guesses(
    person: Person, target: Target, file: File[Any], *, name: str, note: str = "", client_key: str = ""
) -> Submission:
    """Take in guesses of the person's team about a target of another team."""
    round_ = target.round
    team = access.need_member(person, round_.contest, *MAY_SUBMIT)
    refuse_disqualified(team)
    if target.team_id == team.pk:
        raise NotAllowedError(_("this is your own data"), code="own-target")
    access.need_phase(round_, Phase.Kind.ATTACK, team)
    if target.state != "done":
        raise NotNowError(_("this target is still being published; try again in a moment"), code="target-not-ready")
    fields = {"kind": Submission.Kind.GUESSES, "round": round_, "team": team, "target": target}
    return _take(person, file, name=name, note=note, client_key=client_key, limit=round_.attack_limit, fields=fields)


def refuse_disqualified(team: Team) -> None:
    """Refuse a team that is out of the contest."""
    if team.disqualified_at is not None:
        raise NotAllowedError(_("your team is disqualified"), code="disqualified")


def _scope(fields: dict[str, Any]) -> str:
    target = fields.get("target")
    return f"{fields['round'].pk}:{fields['team'].pk}:{'' if target is None else target.pk}"


def _take(
    person: Person, file: File[Any], *, name: str, note: str, client_key: str, limit: int | None, fields: dict[str, Any]
) -> Submission:
    known = _known(fields["team"], client_key)
    if known is not None:
        return known
    slow_down(person, fields["team"])
    # PostgreSQL keeps no NUL.
    note = note.replace("\0", "")
    refuse_unusable(file, note=note, client_key=client_key)
    _refuse_if_full(_scope(fields), limit)
    refuse_greed(fields["team"], fields["round"], fields.get("target"), file.size)
    received = clock.now()
    blob = put_file(Blob.Area.UPLOADS, name, file)
    try:
        with transaction.atomic():
            if fields["kind"] == Submission.Kind.RELEASE:
                _refuse_published(fields["round"], fields["team"])
            submission = Submission.objects.create(
                blob=blob, person=person, received_at=received, note=note, client_key=client_key, **fields
            )
            if limit is not None:
                _take_slot(submission, _scope(fields), limit)
            record(
                f"submit.{submission.kind}",
                submission,
                actor=person,
                team=str(submission.team_id),
                sha256=blob.sha256,
                size=blob.size,
            )
            _flag_same_file(submission)
    except ArenaError:
        discard_blob(blob)
        raise
    except IntegrityError:
        discard_blob(blob)
        known = _known(fields["team"], client_key)
        if known is None:
            raise
        return known
    return submission


def _flag_same_file(submission: Submission) -> None:
    """Write down for the referees that another team handed in the same bytes."""
    alike = Submission.objects.filter(round=submission.round_id, kind=submission.kind, target=submission.target_id)
    same = alike.filter(blob__sha256=submission.blob.sha256).exclude(team=submission.team_id)
    teams = sorted({str(team) for team in same.values_list("team_id", flat=True)})
    if teams:
        record("submit.same-file", submission, team=str(submission.team_id), others=teams)


def _refuse_published(round_: Round, team: Team) -> None:
    """Refuse a release that took so long to store that those of the round were published meanwhile.

    Otherwise it would be taken in and never count. Whoever publishes locks the round too, and waits for what is here.
    """
    locked = Round.objects.select_for_update(no_key=True).get(pk=round_.pk)
    longer = access.longer_for(locked, Phase.Kind.ANONYMIZE, team) is not None
    if locked.targets.filter(team=team).exists() or (locked.targets.exists() and not longer):
        raise access.phase_over(Phase.Kind.ANONYMIZE)


def slow_down(person: Person, team: Team) -> None:
    """Count a file against what a person and a team may send in a minute."""
    limits = settings.ARENA_LIMITS
    spend("submit", person.pk, limit=limits["submits_per_minute"])
    spend("submit", team.pk, limit=limits["team_submits_per_minute"])


def refuse_unusable(file: File[Any], *, note: str = "", client_key: str = "") -> None:
    """Refuse a file without content, and words that are too long."""
    if not file.size:
        raise RefusedError(_("the file is empty; choose another one"), code="empty-file")
    if len(note) > LONGEST_NOTE:
        message = _("the note is longer than %(limit)d characters; shorten it") % {"limit": LONGEST_NOTE}
        raise RefusedError(message, code="long-note")
    if len(client_key) > LONGEST_KEY:
        message = _("the client key is longer than %(limit)d characters") % {"limit": LONGEST_KEY}
        raise RefusedError(message, code="long-key")


def _known(team: Team, client_key: str) -> Submission | None:
    """Return what a client handed in before under the same key, because the answer was lost."""
    return Submission.objects.filter(team=team, client_key=client_key).first() if client_key else None


def _refuse_if_full(scope: str, limit: int | None) -> None:
    if limit is not None and Attempt.objects.filter(scope=scope).count() >= limit:
        raise _used_up(scope, limit)


def _used_up(scope: str, limit: int) -> TooManyError:
    waiting = Submission.objects.filter(attempt__scope=scope, state__in=("queued", "running")).exists()
    if waiting:
        message = _("a submission that may use your last try is still being evaluated; wait for it")
        return TooManyError(message, code="try-pending")
    return TooManyError(_("no tries are left (limit: %(limit)d)") % {"limit": limit}, code="no-tries-left")


def _take_slot(submission: Submission, scope: str, limit: int) -> None:
    """Take the lowest free slot; whoever comes second at the same one tries the next."""
    for slot in range(limit):
        if Attempt.objects.filter(scope=scope, slot=slot).exists():
            continue
        try:
            with transaction.atomic():
                Attempt.objects.create(scope=scope, slot=slot, submission=submission)
        except IntegrityError:
            continue
        return
    raise _used_up(scope, limit)


def retake_slot(submission: Submission) -> None:
    """Count a try again that was given back, because its evaluation is repeated; refuse if none is left."""
    limit = submission.round.attack_limit if submission.target else submission.round.release_limit
    if limit is not None and not Attempt.objects.filter(submission=submission).exists():
        fields = {"round": submission.round, "team": submission.team, "target": submission.target}
        _take_slot(submission, _scope(fields), limit)


def free_slot(submission: Submission) -> None:
    """Give a try back, because the file was invalid or its evaluation failed."""
    Attempt.objects.filter(submission=submission).delete()


def remaining_tries(round_: Round, team: Team, target: Target | None = None) -> int | None:
    """Return how many tries are left; None if there is no limit."""
    limit = round_.release_limit if target is None else round_.attack_limit
    if limit is None:
        return None
    scope = _scope({"round": round_, "team": team, "target": target})
    return max(0, limit - Attempt.objects.filter(scope=scope).count())


def used_tries(round_: Round, team: Team) -> dict[UUID, int]:
    """Return how many tries a team has used at each target of a round; targets without any are left out."""
    tries = Attempt.objects.filter(submission__round=round_, submission__team=team, submission__target__isnull=False)
    return dict(tries.values_list("submission__target").annotate(Count("pk")))


def choose(person: Person, submission: Submission) -> Choice:
    """Make a valid release the one with which the team competes."""
    team = access.need_member(person, submission.round.contest, Membership.Role.CAPTAIN)
    if submission.team_id != team.pk or submission.kind != Submission.Kind.RELEASE:
        raise NotAllowedError(_("only a release of your own team can be chosen"), code="not-own")
    if submission.verdict != Submission.Verdict.VALID:
        raise RefusedError(_("only a valid submission can be chosen"), code="not-valid")
    access.need_phase(submission.round, Phase.Kind.ANONYMIZE, team)
    with transaction.atomic():
        choice, _made = Choice.objects.update_or_create(
            round=submission.round, team=team, defaults={"submission": submission, "by": person}
        )
        record("submission.choose", submission, actor=person, team=str(team.pk))
    return choice
