"""The work of a contest as the referee desk sees it: what waits, runs or failed; failed work can be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Min, Q
from django.utils.translation import gettext as _

from tokumei_arena import access
from tokumei_arena.errors import NotNowError
from tokumei_arena.models import Contest, Person, RescoreItem, Submission, Target, WorkState
from tokumei_arena.records import record
from tokumei_arena.work import intake

SHOWN = 40
WAITING = (WorkState.QUEUED, WorkState.RUNNING)


@dataclass(frozen=True)
class Queue:
    """How much of each kind waits, runs and failed, and since when the oldest waits."""

    waiting: int
    running: int
    failed: int
    done: int
    targets_waiting: int
    rescores_waiting: int
    oldest: datetime | None


def queue(contest: Contest) -> Queue:
    """Return the state of the work of a contest."""
    counts = Submission.objects.filter(round__contest=contest).aggregate(
        waiting=Count("pk", filter=Q(state=WorkState.QUEUED)),
        running=Count("pk", filter=Q(state=WorkState.RUNNING)),
        failed=Count("pk", filter=Q(state=WorkState.FAILED)),
        done=Count("pk", filter=Q(state=WorkState.DONE)),
        oldest=Min("received_at", filter=Q(state__in=WAITING)),
    )
    return Queue(
        **counts,
        targets_waiting=Target.objects.filter(round__contest=contest, state__in=WAITING).count(),
        rescores_waiting=RescoreItem.objects.filter(rescore__round__contest=contest, state__in=WAITING).count(),
    )


def latest_submissions(contest: Contest, *, failed: bool = False) -> list[Submission]:
    """Return the newest submissions, or those whose evaluation failed."""
    found = Submission.objects.filter(round__contest=contest)
    if failed:
        found = found.filter(state=WorkState.FAILED)
    # Findings may be megabytes, and this page shows none.
    related = found.select_related("team", "round", "target__team", "evaluation", "blob").defer("evaluation__findings")
    return list(related.order_by("-received_at", "pk")[:SHOWN])


def copied(submissions: Sequence[Submission]) -> dict[UUID, list[str]]:
    """Return, of those among submissions that another team handed in too, the names of these teams."""
    hashes = {one.blob.sha256 for one in submissions}
    rounds = {one.round_id for one in submissions}
    known = Submission.objects.filter(round__in=rounds, blob__sha256__in=hashes).values_list(
        "round_id", "kind", "target_id", "blob__sha256", "team_id", "team__name"
    )
    by_file: dict[tuple[object, ...], dict[UUID, str]] = {}
    for *file, team, name in known:
        by_file.setdefault(tuple(file), {})[team] = name
    found = {}
    for one in submissions:
        teams = by_file.get((one.round_id, one.kind, one.target_id, one.blob.sha256), {})
        others = sorted(name for team, name in teams.items() if team != one.team_id)
        if others:
            found[one.pk] = others
    return found


def evaluate_again(submission: Submission, *, by: Person) -> None:
    """Put a submission whose evaluation failed back into the queue; it counts as a try again."""
    access.need_referee(by, submission.round.contest)
    with transaction.atomic():
        submission = Submission.objects.select_for_update(of=("self",)).get(pk=submission.pk)
        _refuse_not_failed(submission)
        intake.retake_slot(submission)
        _requeue(submission)
        record("evaluation.again", submission, actor=by)


def publish_again(target: Target, *, by: Person) -> None:
    """Have the files of a target made again whose publication failed."""
    access.need_referee(by, target.round.contest)
    with transaction.atomic():
        target = Target.objects.select_for_update(of=("self",)).get(pk=target.pk)
        _refuse_not_failed(target)
        _requeue(target)
        record("target.again", target, actor=by)


def _refuse_not_failed(row: Submission | Target) -> None:
    if row.state != WorkState.FAILED:
        raise NotNowError(_("only an evaluation that failed can be repeated"), code="not-failed")


def _requeue(row: Submission | Target) -> None:
    row.state, row.runs, row.failure, row.lease, row.leased_until = WorkState.QUEUED, 0, "", None, None
    row.save(update_fields=["state", "runs", "failure", "lease", "leased_until"])
