"""Evaluating: taking work under a lease and having it done by a limited process.

Submissions, targets and items of a re-scoring are rows that wait; `claim_work` takes some, `run_job` has them
evaluated, `finish` and `fail` write the end of it, each only while the lease is held. Whatever dies in between leaves
a lease that runs out, and another worker begins anew.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.db.models import QuerySet

from tokumei_arena.models import Blob, Leased, RescoreItem, SelfCheck, Submission, Target, Team
from tokumei_arena.records import copy_to, make_blob, store
from tokumei_arena.rules import parameters_of
from tokumei_arena.work import draws, fair_share, leases, staging, targets
from tokumei_arena.work.leases import Pulse
from tokumei_arena.work.leftovers import work_folder
from tokumei_arena.work.limits import Limits
from tokumei_arena.work.results import INTERRUPTED, NO_DATA, fail, finish, open_target, round_of
from tokumei_arena.work.sandbox import Death, Outcome, run_child

logger = logging.getLogger(__name__)
# Guesses about one target that one process scores together.
BATCH = 64


@dataclass(frozen=True, slots=True)
class Job:
    """Rows of one table that one process evaluates together: one row, or several guesses about one target."""

    lease: uuid.UUID
    rows: tuple[Leased, ...]

    @property
    def model(self) -> type[Leased]:
        """The table of the rows."""
        return type(self.rows[0])


def claim_work(limit: int = 1) -> list[Job]:
    """Take up to ``limit`` jobs: targets first (all wait for them), then releases, guesses, checks, re-scorings."""
    jobs: list[Job] = []
    for claim in (_claim_target, _claim_release, _claim_guesses, _claim_check, _claim_rescore):
        while len(jobs) < limit:
            job = claim()
            if job is None:
                break
            jobs.append(job)
    return jobs


def _claim_target() -> Job | None:
    lease = uuid.uuid4()
    rows = Target.objects.select_related("round__contest", "submission__blob", "submission__team")
    return _job(lease, leases.take(rows.order_by("created_at", "pk"), lease))


def _claim_release() -> Job | None:
    lease = uuid.uuid4()
    rows = fair_share.of_idle_teams(_submissions().filter(kind=Submission.Kind.RELEASE))
    found = leases.take(rows, lease)
    fair_share.note_turn(found)
    return _job(lease, found)


def _claim_guesses() -> Job | None:
    """Take a guess of the team whose turn it is, with others about the same target."""
    lease = uuid.uuid4()
    rows = _submissions().filter(kind=Submission.Kind.GUESSES)
    first = leases.take(rows, lease)
    more = leases.take(rows.filter(target=first[0].target), lease, BATCH - 1) if first else []
    fair_share.note_turn(first)
    return _job(lease, [*first, *more])


def _claim_check() -> Job | None:
    """Take a file that a team wants to have checked before it counts."""
    lease = uuid.uuid4()
    rows = SelfCheck.objects.select_related("round__contest", "blob", "team", "target")
    found = leases.take(fair_share.in_turn(rows), lease)
    fair_share.note_turn(found)
    return _job(lease, found)


def _claim_rescore() -> Job | None:
    """Take an item of a re-scoring; guesses with others about the same target."""
    lease = uuid.uuid4()
    rows = RescoreItem.objects.select_related(
        "submission__round__contest", "submission__blob", "submission__team", "submission__target"
    ).order_by("created_at", "pk")
    first = leases.take(rows, lease)
    more: list[RescoreItem] = []
    if first and first[0].submission.target_id is not None:
        same = rows.filter(rescore=first[0].rescore_id, submission__target=first[0].submission.target_id)
        more = leases.take(same, lease, BATCH - 1)
    return _job(lease, [*first, *more])


def _submissions() -> QuerySet[Submission]:
    return fair_share.in_turn(Submission.objects.select_related("round__contest", "blob", "team", "target"))


def _job(lease: uuid.UUID, rows: Sequence[Leased]) -> Job | None:
    """Return the job; rows that were begun too often fail instead."""
    usable = []
    for row in rows:
        if row.runs > settings.ARENA_LIMITS["runs"]:
            fail(row, lease, INTERRUPTED)
        else:
            usable.append(row)
    return Job(lease, tuple(usable)) if usable else None


def heartbeat(job: Job) -> bool:
    """Prolong the lease of a job; return whether it is still held."""
    return leases.extend(job.model, job.lease)


def run_job(job: Job, *, stopped: Callable[[], bool] = lambda: False) -> None:
    """Evaluate the rows of a job; what kills the process of many is tried again one by one."""
    outcome, inputs = _in_child(job, stopped)
    if outcome.death == Death.STOPPED:
        if stopped():
            leases.give_back(job.rows, job.lease, uncounted=True)
        return
    if outcome.death and len(job.rows) > 1:
        for row in job.rows:
            run_job(Job(job.lease, (row,)), stopped=stopped)
        return
    if outcome.death:
        _died(job, outcome)
        return
    assert outcome.result is not None
    if job.model is Target:
        return
    with transaction.atomic():
        for row, result, used in zip(job.rows, outcome.result["results"], inputs, strict=True):
            finish(row, job.lease, result, used, outcome.result["rule_version"])


def _died(job: Job, outcome: Outcome) -> None:
    """End a row whose process died, or let it be tried again if that may help."""
    row = job.rows[0]
    logger.warning("evaluation of %s %s died: %s\n%s", job.model.__name__, row.pk, outcome.death, outcome.messages)
    final = outcome.death in Death.final or outcome.death == NO_DATA
    if final or row.runs >= settings.ARENA_LIMITS["runs"]:
        fail(row, job.lease, outcome.death)
    else:
        leases.give_back(job.rows, job.lease, uncounted=False)


def _in_child(job: Job, stopped: Callable[[], bool]) -> tuple[Outcome, list[dict[str, Any]]]:
    """Copy what is needed, run the process, keep the files it published."""
    row, round_ = job.rows[0], round_of(job.rows[0])
    description = {"rule_set": round_.contest.rule_set, "parameters": parameters_of(round_)}
    pulse = _pulse(job, stopped)
    with work_folder() as folder:
        try:
            inputs = _stage(folder, job, description, pulse)
        except staging.MissingDataError:
            return Outcome(None, NO_DATA), []
        if not pulse():
            return Outcome(None, Death.STOPPED), []
        outcome = run_child(folder, description, Limits.of(settings.ARENA_LIMITS), keep_on=pulse)
        if outcome.result is not None and isinstance(row, Target):
            open_target(row, job.lease, folder / "out", outcome.result["files"], put=_putting(pulse))
    return outcome, inputs


def _stage(folder: Path, job: Job, description: dict[str, Any], pulse: Pulse) -> list[dict[str, Any]]:
    """Copy the files of a job and complete its description; return the hashes of the inputs, row by row."""

    def copy(blob: Blob, path: Path) -> None:
        pulse.moving(lambda: copy_to(blob, path))

    row = job.rows[0]
    if isinstance(row, Target):
        others = Team.objects.filter(contest=row.round.contest_id).exclude(pk=row.team_id).order_by("pk")
        seed = draws.secret_number(row.round, f"target:{row.team_id}")
        description.update(task="publish", attackers=[str(team.pk) for team in others], seed=seed)
        return [staging.stage_release(folder, row.submission, copy=copy)]
    submissions = [_submission_of(one) for one in job.rows]
    if submissions[0].target is None:
        description["task"] = "release"
        return [staging.stage_release(folder, submissions[0], copy=copy)]
    description.update(task="guesses", count=len(submissions), completeness=isinstance(job.rows[0], SelfCheck))
    return staging.stage_guesses(folder, submissions[0].target, submissions, copy=copy)


def _putting(pulse: Pulse) -> Callable[[Blob.Area, str, File[Any]], Blob]:
    """Return what stores a file while the pulse goes on."""

    def put(area: Blob.Area, name: str, file: File[Any]) -> Blob:
        return make_blob(area, name, pulse.moving(lambda: store(area, file)))

    return put


def _submission_of(row: Leased) -> Submission | SelfCheck:
    found = row.submission if isinstance(row, RescoreItem) else row
    assert isinstance(found, (Submission, SelfCheck))
    return found


def _pulse(job: Job, stopped: Callable[[], bool]) -> Pulse:
    limits = settings.ARENA_LIMITS
    return Pulse(
        lambda: heartbeat(job), stopped, lease_seconds=limits["lease_seconds"], longest_move=limits["wall_seconds"]
    )


def work_once(*, stopped: Callable[[], bool] = lambda: False) -> int:
    """Make the targets that are due, take one job and do it; return how many jobs there were."""
    for round_ in targets.due_rounds():
        targets.make_due_targets(round_)
    jobs = claim_work(1)
    for job in jobs:
        try:
            run_job(job, stopped=stopped)
        except Exception:
            logger.exception("a job of %s could not be run", job.model.__name__)
            for row in job.rows:
                _died(Job(job.lease, (row,)), Outcome(None, Death.CRASHED))
    return len(jobs)
