"""A release that no hypothesis explains: which pseudonym, subject and record contradict each other.

That is so for a release of other data, for a damaged one, and for methods that change values (noise, swapping, dummy
records): candidates and posteriors say nothing about those, and the audit says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tokumei.array_types import Ints
from tokumei.attacks import Consistency, LikelihoodMatching, MatchView, NearestHistory, NoPerfectMatchingError
from tokumei.audits.rerun import Rerun
from tokumei.audits.result import AttackFigure
from tokumei.audits.truth import MERGED
from tokumei.data import OTHER_ORIGINAL, Outcome, Reason, Verdict
from tokumei.words import Message


def contradiction(
    view: MatchView,
    owner: Ints | None,
    error: NoPerfectMatchingError | None = None,
    *,
    attacks: Mapping[str, AttackFigure] | None = None,
    rerun: Rerun | None = None,
    k: int = 2,
    discreet: bool = False,
) -> Verdict:
    """Return the verdict on an inconsistent release, with what contradicts; ``discreet`` names no owner.

    It is unsafe if an attack that needs no exact fit, or whoever re-runs the method, names more than 1/k of the owners
    all the same.
    """
    reason = _alone(view, owner, discreet=discreet) if error is None else _group(view, error)
    reasons, outcome = [reason], Outcome.NOT_SHOWN_UNSAFE
    if rerun is not None:
        harmful = rerun.above(1 / k)
        reasons.insert(0, rerun.harm(k) if harmful else rerun.harmless(k))
        outcome = Outcome.UNSAFE if harmful else outcome
    for name, figure in sorted((attacks or {}).items(), key=lambda attack: attack[1].share):
        told = Reason(code=name, values={"share": figure.share, "baseline": figure.baseline})
        if figure.share > 1 / k:
            reasons.insert(0, told)
            outcome = Outcome.UNSAFE
        else:
            reasons.append(told)
    return Verdict(outcome=outcome, reasons=tuple(reasons), skipped=(Reason(code="no-hypothesis"),))


def not_of_original(verdict: Verdict) -> Verdict:
    """Return the verdict on a release that contradicts the original although its method changes no value.

    Either the original is another one or the release was damaged. What its bytes prove stays said, but it may be about
    other people: it is not called safe, and the contradiction is the first reason.
    """
    outcome = Outcome.NOT_SHOWN_UNSAFE if verdict.outcome is Outcome.SAFE else verdict.outcome
    return replace(verdict, outcome=outcome, reasons=(Reason(code=OTHER_ORIGINAL), *verdict.reasons))


def unfit_figures(view: MatchView, owner: Ints | None) -> dict[str, AttackFigure]:
    """Return what attacks name that need no exact fit; they need the truth, and pairs few enough to be compared."""
    figures = {}
    for attack in (NearestHistory(), LikelihoodMatching()) if owner is not None else ():
        choice = next(attack.choices(view), None)
        if choice is None or owner is None:
            continue
        graph = choice.graph
        right = np.zeros(len(owner))
        true = graph.subject == owner[graph.pseudonym]
        right[graph.pseudonym[true]] = choice.named()[true]
        share = float(right[owner != MERGED].sum()) / len(owner)
        figures[attack.name] = AttackFigure(share=share, baseline=1.0 / graph.subjects, observed=share)
    return figures


def _group(view: MatchView, error: NoPerfectMatchingError) -> Reason:
    """Return pseudonyms that together fit fewer subjects than they are."""
    names = view.consistency.histories.names
    crowd = names[error.pseudonyms[error.pseudonyms < len(names)]].to_list()
    owners = view.knowledge.subjects[error.subjects].to_list()
    values = {"pseudonyms": len(crowd), "names": tuple(crowd), "subjects": len(owners), "owners": tuple(owners)}
    return Reason(code="inconsistent", form="inconsistent-group", values=values)


def _alone(view: MatchView, owner: Ints | None, *, discreet: bool) -> Reason:
    """Return a pseudonym that fits nobody: the subject it comes nearest to or belongs to, the record that fails."""
    histories = view.consistency.histories
    nobody = np.flatnonzero(view.consistency.graph.degrees() == 0)
    pseudonym = int(nobody[0])
    subject, record = _nearest(view.consistency, pseudonym, owner)
    counts = view.knowledge.counts()
    facts: dict[str, object] = {"subject": view.knowledge.subjects[subject], "record": record + 1}
    if record == -2:
        code = "too-long" if owner is None else "too-long-owner" if discreet else "too-long-subject"
        facts |= {
            "size": len(histories.rows_of(pseudonym)),
            "count": int(counts.max() if owner is None else counts[subject]),
        }
    else:
        code = "unfit-nearest" if owner is None else "unfit-owner" if discreet else "unfit-subject"
        text = view.release.text()
        facts["cells"] = ", ".join(f"{column}={text[column][record]}" for column in text.columns[1:])
    values = {
        "pseudonyms": len(nobody),
        "all": len(histories.names),
        "pseudonym": histories.names[pseudonym],
        "example": Message(f"detail.{code}", facts),
    }
    return Reason(code="inconsistent", form="inconsistent-alone", values=values)


def _nearest(consistency: Consistency, pseudonym: int, owner: Ints | None) -> tuple[int, int]:
    """Return the true owner, or the subject whose contradiction comes latest, and the record that contradicts."""
    if owner is not None and owner[pseudonym] != MERGED:
        subject = int(owner[pseudonym])
        return subject, consistency.contradiction(pseudonym, subject)
    subjects = len(consistency.index.offsets) - 1
    records = consistency.contradictions(pseudonym, np.arange(subjects, dtype=np.int64))
    long_enough = np.flatnonzero(records >= 0)
    if len(long_enough) == 0:
        return 0, -2
    rank = consistency.index.admitted[records[long_enough]]
    best = int(long_enough[np.argmax(rank)])
    return best, int(records[best])
