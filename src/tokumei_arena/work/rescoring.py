"""Scoring a round again: computed beside what counts, compared figure by figure, then applied or thrown away.

The workers compute the items like any other work. Nothing that teams see changes until a referee applies the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from tokumei_arena import access, clock
from tokumei_arena.errors import NotNowError, RefusedError
from tokumei_arena.models import Evaluation, Person, Rescore, RescoreItem, Round, Submission, WorkState
from tokumei_arena.records import record
from tokumei_arena.work import intake

VALID = "valid"


@dataclass(frozen=True)
class Difference:
    """One figure of one submission that is not what it was; the figure ``valid`` is the checker's verdict."""

    submission: Submission
    figure: str
    before: Any
    after: Any

    @property
    def change(self) -> float | None:
        """How far a number moved; None for what is no number."""
        numbers = all(
            isinstance(value, (int, float)) and not isinstance(value, bool) for value in (self.before, self.after)
        )
        return self.after - self.before if numbers else None


@dataclass(frozen=True)
class Progress:
    """How many items are computed, failed and still to do."""

    total: int
    done: int
    failed: int

    @property
    def waiting(self) -> int:
        """How many are still to do."""
        return self.total - self.done - self.failed

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return self.waiting == 0


def start_rescore(round_: Round, *, by: Person, reason: str) -> Rescore:
    """Queue every evaluated submission of a round to be evaluated once more."""
    access.need_referee(by, round_.contest)
    access.need_reason(reason)
    with transaction.atomic():
        locked = Round.objects.select_for_update().get(pk=round_.pk)
        if locked.rescores.filter(applied_at=None).exists():
            message = _("another re-scoring of this round is open; apply or discard it first")
            raise NotNowError(message, code="rescore-open")
        found = locked.submissions.filter(state=WorkState.DONE, evaluation__isnull=False)
        if not found.exists():
            raise RefusedError(_("nothing in this round has been evaluated yet"), code="nothing-to-rescore")
        rescore = Rescore.objects.create(round=locked, reason=reason.strip(), by=by)
        items = [RescoreItem(rescore=rescore, submission=submission) for submission in found.order_by("received_at")]
        RescoreItem.objects.bulk_create(items)
        _record("start", rescore, by, count=len(items), reason=reason.strip())
    return rescore


def _record(what: str, rescore: Rescore, by: Person, **detail: Any) -> None:
    round_ = rescore.round
    record(f"rescore.{what}", rescore, actor=by, round=round_.kind, **detail)


def rescore_progress(rescore: Rescore) -> Progress:
    """Return how far the computation is."""
    counts = rescore.items.aggregate(
        total=Count("pk"),
        done=Count("pk", filter=Q(state=WorkState.DONE)),
        failed=Count("pk", filter=Q(state=WorkState.FAILED)),
    )
    return Progress(**counts)


def _items(rescore: Rescore) -> Iterator[tuple[RescoreItem, Evaluation]]:
    rows = rescore.items.filter(state=WorkState.DONE, evaluation__isnull=False).select_related(
        "evaluation", "submission__evaluation", "submission__team", "submission__target__team"
    )
    for item in rows.order_by("submission__team__number", "submission__received_at", "submission__pk"):
        if item.evaluation is not None:
            yield item, item.evaluation


def rescore_differences(rescore: Rescore) -> list[Difference]:
    """Return every figure that differs from what counts now, to the last bit, in a fixed order."""
    found = []
    for item, after in _items(rescore):
        before = item.submission.evaluation
        old: dict[str, Any] = {} if before is None else {VALID: before.valid, **before.figures}
        new = {VALID: after.valid, **after.figures}
        found += [
            Difference(item.submission, name, old.get(name), new.get(name))
            for name in {**old, **new}
            if not _same(old.get(name), new.get(name))
        ]
    return found


def _same(before: Any, after: Any) -> bool:
    """Return whether two figures are equal; not-a-number equals itself here, and true is not 1."""
    return type(before) is type(after) and (before == after or (before != before and after != after))  # noqa: PLR0124


def apply_rescore(rescore: Rescore, *, by: Person) -> int:
    """Make the new evaluations count; return how many submissions changed.

    Refused while anything is still computed or failed: half a re-scoring would be unfair.
    """
    access.need_referee(by, rescore.round.contest)
    with transaction.atomic():
        rescore = Rescore.objects.select_for_update().get(pk=rescore.pk)
        _refuse_closed(rescore)
        state = rescore_progress(rescore)
        if not state.finished or state.failed:
            message = _("%(waiting)d items are not computed yet and %(failed)d failed; nothing was applied")
            raise NotNowError(message % {"waiting": state.waiting, "failed": state.failed}, code="rescore-unfinished")
        changed = sorted({str(one.submission.pk) for one in rescore_differences(rescore)})
        for item, evaluation in _items(rescore):
            _put(item.submission, evaluation)
        rescore.applied_at = clock.now()
        rescore.save(update_fields=["applied_at"])
        _record("apply", rescore, by, submissions=state.total, changed=changed)
    return len(changed)


def _put(submission: Submission, evaluation: Evaluation) -> None:
    """Let an evaluation count; a file that turns out invalid gives its try back."""
    submission.evaluation = evaluation
    submission.verdict = Submission.Verdict.VALID if evaluation.valid else Submission.Verdict.INVALID
    submission.save(update_fields=["evaluation", "verdict"])
    if not evaluation.valid:
        intake.free_slot(submission)


def discard_rescore(rescore: Rescore, *, by: Person, reason: str) -> None:
    """Throw a re-scoring away; what counts stays as it is, and the log keeps that it was tried."""
    access.need_referee(by, rescore.round.contest)
    access.need_reason(reason)
    with transaction.atomic():
        rescore = Rescore.objects.select_for_update().get(pk=rescore.pk)
        _refuse_closed(rescore)
        _record("discard", rescore, by, reason=reason.strip())
        rescore.delete()


def _refuse_closed(rescore: Rescore) -> None:
    if rescore.applied_at is not None:
        raise NotNowError(_("this re-scoring has been applied already"), code="rescore-applied")
