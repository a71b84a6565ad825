"""A release that no hypothesis explains: which pseudonym, subject and record contradict each other.

That is so for a release of other data, for a damaged one, and for methods that change values (noise, swapping, dummy
records): candidates and posteriors say nothing about those, and the audit says so.
"""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Ints
from tokumei.attacks import Consistency, NoPerfectMatchingError, history_distances
from tokumei.audits.result import AttackFigure
from tokumei.audits.truth import MERGED
from tokumei.data import History, Outcome, Reason, Release, Verdict
from tokumei.words import percent

__all__ = ["contradiction", "nearest_figure"]

SHOWN = 5
_SKIPPED = Reason(
    code="no-hypothesis",
    sentence="candidates, posteriors, other attacks and joint risk: no hypothesis explains the release",
)
_REMEDY = (
    "check that original and release belong together; for methods that change values see the nearest-history attack"
)


def contradiction(
    history: History,
    release: Release,
    consistency: Consistency,
    owner: Ints | None,
    error: NoPerfectMatchingError | None = None,
    *,
    nearest: AttackFigure | None = None,
    k: int = 2,
    discreet: bool = False,
) -> Verdict:
    """Return the verdict on an inconsistent release, with the contradiction in words; ``discreet`` names no owner.

    It is unsafe if the nearest history names more than 1/k of the owners all the same.
    """
    if error is not None:
        sentence = _hall(history, consistency, error)
    else:
        sentence = _alone(history, release, consistency, owner, discreet=discreet)
    values = _counts(consistency, error)
    reason = Reason(code="inconsistent", sentence=sentence, remedy=_REMEDY, values=values)
    if nearest is None:
        return Verdict(outcome=Outcome.NOT_SHOWN_UNSAFE, reasons=(reason,), skipped=(_SKIPPED,))
    sentence = (
        f"the subject with the nearest history is the owner for {percent(nearest.share)} of the pseudonyms "
        f"(blind: {percent(nearest.baseline)})"
    )
    linked = Reason(
        code="nearest-history",
        sentence=sentence,
        remedy="change values more strongly, or generalize",
        values={"share": percent(nearest.share), "baseline": percent(nearest.baseline)},
    )
    if nearest.share > 1 / k:
        return Verdict(outcome=Outcome.UNSAFE, reasons=(linked, reason), skipped=(_SKIPPED,))
    return Verdict(outcome=Outcome.NOT_SHOWN_UNSAFE, reasons=(reason, linked), skipped=(_SKIPPED,))


def nearest_figure(history: History, consistency: Consistency, owner: Ints | None) -> AttackFigure | None:
    """Return what the nearest history names; it needs the truth, and a number of pairs that can be compared."""
    distance = None if owner is None else history_distances(history, consistency)
    if distance is None or owner is None:
        return None
    nearest = distance <= distance.min(axis=1, keepdims=True) + 1e-9
    known = np.flatnonzero(owner != MERGED)
    right = nearest[known, owner[known]] / nearest[known].sum(axis=1)
    share = float(right.sum()) / len(owner)
    return AttackFigure(share=share, baseline=1.0 / distance.shape[1], observed=share)


def _counts(consistency: Consistency, error: NoPerfectMatchingError | None) -> dict[str, object]:
    """Return the numbers of the contradiction without the names of subjects, for documents that must not show them."""
    names = len(consistency.histories.names)
    if error is None:
        nobody = int((consistency.graph.degrees() == 0).sum())
        return {"form": "inconsistent-alone", "pseudonyms": nobody, "all": names}
    crowd = int((error.pseudonyms < names).sum())
    return {"form": "inconsistent-group", "pseudonyms": crowd, "subjects": len(error.subjects)}


def _hall(history: History, consistency: Consistency, error: NoPerfectMatchingError) -> str:
    """Describe pseudonyms that together fit fewer subjects than they are."""
    names = consistency.histories.names.gather(error.pseudonyms[error.pseudonyms < len(consistency.histories.names)])
    subjects = history.subjects.gather(error.subjects)
    return (
        f"the release contradicts the original: the {len(names)} pseudonyms {_listed(names.to_list())} "
        f"together fit only {len(subjects)} subjects ({_listed(subjects.to_list())})"
    )


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(f"'{name}'" for name in names[:SHOWN]) + more


def _alone(history: History, release: Release, consistency: Consistency, owner: Ints | None, *, discreet: bool) -> str:
    """Describe a pseudonym that fits nobody: the subject it comes nearest to or belongs to, the record that fails."""
    nobody = np.flatnonzero(consistency.graph.degrees() == 0)
    pseudonym = int(nobody[0])
    name = consistency.histories.names[pseudonym]
    start = (
        f"the release contradicts the original: {len(nobody)} of {len(consistency.histories.names)} pseudonyms fit no "
        f"subject; the pseudonym '{name}'"
    )
    subject, record = _nearest(consistency, pseudonym, owner)
    if record == -2:
        most = int(history.counts().max())
        size = len(consistency.histories.rows_of(pseudonym))
        whose = "every subject" if owner is None else f"subject '{history.subjects[subject]}'"
        if owner is not None and discreet:
            whose = "its owner"
        count = int(history.counts()[subject]) if owner is not None else most
        return f"{start} has {size} records, more than {whose} ({count})"
    cells = ", ".join(f"{column}={release.text()[column][record]}" for column in release.text().columns[1:])
    if owner is not None and discreet:
        return (
            f"{start} does not fit its own owner: none of their records can be published record {record + 1} ({cells})"
        )
    relation = "belongs to" if owner is not None else "comes nearest to"
    return (
        f"{start} {relation} subject '{history.subjects[subject]}', but published record {record + 1} ({cells}) "
        "cannot stand for any record of that subject that is left"
    )


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
