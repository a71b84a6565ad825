"""Writing the end of an evaluation: what was found, or why nothing could be; only while the lease is held.

Rows of evaluations are never changed. Each holds what it depends on (rule set, its version, hashes of all inputs) and
a fingerprint of everything, so that two evaluations can be compared bit for bit.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.files.base import File
from django.db import transaction
from django.utils.translation import gettext, gettext_noop

from tokumei.contests import file_name
from tokumei_arena.models import (
    Blob,
    Evaluation,
    Leased,
    RescoreItem,
    Round,
    SelfCheck,
    Submission,
    Target,
    TargetFile,
    WorkState,
)
from tokumei_arena.records import discard_blob, put_file, record
from tokumei_arena.work import intake, leases, self_checks
from tokumei_arena.work.sandbox import Death, open_left

INTERRUPTED, NO_DATA = "interrupted", "no-data"
REASONS = {
    Death.MEMORY: gettext_noop("the evaluation needed more memory than allowed; a smaller file may work"),
    Death.CPU: gettext_noop("the evaluation took more processor time than allowed; a smaller file may work"),
    Death.WALL: gettext_noop("the evaluation took longer than allowed; a smaller file may work"),
    Death.FILE_SIZE: gettext_noop("the evaluation wrote larger files than allowed; a smaller file may work"),
    Death.ERROR: gettext_noop("the evaluation met an error of ours; the referee sees it in the log of the worker"),
    Death.KILLED: gettext_noop("the evaluation was killed again and again; ask the referee to look at the worker"),
    Death.CRASHED: gettext_noop("the evaluation crashed again and again; ask the referee to look at the worker"),
    INTERRUPTED: gettext_noop("the worker was interrupted again and again; ask the referee to look at it"),
    NO_DATA: gettext_noop("the round has no data to compare this with; ask the referee"),
}


def failure_text(row: Leased) -> str:
    """Return why an evaluation failed, in the language of the reader."""
    return gettext(row.failure) if row.failure else ""


def round_of(row: Leased) -> Round:
    """Return the round that a row of work belongs to."""
    if isinstance(row, RescoreItem):
        return row.submission.round
    assert isinstance(row, (Submission, Target, SelfCheck))
    return row.round


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
        if isinstance(mine, SelfCheck):
            self_checks.keep_result(mine, result)
            _end(mine, WorkState.DONE)
            return True
        submission = mine.submission if isinstance(mine, RescoreItem) else mine
        assert isinstance(submission, Submission)
        evaluation = _evaluation(submission, result, inputs, version)
        if isinstance(mine, Submission):
            mine.evaluation = evaluation
            mine.verdict = Submission.Verdict.VALID if evaluation.valid else Submission.Verdict.INVALID
            if not evaluation.valid:
                intake.free_slot(mine)
        elif isinstance(mine, RescoreItem):
            mine.evaluation = evaluation
        _end(mine, WorkState.DONE)
        record(
            "rescore.compute" if isinstance(mine, RescoreItem) else "evaluation.finish",
            submission,
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
        if isinstance(mine, SelfCheck):
            self_checks.forget_file(mine)
            return True
        record("evaluation.fail", mine, reason=reason)
    return True


def open_target(
    target: Target,
    lease: uuid.UUID,
    folder: Path,
    files: list[dict[str, str]],
    *,
    put: Callable[[Blob.Area, str, File[Any]], Blob] = put_file,
) -> bool:
    """Store the files that were made of a target and open it to attackers.

    Storing takes its time, so it comes before the transaction: on SQLite nobody else could write meanwhile.
    """
    made = []
    for listed in files:
        with open_left(folder, listed["path"]) as file:
            made.append(put(Blob.Area(listed["area"]), file_name(listed["name"]), File(file)))
    with transaction.atomic():
        mine = leases.held(target, lease)
        if mine is not None:
            TargetFile.objects.filter(target=mine).delete()
            TargetFile.objects.bulk_create(
                TargetFile(target=mine, name=listed["name"], team_id=listed["team"] or None, blob=blob)
                for listed, blob in zip(files, made, strict=True)
            )
            _end(mine, WorkState.DONE)
            record("target.publish", mine, files=len(files))
    if mine is None:
        for blob in made:
            discard_blob(blob)
    return mine is not None
