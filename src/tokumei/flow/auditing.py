"""The one way to audit a release: the five questions, and the limits of a recipient.

Command line, Python and report all call `audit`. Naming, contents, attributes and membership are always asked, several
releases where earlier ones are named; a quick audit runs no method again and tries one attacker who knows little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tokumei.audits import (
    Answer,
    AuditResult,
    Limits,
    Question,
    audit_release,
    byte_findings,
    climb_ladder,
    combine_releases,
    file_digests,
    naming_answer,
    with_findings,
)
from tokumei.data import Release, Verdict
from tokumei.flow.gate import identifier_findings
from tokumei.flow.making import Made, compared_with
from tokumei.flow.opening import Opened
from tokumei.flow.replaying import method_of, replay_of, rerun_of
from tokumei.profiles import refuse_unknown_columns


def audit(
    released: Made | Opened,
    *,
    k: int | None = None,
    limits: Limits | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    guess_seeds: int = 0,
    quick: bool = False,
    allow: Sequence[str] = (),
    earlier: Sequence[Release] = (),
) -> AuditResult:
    """Audit a release that was made or opened.

    ``k`` is what must hold (default: the k of its parameters, else what it seems to aim at). With ``limits`` all
    questions decide the verdict, otherwise naming alone. ``time_limit`` is that of naming. ``quick`` leaves out to
    run the method again, and all attackers who know little but one; ``allow`` names columns that may be published
    although they seem to name people. ``earlier`` are releases of the same people, coded after the same original.
    """
    promised = released.parameters.get("k")
    if k is None and isinstance(promised, int) and promised >= 2:
        k = promised
    original, secret = compared_with(method_of(released), released.history, released.secret)
    result = audit_release(
        original,
        released.release,
        secret,
        k=k,
        time_limit=time_limit,
        seed=seed,
        guess_seeds=guess_seeds,
        rerun=None if quick else rerun_of(released, seed=seed),
        replay=replay_of(released) if guess_seeds else None,
    )
    result = gated(released, result, allow=allow)
    answers: dict[Question, Answer] = {Question.NAMING: naming_answer(result)}
    answers |= little_known(released, quick=quick, seed=seed)
    answers[Question.RELEASES] = combine_releases(original, released.release, earlier, [secret])
    return under_limits(replace(result, answers=answers), limits)


def little_known(released: Made | Opened, *, quick: bool = False, seed: int = 0) -> dict[Question, Answer]:
    """Return what attackers get who know little: the answers about contents, attributes and membership."""
    history = released.history
    sensitive = [column.name for column in history.schema.columns if column.sensitive and not column.drop]
    rng = np.random.default_rng(seed)
    return climb_ladder(history, released.release, released.secret, rng=rng, sensitive=sensitive, quick=quick)


def gated(released: Made | Opened, result: AuditResult, *, allow: Sequence[str] = ()) -> AuditResult:
    """Return an audit that holds for the published bytes and columns too.

    A folder that is not canonical and a readable column that seems to name people are not safe.
    """
    refuse_unknown_columns(released.history, allow)
    allow = (*allow, *(released.plan.allow if isinstance(released, Made) else ()))
    folder = None if isinstance(released, Made) else released.folder
    refused, allowed = identifier_findings(released.history, released.release, allow)
    written = () if folder is None else byte_findings(folder, released.release)
    digests = {} if folder is None else file_digests(folder.path)
    return with_findings(result, (*refused, *written), notes=allowed, digests=digests)


def under_limits(result: AuditResult, limits: Limits | None) -> AuditResult:
    """Return an audit whose verdict the limits of a recipient decide; without limits it stays as it is."""
    if limits is None:
        return result
    answers, outcome, reasons = limits.decided(result.answers)
    verdict = Verdict(outcome=outcome, reasons=(*reasons, *result.verdict.reasons), skipped=result.verdict.skipped)
    return replace(result, answers=answers, verdict=verdict, recipient=limits.recipient)
