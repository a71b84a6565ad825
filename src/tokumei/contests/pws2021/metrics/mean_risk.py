"""The risk of an attack as a mean over many draws of test rows, with its interval (spec D.5.4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokumei.contests.pws2021.metrics.linkage_marks import LinkageMarks
from tokumei.data import Goal, Interval, Score

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
