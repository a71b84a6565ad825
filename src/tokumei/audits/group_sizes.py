"""The verdict about naming from the sizes of the groups of equal histories alone, without anybody's records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tokumei.audits.reasons import Figures, decide
from tokumei.audits.result import AttackFigure, AuditResult
from tokumei.data import Outcome, Reason
from tokumei.words import Message


def audit_groups(
    *,
    k: int | None,
    level: int,
    pseudonyms: int,
    subjects: int,
    skipped: Sequence[Reason] = (),
    image: tuple[Message, float] | None = None,
    untested: bool = False,
) -> AuditResult:
    """Judge a release of which nothing is known but that ``level`` pseudonyms at least share every history.

    ``k`` is what must hold (default: that level). Every pseudonym is taken to have an owner of its own. ``image`` says
    how the pseudonyms were made of the ids, and of what share of them. Where it is ``untested`` whether they tell their
    owner, equal histories prove nothing of the whole release: it is not called safe.
    """
    judged = k or max(2, level)
    figures = Figures(
        k=judged,
        k_asked=k is not None,
        k_anonymity=level,
        strict=level >= judged,
        with_secret=False,
        pseudonyms=pseudonyms,
        subjects=subjects,
        min_candidates=level,
        skipped=tuple(skipped),
    )
    if image is not None:
        told = AttackFigure(share=image[1], baseline=1 / level, detail=image[0])
        figures = replace(figures, attacks={"predictable-pseudonyms": told})
    verdict = decide(figures)
    if untested and verdict.outcome is Outcome.SAFE:
        reasons = (*verdict.reasons, Reason(code="pseudonyms-untested"))
        verdict = replace(verdict, outcome=Outcome.NOT_SHOWN_UNSAFE, reasons=reasons)
    return AuditResult(
        k=judged,
        subjects=subjects,
        pseudonyms=pseudonyms,
        k_anonymity=level,
        verdict=verdict,
        reidentified=dict(figures.attacks),
        min_candidates=level,
    )
