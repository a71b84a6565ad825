"""Name owners by re-running the method: who published such a history in runs with the attacker's own coins.

The attacker holds the original, the method and its parameters; only the coins are unknown, so he throws his own. What
each subject published in his runs tells how likely the subject is to have published a given history: by its digest
where the very same history came up, and cell by cell (naive Bayes, with the frequencies over all subjects as the
prior of each subject's: Zhai and Lafferty, A study of smoothing methods, 2004, section 3.2) where no run repeats
another; or by the channel that the method declares. One assignment of all pseudonyms to subjects then names everybody
at once. Which of these ways is taken, how finely ordered cells are compared, and whether the assignment helps, is
chosen on some of the runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.sparse import csr_matrix

from tokumei.array_types import Floats, Ints
from tokumei.attacks.likelihood_matching import channel_of
from tokumei.attacks.matching.content_tokens import Content, Resolution, Tokens
from tokumei.attacks.matching.likelihoods import likelihood_rows
from tokumei.attacks.matching.one_assignment import best_subjects
from tokumei.data import Channel, History, distinct

# How finely ordered cells are told, in bins of equal frequency; 0: to the letter.
BINS = (0, 64, 16, 5)
# The share of a subject's frequencies that is taken from those of all subjects.
SMOOTHING = 0.05
# A history that came up in the runs to the letter counts for more than all its cells.
DIGEST_WEIGHT = 1e4
CHOOSING_RUNS = 3


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class KnownRun:
    """A run whose owners are known: the content of its release and the subject of every pseudonym, -1 for none."""

    content: Content
    owner: Ints

    def signature(self) -> tuple[bytes, bytes]:
        """Return what is equal for runs that give every subject the same history."""
        digests = self.content.digests
        order = np.lexsort((self.owner, digests))
        return digests[order].tobytes(), self.owner[order].tobytes()

    def hits(self, guess: Ints) -> int:
        """Count the pseudonyms whose owner is guessed."""
        return int(((guess == self.owner) & (self.owner >= 0)).sum())


@dataclass(frozen=True, eq=False, slots=True)
class _Frequencies:
    """How often every subject showed every token in the runs, as logarithms against the frequency of all."""

    vocabulary: Tokens
    weight: csr_matrix
    length: Floats

    @classmethod
    def of(cls, runs: Sequence[KnownRun], subjects: int, resolution: Resolution) -> _Frequencies:
        """Count the tokens of all runs."""
        subject, token = [], []
        for run in runs:
            pseudonym, tokens = run.content.tokens(resolution)
            known = run.owner[pseudonym] >= 0
            subject.append(run.owner[pseudonym][known])
            token.append(tokens[known])
        who = np.concatenate(subject)
        vocabulary, column = np.unique(np.concatenate(token), return_inverse=True)
        ones = np.ones(len(who))
        counts = csr_matrix((ones, (who, column)), shape=(subjects, len(vocabulary)))
        counts.sum_duplicates()
        total = np.asarray(counts.sum(axis=1)).ravel()
        prior = SMOOTHING * max(float(total.mean()), 1.0)
        everybody = np.bincount(column, minlength=len(vocabulary)) / max(len(who), 1)
        counts.data = np.log1p(counts.data / (prior * everybody[counts.indices]))
        return cls(vocabulary, counts.T.tocsr(), np.log(total + prior))

    def scores(self, content: Content, resolution: Resolution) -> Floats:
        """Return the logarithm of the probability of every history (rows) under every subject, up to a constant."""
        pseudonym, token = content.tokens(resolution)
        place = np.minimum(np.searchsorted(self.vocabulary, token), max(len(self.vocabulary) - 1, 0))
        known = self.vocabulary[place] == token
        shape = (len(content.histories.names), len(self.vocabulary))
        seen = csr_matrix((np.ones(int(known.sum())), (pseudonym[known], place[known])), shape=shape)
        length = np.bincount(pseudonym, minlength=shape[0])
        return np.asarray((seen @ self.weight).todense()) - np.outer(length, self.length)


@dataclass(frozen=True, eq=False, slots=True)
class _Digests:
    """How often every subject published every history in the runs."""

    known: Tokens
    counts: csr_matrix

    @classmethod
    def of(cls, runs: Sequence[KnownRun], subjects: int) -> _Digests:
        """Count the histories of all runs."""
        owner = np.concatenate([run.owner for run in runs])
        digest = np.concatenate([run.content.digests for run in runs])[owner >= 0]
        known, row = np.unique(digest, return_inverse=True)
        counts = csr_matrix((np.ones(len(row)), (row, owner[owner >= 0])), shape=(len(known), subjects))
        counts.sum_duplicates()
        return cls(known, counts)

    def frequencies(self, content: Content) -> Floats:
        """Return how often every subject (columns) published every history (rows)."""
        place = np.minimum(np.searchsorted(self.known, content.digests), max(len(self.known) - 1, 0))
        found = self.counts[place].toarray()
        found[self.known[place] != content.digests] = 0.0
        return np.asarray(found)


class _Scores(Protocol):
    """How well every subject explains every history of a release."""

    def scores(self, content: Content) -> Floats:
        """Return a row per history, a column per subject."""


@dataclass(frozen=True, eq=False, slots=True)
class _ByRuns:
    """Scores by what subjects published in the runs; ``by_digest`` puts whole histories before their cells."""

    resolution: Resolution
    frequencies: _Frequencies
    digests: _Digests
    by_digest: bool = True

    @classmethod
    def of(cls, history: History, runs: Sequence[KnownRun], bins: int) -> _ByRuns:
        resolution, subjects = Resolution.of(history, bins), len(history.subjects)
        return cls(resolution, _Frequencies.of(runs, subjects, resolution), _Digests.of(runs, subjects))

    def scores(self, content: Content) -> Floats:
        scores = self.frequencies.scores(content, self.resolution)
        if self.by_digest:
            scores += DIGEST_WEIGHT * np.log1p(self.digests.frequencies(content))
        return scores


@dataclass(frozen=True, eq=False, slots=True)
class _ByChannel:
    """Scores by how the method says that it changes values."""

    history: History
    channel: Channel

    def scores(self, content: Content) -> Floats:
        rows = likelihood_rows(self.history, content.release, content.histories, self.channel)
        return np.concatenate([block for _, block in rows])


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RerunAttack:
    """The attack with what it learned from its runs.

    ``one_each`` gives every pseudonym a subject of its own by one assignment over all people.
    """

    by: _Scores
    one_each: bool

    @classmethod
    def learned(cls, history: History, runs: Sequence[KnownRun]) -> RerunAttack:
        """Learn from runs; the last of them decide which variant is taken."""
        choosing = runs[-CHOOSING_RUNS:]
        learning = runs[:-CHOOSING_RUNS] or runs
        ways = (True, False) if all(_distinct_owners(run.owner) for run in runs) else (False,)
        best, most, bins = None, -1, None
        for tried, by in _variants(history, learning):
            tables = [by.scores(run.content) for run in choosing]
            for one_each in ways:
                guesses = [best_subjects(table, one_each=one_each) for table in tables]
                hits = sum(run.hits(guess) for run, guess in zip(choosing, guesses, strict=True))
                if hits > most:
                    best, most, bins = cls(by=by, one_each=one_each), hits, tried
        assert best is not None
        if bins is None or not isinstance(best.by, _ByRuns):
            return best
        whole = replace(_ByRuns.of(history, runs, bins), by_digest=best.by.by_digest)
        return cls(by=whole, one_each=best.one_each)

    def guess(self, content: Content) -> Ints:
        """Return the subject that is named for every pseudonym (names in sorted order)."""
        return best_subjects(self.by.scores(content), one_each=self.one_each)


def _variants(history: History, runs: Sequence[KnownRun]) -> Iterator[tuple[int | None, _Scores]]:
    """Yield the ways to score, those by runs with the number of their bins."""
    channel = channel_of(history, runs[0].content.release)
    if channel is not None:
        yield None, _ByChannel(history, channel)
    for bins in BINS:
        by = _ByRuns.of(history, runs, bins)
        yield bins, by
        yield bins, replace(by, by_digest=False)


def likeliest_by_digest(runs: Sequence[KnownRun], subjects: int, content: Content) -> Ints:
    """Return, for every pseudonym, the subject that most often published its very history in the runs; -1 for none."""
    often = _Digests.of(runs, subjects).frequencies(content)
    return np.where(often.max(axis=1, initial=0.0) > 0, np.argmax(often, axis=1), -1)


def _distinct_owners(owner: Ints) -> bool:
    known = owner[owner >= 0]
    return len(distinct(known)) == len(known)
