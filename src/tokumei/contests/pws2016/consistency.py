"""Whether P belongs to M' and T', and what all metrics and attacks of 2016 say together (spec A.2, A.3.2, F-A12).

Every row of M' is compared with all original customers by everything that is known of them. Where one candidate stands
out, the row *tells* whose data it shows: it supports P if that is the claimed customer, and contradicts P if not,
unless the master values fit the claimed customer as well (pseudonyms may be exchanged between customers, spec A.1.4,
which moves transactions and leaves the master in place). An honest anonymization blurs rows until they tell nothing, or
leaves them telling the truth; only a false P makes most of the rest contradict it.

The contest knew no threshold; a release counts as unsafe here if any attack does better than chance explains, or if P
cannot belong to the data, because then no re-identification rate means anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Floats32, Ints
from tokumei.contests.pws2016.attacks.likeness import combined_likeness
from tokumei.contests.pws2016.files import MASTER_COLUMNS
from tokumei.contests.pws2016.messages import HOME
from tokumei.contests.pws2016.metrics.row_guesses import RowGuesses, chance_limit
from tokumei.contests.pws2016.shop import Shop
from tokumei.data import Evidence, Goal, Outcome, Reason, Score, Verdict
from tokumei.words import Message

# How much liker (of 1) the best candidate must be than the next before a row counts as telling.
LEAD = 0.05
WORST_CASES = 20
RANK_CLASSES = 10


@dataclass(frozen=True, eq=False, slots=True)
class Consistency:
    """What the rows of M' say about P."""

    rows: int
    telling: int
    supporting: int
    contradicting: int
    evidence: Evidence

    @property
    def consistent(self) -> bool:
        """False if more telling rows contradict P than support it; what tells nothing cannot be shown inconsistent."""
        return self.contradicting <= self.supporting

    def message(self) -> Message:
        """Return the finding."""
        form = "untestable" if self.telling == 0 else "supported" if self.consistent else "contradicted"
        counts = {"rows": self.rows, "telling": self.telling}
        counts |= {"supporting": self.supporting, "contradicting": self.contradicting}
        return Message(f"consistency.{form}", counts, HOME)

    def as_dict(self) -> dict[str, object]:
        """Return the counts, the sentence and the evidence as plain values."""
        tables = {name: table.to_dicts() for name, table in self.evidence.tables.items()}
        return {
            "consistent": self.consistent,
            "rows": self.rows,
            "telling": self.telling,
            "supporting": self.supporting,
            "contradicting": self.contradicting,
            "sentence": str(self.message()),
            "evidence": tables,
        }


def judge_consistency(
    original: Shop, published: Shop, claimed: Ints, *, likeness: Floats32 | None = None
) -> Consistency:
    """Return whether P can belong to the data, with the worst contradictions and the ranks of the claimed customers.

    ``claimed`` is P counted from 0: the row of M that every row of M' claims to come from.
    ``likeness`` saves the comparison of all pairs where it was made already (`combined_likeness`).
    """
    found = combined_likeness(original, published) if likeness is None else likeness
    rows = np.arange(len(claimed))
    best = found.argmax(axis=1)
    top, own = found[rows, best], found[rows, claimed]
    lead = top - _second(found, best)
    telling = lead >= LEAD
    supporting = telling & (best == claimed)
    agreeing, better = (_agreeing(original, published, customers) for customers in (claimed, best))
    contradicting = telling & (own < top) & (agreeing < better)
    evidence = Evidence({"worst": _worst(claimed, best, own, top, contradicting), "ranks": _ranks(found, own)})
    return Consistency(len(rows), int(telling.sum()), int(supporting.sum()), int(contradicting.sum()), evidence)


def _agreeing(original: Shop, published: Shop, customers: Ints) -> Ints:
    """Return how many master values each row of M' shares with a row of M (from 0)."""
    agreeing = np.zeros(len(customers), dtype=np.int64)
    for name in MASTER_COLUMNS[1:]:
        agreeing += (published.master[name] == original.master[name][customers]).to_numpy()
    return agreeing


def _second(found: Floats32, best: Ints) -> Floats32:
    """Return the second largest likeness of every row; that of a single candidate is 0."""
    if found.shape[1] < 2:
        return np.zeros(len(found), dtype=np.float32)
    rows = np.arange(len(found))
    kept = found[rows, best]
    found[rows, best] = -1.0
    second = found.max(axis=1)
    found[rows, best] = kept
    return second


def _worst(claimed: Ints, best: Ints, own: Floats32, top: Floats32, contradicting: Bools) -> pl.DataFrame:
    """Return the rows of M' that contradict P most: what P claims, what the data shows, and how alike both are."""
    order = np.argsort(own - top, kind="stable")
    order = order[contradicting[order]][:WORST_CASES]
    return pl.DataFrame(
        {
            "row": order + 1,
            "claimed": claimed[order] + 1,
            "shown": best[order] + 1,
            "likeness_claimed": own[order].astype(np.float64),
            "likeness_shown": top[order].astype(np.float64),
        }
    )


def _ranks(found: Floats32, own: Floats32) -> pl.DataFrame:
    """Return how many claimed customers are among the likest tenth, the second tenth ... of all candidates.

    Honest files crowd into the first tenth; a P drawn at random spreads evenly.
    """
    above = (found > own[:, None]).sum(axis=1)
    tenth = np.minimum(above * RANK_CLASSES // max(found.shape[1], 1), RANK_CLASSES - 1)
    counts = np.bincount(tenth, minlength=RANK_CLASSES)
    return pl.DataFrame({"tenth": np.arange(1, RANK_CLASSES + 1), "rows": counts})


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
    reason = Reason(
        code="chance",
        values={
            "attacks": len(attacks),
            "n": max((one.n for one in attacks.values()), default=0),
            "originals": originals,
        },
        home=HOME,
    )
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
