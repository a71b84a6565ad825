"""lmark: how well an attacker told members from deleted rows and found their rows in D (spec D.5.4, F-D8, F-D9)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tokumei.array_types import Ints
from tokumei.contests.pws2021.table import HOME
from tokumei.data import Goal, Interval, Score
from tokumei.errors import InfeasibleError
from tokumei.words import Message


@dataclass(frozen=True, slots=True)
class LinkageMarks:
    """Recall and precision of membership, top-3 linkage of the members, and the risk: their product."""

    recall: float
    prec: float
    topk: float
    risk: float
    warnings: tuple[Message, ...] = ()

    def as_dict(self) -> dict[str, float]:
        """Return the figures for JSON."""
        return {"recall": self.recall, "prec": self.prec, "topk": self.topk, "risk": self.risk}


def linkage_marks(answers: Ints, guesses: Ints, *, strict: bool = False) -> LinkageMarks:
    """Judge guesses (rows x 3) against the true rows in D (-1: deleted).

    Membership is read from the first guess only; a row is linked if any guess of the same row is right. Without any
    membership guess precision is undefined (NaN; 0 if ``strict``) and the risk is 0. Without any row of D in the
    answers recall, linkage and risk are undefined (NaN; an error if ``strict``).
    """
    if len(answers) != len(guesses):
        message = f"EA has {len(answers)} rows and E has {len(guesses)}; both need one row per row of CT"
        raise InfeasibleError(message, code="row-count")
    member, guessed = answers > -1, guesses[:, 0] > -1
    members, guessed_count, both = int(member.sum()), int(guessed.sum()), int((member & guessed).sum())
    if members == 0 and strict:
        message = "EA holds no row of D, so that recall is undefined; give the answers of a draw with members"
        raise InfeasibleError(message, code="no-members")
    if members == 0:
        # The official program divides nothing by nothing (spec F: its figure with a warning).
        prec = 0.0 if guessed_count else math.nan
        return LinkageMarks(math.nan, prec, math.nan, math.nan, (Message("warning.no-members", home=HOME),))
    linked = int((member & (guesses == answers[:, None]).any(axis=1)).sum())
    recall, topk = both / members, linked / members
    if guessed_count == 0:
        return LinkageMarks(recall, 0.0 if strict else math.nan, topk, 0.0, (Message("warning.no-guess", home=HOME),))
    prec = both / guessed_count
    return LinkageMarks(recall, prec, topk, recall * prec * topk)


NORMAL_95 = 1.959963984540054
GUESSES = 3
ALWAYS_MEMBER_PRECISION = 0.5


def mean_risk(marks: Sequence[LinkageMarks], *, rows: int) -> Score:
    """Return the mean risk of the draws; the baseline answers three random rows of D to every test row."""
    risks = np.array([mark.risk for mark in marks])
    error = NORMAL_95 * float(risks.std(ddof=1)) / np.sqrt(len(risks)) if len(risks) > 1 else 0.0
    mean = float(risks.mean())
    parts = {name: float(np.nanmean([getattr(mark, name) for mark in marks])) for name in ("recall", "topk")}
    guessed = [mark.prec for mark in marks if not np.isnan(mark.prec)]
    parts["prec"] = float(np.mean(guessed)) if guessed else 0.0
    return Score(
        name="risk",
        value=mean,
        goal=Goal.LOWER,
        highest=1.0,
        interval=Interval(max(mean - error, 0.0), min(mean + error, 1.0)),
        baseline=ALWAYS_MEMBER_PRECISION * min(GUESSES / max(rows, 1), 1.0),
        parts=parts,
    )
