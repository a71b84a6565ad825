"""The one way to audit a release: the five questions, and the limits of a recipient.

Command line, Python and report all call `audit`. Naming, contents, attributes and membership are always asked, several
releases where earlier ones are named; a quick audit runs no method again and tries one attacker who knows little.
"""

from __future__ import annotations

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
    file_digests,
    naming_answer,
    with_findings,
)
from tokumei.data import Reason, Verdict
from tokumei.flow.making import Made
from tokumei.flow.opening import Opened
from tokumei.flow.replaying import replay_of, rerun_of


def audit(
    released: Made | Opened,
    *,
    k: int | None = None,
    limits: Limits | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    guess_seeds: int = 0,
    quick: bool = False,
) -> AuditResult:
    """Audit a release that was made or opened.

    ``k`` is what must hold (default: the k of its parameters, else what it seems to aim at). With ``limits`` all
    questions decide the verdict, otherwise naming alone. ``time_limit`` is that of naming. ``quick`` leaves out to
    run the method again, and all attackers who know little but one.
    """
    promised = released.parameters.get("k")
    if k is None and isinstance(promised, int) and promised >= 2:
        k = promised
    result = audit_release(
        released.history,
        released.release,
        released.secret,
        k=k,
        time_limit=time_limit,
        seed=seed,
        guess_seeds=guess_seeds,
        rerun=None if quick else rerun_of(released, seed=seed),
        replay=replay_of(released) if guess_seeds else None,
    )
    result = gated(released, result)
    answers: dict[Question, Answer] = {Question.NAMING: naming_answer(result)}
    answers |= little_known(released, quick=quick, seed=seed)
    answers[Question.RELEASES] = Answer(question=Question.RELEASES, reasons=(Reason(code="no-earlier-release"),))
    return under_limits(replace(result, answers=answers), limits)


def little_known(released: Made | Opened, *, quick: bool = False, seed: int = 0) -> dict[Question, Answer]:
    """Return what attackers get who know little: the answers about contents, attributes and membership."""
    history = released.history
    sensitive = [column.name for column in history.schema.columns if column.sensitive and not column.drop]
    rng = np.random.default_rng(seed)
    return climb_ladder(history, released.release, released.secret, rng=rng, sensitive=sensitive, quick=quick)


def gated(released: Made | Opened, result: AuditResult) -> AuditResult:
    """Return an audit that holds for the published bytes too: a folder that is not canonical is not safe."""
    if isinstance(released, Made) or released.folder is None:
        return result
    findings = byte_findings(released.folder, released.release)
    return with_findings(result, findings, digests=file_digests(released.folder.path))


def under_limits(result: AuditResult, limits: Limits | None) -> AuditResult:
    """Return an audit whose verdict the limits of a recipient decide; without limits it stays as it is."""
    if limits is None:
        return result
    answers, outcome, reasons = limits.decided(result.answers)
    verdict = Verdict(outcome=outcome, reasons=(*reasons, *result.verdict.reasons), skipped=result.verdict.skipped)
    return replace(result, answers=answers, verdict=verdict, recipient=limits.recipient)
