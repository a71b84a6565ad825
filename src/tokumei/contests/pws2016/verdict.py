"""What all metrics and attacks of 2016 say together: a verdict with reasons, and the combined score (spec A.2, F-A12).

The contest knew no threshold; a release counts as unsafe here if any attack does better than chance explains, or if P
cannot belong to the data, because then no re-identification rate means anything.
"""

from __future__ import annotations

from collections.abc import Mapping

from tokumei.contests.pws2016.consistency import Consistency
from tokumei.contests.pws2016.metrics.row_guesses import RowGuesses, chance_limit
from tokumei.data import Goal, Outcome, Reason, Score, Verdict
from tokumei.words import percent

__all__ = ["combined_scores", "judge_release"]

ALPHA = 0.001


def judge_release(attacks: Mapping[str, RowGuesses], consistency: Consistency, *, originals: int) -> Verdict:
    """Return the verdict, the most harmful reason first; chance is divided among the attacks (Bonferroni)."""
    reasons = []
    if not consistency.consistent:
        remedy = "Submit the P by which M' and T' were made; until then no re-identification rate means anything."
        reasons.append(Reason(code="inconsistent-p", sentence=consistency.sentence(), remedy=remedy))
    for name, result in sorted(attacks.items(), key=lambda item: -item[1].hits):
        limit = chance_limit(result.n, originals, alpha=ALPHA / max(len(attacks), 1))
        if result.hits > limit:
            sentence = (
                f"{name} names {result.hits:,} of {result.n:,} customers ({percent(result.rate)}); blind guessing "
                f"reaches {limit:,} at most."
            )
            reasons.append(Reason(code="re-identified", sentence=sentence, remedy="Change more than the pseudonyms."))
    if reasons:
        return Verdict(outcome=Outcome.UNSAFE, reasons=tuple(reasons))
    sentence = f"None of {len(attacks)} attacks names more customers than blind guessing."
    return Verdict(outcome=Outcome.NOT_SHOWN_UNSAFE, reasons=(Reason(code="chance", sentence=sentence),))


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
