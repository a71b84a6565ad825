"""Question 5 with a ledger: the other releases of it, as far as they are still there, and what their groups prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.audits import Answer, mean_score
from tokumei.data import MANIFEST_NAME, History, Reason, Release, read_release
from tokumei.flow.bookkeeping import manifest_digest
from tokumei.flow.making import Made
from tokumei.flow.opening import Opened
from tokumei.ledgers import Candidates, Entry, Ledger, candidate_sets


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BookedReleases:
    """The other releases of a ledger: ``owners`` has, for each, pseudonyms and subjects of who is in the original.

    ``candidates`` counts those of everybody in the audited release, None if the ledger does not know it; ``absent`` are
    the releases whose files are no longer where they were written.
    """

    releases: Sequence[Release]
    owners: Sequence[pl.DataFrame]
    entries: int
    candidates: Candidates | None
    absent: Sequence[Entry]

    @classmethod
    def of(cls, ledger: Ledger, released: Made | Opened) -> BookedReleases:
        """Find a release in its ledger, and read the others."""
        audited = None
        if isinstance(released, Opened) and released.folder is not None:
            audited = ledger.entry_of(manifest_digest(released.folder.path))
        releases, owners, absent = [], [], []
        for entry in ledger.entries:
            if entry == audited:
                continue
            folder = Path(entry.folder)
            if not (folder / MANIFEST_NAME).is_file() or manifest_digest(folder) != entry.digest:
                absent.append(entry)
                continue
            releases.append(read_release(folder, released.history))
            owners.append(_owners(ledger, entry, released.history))
        return cls(
            releases=releases,
            owners=owners,
            entries=len(ledger.entries),
            candidates=None if audited is None else candidate_sets(ledger, audited.number),
            absent=absent,
        )

    def answered(self, answer: Answer) -> Answer:
        """Return what was found in the contents together with what the ledger proves."""
        skipped = [Reason(code="ledger-elsewhere", values={"number": entry.number}) for entry in self.absent]
        others = tuple(reason for reason in answer.reasons if reason.code != "no-earlier-release")
        if self.candidates is None:
            return replace(answer, skipped=(*answer.skipped, *skipped, Reason(code="not-in-ledger")))
        counted = self.candidates
        values: dict[str, object] = {
            "releases": self.entries,
            "fewest": counted.fewest,
            "k": int(counted.promised.max(initial=0)),
        }
        proof = Reason(code="ledger-proven" if counted.kept else "ledger-broken", values=values)
        named = mean_score("named", 1.0 / np.maximum(counted.together, 1), 1.0 / np.maximum(counted.alone, 1))
        return replace(
            answer,
            figures={**answer.figures, "ledger/named": named},
            headline=answer.headline or "ledger/named",
            reasons=(*others, proof),
            skipped=(*answer.skipped, *skipped),
        )


def _owners(ledger: Ledger, entry: Entry, history: History) -> pl.DataFrame:
    """Return the pseudonyms of a release and whose they are, of those who are in the original."""
    people = pl.DataFrame(
        {"subject": history.subjects.cast(pl.String), "person": ledger.persons(history.subjects.cast(pl.String))}
    )
    rows = ledger.published.filter(pl.col("release") == entry.number)
    return rows.join(people, on="person").select("pseudonym", "subject")
