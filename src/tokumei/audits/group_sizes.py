"""The verdict about naming from the sizes of the groups of equal histories alone, without anybody's records."""

from __future__ import annotations

from collections.abc import Sequence

from tokumei.audits.reasons import Figures, decide
from tokumei.audits.result import AuditResult
from tokumei.data import Reason


def audit_groups(
    *, k: int | None, level: int, pseudonyms: int, subjects: int, skipped: Sequence[Reason] = ()
) -> AuditResult:
    """Judge a release of which nothing is known but that ``level`` pseudonyms at least share every history.

    ``k`` is what must hold (default: that level). Every pseudonym is taken to have an owner of its own.
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
    return AuditResult(
        k=judged,
        subjects=subjects,
        pseudonyms=pseudonyms,
        k_anonymity=level,
        verdict=decide(figures),
        min_candidates=level,
    )
