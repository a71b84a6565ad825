"""The answer to the first question, whose history is this, from the figures of an audit."""

from __future__ import annotations

from tokumei.audits.answers import Answer, Question
from tokumei.audits.result import AuditResult
from tokumei.data import Goal, Score

SUREST = "surest-owner"
# Figures that hold all hypotheses, or the cheapest ones, equally likely.
BELIEFS = (SUREST, "matching-posterior", "cheapest-matching")


def naming_answer(result: AuditResult) -> Answer:
    """Return what attackers who hold all original data name; without the release they would guess blindly.

    The headline is the largest figure: how sure the owner is who is known best, or the share that an attack names.
    """
    shares = {name: figure.share for name, figure in result.reidentified.items()}
    intervals = {name: figure.interval for name, figure in result.reidentified.items()}
    if result.max_posterior is not None:
        shares = {SUREST: result.max_posterior, **shares}
    telling = set(shares)
    if result.rerun is not None and not result.rerun.above(1 / result.k):
        # The frequencies of the runs stand in the place of equally likely hypotheses, and of blind guessing among them.
        blindly = {name for name, figure in result.reidentified.items() if figure.share <= figure.baseline}
        telling -= {*BELIEFS, *blindly} - {"rerun"}
    blind = 1.0 / max(result.subjects, 1)
    figures = {
        name: Score(name=name, value=share, goal=Goal.LOWER, highest=1.0, baseline=blind, interval=intervals.get(name))
        for name, share in shares.items()
    }
    return Answer(
        question=Question.NAMING,
        figures=figures,
        headline=max((name for name in shares if name in telling), key=lambda name: shares[name], default=""),
        outcome=result.verdict.outcome,
        reasons=result.verdict.reasons,
        skipped=result.verdict.skipped,
    )
