"""What all metrics and attacks of 2016 say together: a verdict with reasons, and the combined score (spec A.2, F-A12).

The contest knew no threshold; a release counts as unsafe here if any attack does better than chance explains, or if P
cannot belong to the data, because then no re-identification rate means anything.
"""

from __future__ import annotations

from collections.abc import Mapping

from tokumei.contests.pws2016.consistency import Consistency
from tokumei.contests.pws2016.messages import HOME
from tokumei.contests.pws2016.metrics.row_guesses import RowGuesses, chance_limit
from tokumei.data import Goal, Outcome, Reason, Score, Verdict

ALPHA = 0.001


def judge_release(attacks: Mapping[str, RowGuesses], consistency: Consistency, *, originals: int) -> Verdict:
    """Return the verdict, the most harmful reason first; chance is divided among the attacks (Bonferroni)."""
    reasons = []
    if not consistency.consistent:
        reasons.append(Reason(code="inconsistent-p", values={"finding": consistency.message()}, home=HOME))
    for name, result in sorted(attacks.items(), key=lambda item: -item[1].hits):
        limit = chance_limit(result.n, originals, alpha=ALPHA / max(len(attacks), 1))
        if result.hits > limit:
            values = {"attack": name, "hits": result.hits, "n": result.n, "rate": result.rate, "limit": limit}
            reasons.append(Reason(code="re-identified", values=values, home=HOME))
    if reasons:
        return Verdict(outcome=Outcome.UNSAFE, reasons=tuple(reasons))
    reason = Reason(code="chance", values={"attacks": len(attacks)}, home=HOME)
    return Verdict(outcome=Outcome.NOT_SHOWN_UNSAFE, reasons=(reason,))


def combined_scores(utility: Mapping[str, Score], reid_max: float) -> dict[str, float]:
    """Return sum and maximum of utility error and re-identification rate; 0 is best, the sum at most 2.

    The utility error is the largest of the five, each from 0 to 1: cmae and cmae2 in shares of the summed mean prices
    of T, RMSE in shares of the largest possible one, ham, and 1 - topitem.
    """
    shares = (utility["ham"], utility["topitem"])
    errors = [1 - score.value if score.goal is Goal.HIGHER else score.value for score in shares]
    errors.append(-utility["rfm"].value / utility["rfm"].parts["scale"])
    errors += [utility[name].value / (utility[name].parts["scale"] or 1.0) for name in ("cmae", "cmae2")]
    error = min(max(errors), 1.0)
    return {"utility_error": error, "sum": error + reid_max, "max": max(error, reid_max)}
