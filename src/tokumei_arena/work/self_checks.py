"""Checking a file before a try is spent on it: by the same checker, with no try counted and nothing kept.

A check is a row that waits like a submission, so that it is evaluated by a worker in the same closed process and teams
take turns. What it would score is never kept for guesses: a check that told hits would be an oracle. The file goes as
soon as it is checked, the row with what the checker said half an hour later.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.files.base import File
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from tokumei.contests import find_contest
from tokumei_arena import access, clock
from tokumei_arena.errors import NotAllowedError, NotNowError, TooManyError
from tokumei_arena.models import Blob, Feedback, Person, Phase, Round, SelfCheck, Submission, Target, Team
from tokumei_arena.records import discard_blob, put_file
from tokumei_arena.work import feedback
from tokumei_arena.work.fair_share import WAITING, refuse_greed
from tokumei_arena.work.intake import MAY_SUBMIT, refuse_disqualified, refuse_unusable, slow_down

# A team has one file checked at a time; what the checker said of it is shown for so long.
AT_ONCE, SHOWN = 1, timedelta(minutes=30)


def check_release(person: Person, round_: Round, file: File[Any], *, name: str) -> SelfCheck:
    """Have anonymized data checked for the person's team."""
    team = _need_team(person, round_, Phase.Kind.ANONYMIZE)
    return _take(person, team, file, name=name, round_=round_)


def check_guesses(person: Person, target: Target, file: File[Any], *, name: str) -> SelfCheck:
    """Have guesses about a target of another team checked."""
    team = _need_team(person, target.round, Phase.Kind.ATTACK)
    if target.team_id == team.pk:
        raise NotAllowedError(_("this is your own data"), code="own-target")
    if target.state != "done":
        raise NotNowError(_("this target is still being published; try again in a moment"), code="target-not-ready")
    return _take(person, team, file, name=name, round_=target.round, target=target)


def _need_team(person: Person, round_: Round, phase: str) -> Team:
    team = access.need_member(person, round_.contest, *MAY_SUBMIT)
    refuse_disqualified(team)
    access.need_phase(round_, phase, team)
    return team


def _take(
    person: Person, team: Team, file: File[Any], *, name: str, round_: Round, target: Target | None = None
) -> SelfCheck:
    remove_old_checks()
    slow_down(person, team)
    refuse_unusable(file)
    refuse_greed(team, round_, target, file.size)
    if SelfCheck.objects.filter(team=team, state__in=WAITING).count() >= AT_ONCE:
        message = _("a file of your team is being checked; wait for it, then check the next one")
        raise TooManyError(message, code="check-pending")
    blob = put_file(Blob.Area.UPLOADS, name, file)
    with transaction.atomic():
        return SelfCheck.objects.create(
            round=round_, team=team, target=target, person=person, blob=blob, received_at=clock.now(), name=blob.name
        )


def remove_old_checks() -> int:
    """Remove what was checked and not handed in, with its file if that is still there; return how many."""
    count = 0
    for check in SelfCheck.objects.filter(received_at__lt=clock.now() - SHOWN).select_related("blob"):
        blob = check.blob
        check.delete()
        if blob is not None:
            discard_blob(blob)
        count += 1
    return count


def keep_result(check: SelfCheck, result: dict[str, Any]) -> None:
    """Take over what the checker said, and forget the file; the caller saves the row."""
    kept = {name: result[name] for name in ("valid", "findings", "finding_count")}
    check.result = {**kept, "figures": result["figures"] if check.target is None else {}}
    if result.get("answered"):
        check.result["answered"] = result["answered"]
    forget_file(check)


def forget_file(check: SelfCheck) -> None:
    """Remove the file of a check."""
    blob, check.blob = check.blob, None
    if blob is not None:
        check.save(update_fields=["blob"])
        transaction.on_commit(lambda: discard_blob(blob))


def own_checks(viewer: access.Viewer, round_: Round) -> QuerySet[SelfCheck]:
    """Return the checks of a round that the viewer's team may still see; nobody else sees them, referees neither."""
    member = access.membership(viewer, round_.contest)
    recent = SelfCheck.objects.filter(round=round_, received_at__gte=clock.now() - SHOWN).select_related("target")
    return recent.none() if member is None else recent.filter(team=member.team)


def checked_figures(check: SelfCheck) -> dict[str, Any]:
    """Return the figures of a checked release as its team may see them now; those of guesses are never told.

    Where the judge compares a release with something that teams do not have, a check would tell about it: no figures.
    """
    secret = any(spec.secret for spec in find_contest(check.round.contest.rule_set).data_files)
    rule = Feedback.NONE if secret else feedback.feedback_policy(check.round, Submission.Kind.RELEASE)
    return feedback.figures_under(check.result.get("figures", {}), rule)
