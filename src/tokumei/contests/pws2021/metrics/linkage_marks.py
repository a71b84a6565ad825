"""lmark: how well an attacker told members from deleted rows and found their rows in D (spec D.5.4, F-D8, F-D9)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tokumei.array_types import Ints
from tokumei.contests.pws2021.table import HOME
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
    membership guess precision is undefined (NaN; 0 if ``strict``) and the risk is 0.
    """
    if len(answers) != len(guesses):
        message = f"EA has {len(answers)} rows and E has {len(guesses)}; both need one row per row of CT"
        raise InfeasibleError(message, code="row-count")
    member, guessed = answers > -1, guesses[:, 0] > -1
    members, guessed_count, both = int(member.sum()), int(guessed.sum()), int((member & guessed).sum())
    if members == 0:
        message = "EA holds no row of D, so that recall is undefined; give the answers of a draw with members"
        raise InfeasibleError(message, code="no-members")
    linked = int((member & (guesses == answers[:, None]).any(axis=1)).sum())
    recall, topk = both / members, linked / members
    if guessed_count == 0:
        return LinkageMarks(recall, 0.0 if strict else math.nan, topk, 0.0, (Message("warning.no-guess", home=HOME),))
    prec = both / guessed_count
    return LinkageMarks(recall, prec, topk, recall * prec * topk)
