"""Evaluating: taking work under a lease, having it done by a limited process, and keeping what that found.

Submissions, targets and items of a re-scoring are rows that wait; `claim_work` takes some, `run_job` has them
evaluated, `finish` and `fail` write the end of it, each only while the lease is held. Whatever dies in between leaves
a lease that runs out, and another worker begins anew.
"""

from __future__ import annotations

import hashlib
import json
import logging
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.utils.translation import gettext, gettext_noop

from tokumei_arena.core import intake, leases, logbook, staging, targets
from tokumei_arena.core.storage import put_file
from tokumei_arena.models import (
    Blob,
    Evaluation,
    Leased,
    RescoreItem,
    Submission,
    Target,
    TargetFile,
    Team,
    WorkState,
)
from tokumei_arena.worker.limits import Limits
from tokumei_arena.worker.sandbox import Death, Outcome, run_child

__all__ = [
    "Job",
    "claim_work",
    "fail",
    "failure_text",
    "fingerprint",
    "finish",
    "heartbeat",
    "run_job",
    "run_pending",
    "work_once",
]

logger = logging.getLogger(__name__)
BATCH = 64

REASONS = {
    Death.MEMORY: gettext_noop("the evaluation needed more memory than allowed; a smaller file may work"),
    Death.CPU: gettext_noop("the evaluation took more processor time than allowed; a smaller file may work"),
    Death.WALL: gettext_noop("the evaluation took longer than allowed; a smaller file may work"),
    Death.FILE_SIZE: gettext_noop("the evaluation wrote larger files than allowed; a smaller file may work"),
    Death.ERROR: gettext_noop("the evaluation met an error of ours; the referee sees it in the log of the worker"),
    Death.KILLED: gettext_noop("the evaluation was killed again and again; ask the referee to look at the worker"),
    Death.CRASHED: gettext_noop("the evaluation crashed again and again; ask the referee to look at the worker"),
    "interrupted": gettext_noop("the worker was interrupted again and again; ask the referee to look at it"),
    "no-data": gettext_noop("the round has no data to compare this with; ask the referee"),
}


@dataclass(frozen=True, slots=True)
class Job:
    """Rows of one table that one process evaluates together: one row, or several guesses about one target."""

    lease: uuid.UUID
    rows: tuple[Leased, ...]

    @property
    def model(self) -> type[Leased]:
        """The table of the rows."""
        return type(self.rows[0])


def failure_text(row: Leased) -> str:
    """Return why an evaluation failed, in the language of the reader."""
    return gettext(row.failure) if row.failure else ""


def claim_work(limit: int = 1) -> list[Job]:
    """Take up to ``limit`` jobs: targets first (everybody waits for them), then releases, guesses, re-scorings."""
    jobs: list[Job] = []
    for claim in (_claim_target, _claim_release, _claim_guesses, _claim_rescore):
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
    rows = _submissions().filter(kind=Submission.Kind.RELEASE)
    return _job(lease, leases.take(rows.order_by("received_at", "pk"), lease))


def _claim_guesses() -> Job | None:
    """Take the guess that waits longest, with others about the same target."""
    lease = uuid.uuid4()
    rows = _submissions().filter(kind=Submission.Kind.GUESSES).order_by("received_at", "pk")
    first = leases.take(rows, lease)
    more = leases.take(rows.filter(target=first[0].target), lease, BATCH - 1) if first else []
    return _job(lease, [*first, *more])


def _claim_rescore() -> Job | None:
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


def _submissions() -> Any:
    return Submission.objects.select_related("round__contest", "blob", "team", "target")


def _job(lease: uuid.UUID, rows: Sequence[Leased]) -> Job | None:
    """Return the job; rows that were begun too often fail instead."""
    usable = []
    for row in rows:
        if row.runs > settings.ARENA_LIMITS["runs"]:
            fail(row, lease, "interrupted")
        else:
            usable.append(row)
    return Job(lease, tuple(usable)) if usable else None


def heartbeat(job: Job) -> bool:
    """Prolong the lease of a job; return whether it is still held."""
    return leases.extend(job.model, job.lease)


def fingerprint(values: dict[str, Any]) -> str:
    """Return the hash of an evaluation: two that agree in it agree bit for bit."""
    canonical = json.dumps(values, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def finish(row: Leased, lease: uuid.UUID, result: dict[str, Any], inputs: dict[str, Any], version: str) -> bool:
    """Keep what was found about a submission; return False, having changed nothing, if the lease is lost."""
    with transaction.atomic():
        mine = leases.held(row, lease)
        if mine is None:
            return False
        submission = mine.submission if isinstance(mine, RescoreItem) else mine
        assert isinstance(submission, Submission)
        evaluation = _evaluation(submission, result, inputs, version)
        mine.evaluation = evaluation  # type: ignore[attr-defined]
        if isinstance(mine, Submission):
            valid = evaluation.valid
            mine.verdict = Submission.Verdict.VALID if valid else Submission.Verdict.INVALID
            if not valid:
                intake.free_slot(mine)
        _end(mine, WorkState.DONE)
        logbook.record(
            "rescore.compute" if isinstance(mine, RescoreItem) else "evaluation.finish",
            contest=submission.round.contest,
            object_id=submission.pk,
            valid=evaluation.valid,
            fingerprint=evaluation.fingerprint,
        )
    return True


def _evaluation(submission: Submission, result: dict[str, Any], inputs: dict[str, Any], version: str) -> Evaluation:
    values = {
        "rule_set": submission.round.contest.rule_set,
        "rule_version": version,
        "inputs": inputs,
        "valid": result["valid"],
        "figures": result["figures"],
        "findings": result["findings"],
        "finding_count": result["finding_count"],
    }
    return Evaluation.objects.create(submission=submission, fingerprint=fingerprint(values), **values)


def _end(row: Leased, state: WorkState, failure: str = "") -> None:
    row.state, row.lease, row.leased_until, row.failure = state, None, None, failure
    row.save()


def fail(row: Leased, lease: uuid.UUID, reason: str) -> bool:
    """End an evaluation that cannot be done; the try is given back."""
    with transaction.atomic():
        mine = leases.held(row, lease)
        if mine is None:
            return False
        if isinstance(mine, Submission):
            intake.free_slot(mine)
        _end(mine, WorkState.FAILED, REASONS[reason])
        round_ = mine.submission.round if isinstance(mine, RescoreItem) else mine.round  # type: ignore[attr-defined]
        logbook.record("evaluation.fail", contest=round_.contest, object_id=mine.pk, reason=reason)
    return True


def run_job(job: Job, *, stopped: Callable[[], bool] = lambda: False) -> None:
    """Evaluate the rows of a job; what kills the process of many is tried again one by one."""
    outcome, inputs = _in_child(job, stopped)
    if outcome.death and len(job.rows) > 1 and outcome.death != Death.STOPPED:
        for row in job.rows:
            run_job(Job(job.lease, (row,)), stopped=stopped)
        return
    if outcome.death:
        _died(job, outcome, stopped=stopped())
        return
    assert outcome.result is not None
    version = outcome.result["rule_version"]
    if job.model is Target:
        return
    with transaction.atomic():
        for row, result, used in zip(job.rows, outcome.result["results"], inputs, strict=True):
            finish(row, job.lease, result, used, version)


def _died(job: Job, outcome: Outcome, *, stopped: bool) -> None:
    (row,) = job.rows if len(job.rows) == 1 else (job.rows[0],)
    if outcome.death == Death.STOPPED:
        if stopped:
            leases.give_back(job.rows, job.lease, uncounted=True)
        return
    logger.warning("the evaluation of %s %s died: %s\n%s", job.model.__name__, row.pk, outcome.death, outcome.messages)
    if outcome.death in Death.final or row.runs >= settings.ARENA_LIMITS["runs"]:
        fail(row, job.lease, outcome.death)
    else:
        leases.give_back(job.rows, job.lease, uncounted=False)


def _in_child(job: Job, stopped: Callable[[], bool]) -> tuple[Outcome, list[dict[str, Any]]]:
    """Copy what is needed, run the process, keep the files it published."""
    row = job.rows[0]
    round_ = row.submission.round if isinstance(row, RescoreItem) else row.round  # type: ignore[attr-defined]
    description: dict[str, Any] = {
        "rule_set": round_.contest.rule_set,
        "parameters": staging.parameters_of(round_),
    }
    with tempfile.TemporaryDirectory(prefix="arena-job-") as name:
        folder = Path(name)
        try:
            inputs = _stage(folder, job, description)
        except staging.MissingDataError:
            return Outcome(None, "no-data"), []
        limits = Limits.of(settings.ARENA_LIMITS)
        outcome = run_child(folder, description, limits, keep_on=_pulse(job, stopped))
        if outcome.result is not None and isinstance(row, Target):
            _publish(row, job.lease, folder / "out", outcome.result["files"])
    return outcome, inputs


def _stage(folder: Path, job: Job, description: dict[str, Any]) -> list[dict[str, Any]]:
    row = job.rows[0]
    if isinstance(row, Target):
        others = Team.objects.filter(contest=row.round.contest_id).exclude(pk=row.team_id).order_by("pk")
        seed = targets.secret_number(row.round, f"target:{row.team_id}")
        description.update(task="publish", attackers=[str(team.pk) for team in others], seed=seed)
        return [staging.stage_target(folder, row)]
    submissions = [one.submission if isinstance(one, RescoreItem) else one for one in job.rows]
    first = submissions[0]
    assert isinstance(first, Submission)
    if first.target is None:
        description["task"] = "release"
        return [staging.stage_release(folder, first)]
    description.update(task="guesses", count=len(submissions))
    return staging.stage_guesses(folder, first.target, submissions)  # type: ignore[arg-type]


def _pulse(job: Job, stopped: Callable[[], bool]) -> Callable[[], bool]:
    """Return what the watcher of the process asks all the time: prolongs the lease in time, False to stop."""
    every = settings.ARENA_LIMITS["lease_seconds"] / 3
    last = time.monotonic()

    def beat() -> bool:
        nonlocal last
        if stopped():
            return False
        if time.monotonic() - last > every:
            last = time.monotonic()
            return heartbeat(job)
        return True

    return beat


def _publish(target: Target, lease: uuid.UUID, folder: Path, files: list[dict[str, str]]) -> bool:
    """Store the files of a target and open it to attackers."""
    with transaction.atomic():
        mine = leases.held(target, lease)
        if mine is None:
            return False
        TargetFile.objects.filter(target=mine).delete()
        for listed in files:
            area = Blob.Area(listed["area"])
            with (folder / listed["path"]).open("rb") as file:
                blob = put_file(area, f"{listed['name']}.csv", File(file))
            team = listed["team"] or None
            TargetFile.objects.create(target=mine, name=listed["name"], team_id=team, blob=blob)
        _end(mine, WorkState.DONE)
        logbook.record("target.publish", contest=mine.round.contest, object_id=mine.pk, files=len(files))
    return True


def work_once(*, stopped: Callable[[], bool] = lambda: False) -> int:
    """Make what is due, take one job and do it; return how many jobs there were."""
    for round_ in targets.due_rounds():
        targets.make_due_targets(round_)
    jobs = claim_work(1)
    for job in jobs:
        run_job(job, stopped=stopped)
    return len(jobs)


@contextmanager
def _as_worker() -> Iterator[None]:
    before = settings.ARENA_ROLE
    settings.ARENA_ROLE = "worker"
    try:
        yield
    finally:
        settings.ARENA_ROLE = before


def run_pending() -> int:
    """Do all work that waits, as a worker would, in this process and its children; return the number of jobs."""
    count = 0
    with _as_worker():
        while done := work_once():
            count += done
    return count
