"""What an audit looks at: original, release and Secret laid out beside each other, and who fits whom."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tokumei.attacks import FULL_EFFORT, Consistency, Effort, Matches, MatchView, Posterior, consistency_graph
from tokumei.audits.rerun import Rerun
from tokumei.audits.truth import MERGED, anonymity_level, separate_records, true_owners
from tokumei.audits.written import canonical_sets
from tokumei.data import History, Reason, Release, Secret

MOST_BLANK_EDGES = 5_000_000


class LaidOut:
    """The data of one audit: the graph of who fits whom, the true owners where they are known, and what was skipped."""

    def __init__(
        self,
        history: History,
        release: Release,
        secret: Secret | None,
        *,
        k: int | None,
        method: str,
        deadline: float | None,
        seed: int,
    ) -> None:
        """Lay out a release; ``k`` is what it must hold (None: what it seems to aim at)."""
        self.history = history
        self.release = canonical_sets(release)
        self.secret = secret
        self.k = k
        self.method = method
        self.deadline = deadline
        self.rng = np.random.default_rng(seed)
        self.skipped: list[Reason] = []
        self.guess_seeds = 0
        self.rerun: Callable[[int], Rerun | None] | None = None
        self.truthful = False
        self.written = release
        self._lay_out()
        merged = self._merged()
        if merged:
            self.release = separate_records(self.release, merged)
            self._skip("merged-pseudonyms", count=len(merged))
            self._lay_out()
        if self.consistency.unchecked:
            self._skip("unchecked-pairs", count=self.consistency.unchecked)

    def _skip(self, code: str, **values: object) -> None:
        self.skipped.append(Reason(code=code, values=values))

    def _view(
        self, matches: Matches | None = None, known: Posterior | None = None, effort: Effort = FULL_EFFORT
    ) -> MatchView:
        return MatchView(
            knowledge=self.history,
            release=self.release,
            written=self.written,
            consistency=self.consistency,
            matches=matches,
            rng=self.rng,
            known=known,
            effort=effort,
            deadline=self.deadline,
        )

    def _lay_out(self) -> None:
        self.consistency: Consistency = consistency_graph(self.history, self.release, deadline=self.deadline)
        self.owner = None if self.secret is None else true_owners(self.history, self.consistency.histories, self.secret)
        self.k_anonymity = anonymity_level(self.consistency.histories, self.owner)

    def _merged(self) -> list[str]:
        """Return the pseudonyms that stand for several subjects: known from the Secret, else those that fit nobody."""
        names = self.consistency.histories.names
        if self.owner is not None:
            return names[np.flatnonzero(self.owner == MERGED)].to_list()
        nobody = np.flatnonzero(self.consistency.graph.degrees() == 0)
        # Equal histories of k pseudonyms are judged as they are, whether they fit anybody or not.
        if len(nobody) in (0, len(names)) or self.k_anonymity >= self._level(0):
            return []
        return names[nobody].to_list()

    @property
    def _repeated(self) -> bool:
        """Whether the Secret says that somebody has several pseudonyms."""
        return self.owner is not None and len(np.unique(self.owner)) < len(self.consistency.histories.names)

    @property
    def one_each(self) -> bool:
        """Whether every pseudonym may have a subject of its own (otherwise subjects have several)."""
        subjects, pseudonyms = len(self.history.subjects), len(self.consistency.histories.names)
        return pseudonyms <= subjects and not self._repeated and (subjects - pseudonyms) * subjects <= MOST_BLANK_EDGES

    def _level(self, candidates: int) -> int:
        """Return the k that is judged: what was asked for, else what the release seems to aim at."""
        return self.k or max(2, self.k_anonymity, candidates)
