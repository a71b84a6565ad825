"""A release that no hypothesis explains: which pseudonym, subject and record contradict each other.

That is so for a release of other data, for a damaged one, and for methods that change values (noise, swapping, dummy
records): candidates and posteriors say nothing about those, and the audit says so.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tokumei.history import History, Release
from tokumei.judge.audit_truth import MERGED
from tokumei.kernels.consistency import Consistency
from tokumei.kernels.matchings import NoPerfectMatchingError
from tokumei.results import Outcome, Reason, Verdict

__all__ = ["contradiction"]

Ints = npt.NDArray[np.int64]
SHOWN = 5
_SKIPPED = "candidates, posteriors, attacks and joint risk: no hypothesis explains the release"
_REMEDY = (
    "check that original and release belong together; for methods that change values judge with record linkage instead"
)


def contradiction(
    history: History,
    release: Release,
    consistency: Consistency,
    owner: Ints | None,
    error: NoPerfectMatchingError | None = None,
) -> Verdict:
    """Return the verdict on an inconsistent release, with the contradiction in words."""
    sentence = _hall(history, consistency, error) if error is not None else _alone(history, release, consistency, owner)
    reason = Reason(code="inconsistent", sentence=sentence, remedy=_REMEDY)
    return Verdict(outcome=Outcome.NOT_SHOWN_UNSAFE, reasons=(reason,), skipped=(_SKIPPED,))


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


def _alone(history: History, release: Release, consistency: Consistency, owner: Ints | None) -> str:
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
        whose = f"subject '{history.subjects[subject]}'" if owner is not None else "every subject"
        count = int(history.counts()[subject]) if owner is not None else most
        return f"{start} has {size} records, more than {whose} ({count})"
    cells = ", ".join(f"{column}={release.text()[column][record]}" for column in release.text().columns[1:])
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
