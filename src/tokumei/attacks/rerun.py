"""Name owners by re-running the method: who published such a history in runs with the attacker's own coins.

The attacker holds the original, the method and its parameters; only the coins are unknown, so he throws his own. What
each subject published in his runs tells how likely the subject is to have published a given history: by its digest
where the very same history came up, and cell by cell (naive Bayes, with the frequencies over all subjects as the
prior of each subject's: Zhai and Lafferty, A study of smoothing methods, 2004, section 3.2) where no run repeats
another. One assignment of all pseudonyms to subjects then names everybody at once. How finely ordered cells are
compared, and whether the assignment helps, is chosen on some of the runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_matrix

from tokumei.array_types import Floats, Ints
from tokumei.attacks.matching.content_tokens import Content, Resolution, Tokens
from tokumei.data import History, distinct

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


@dataclass(frozen=True, eq=False, slots=True)
class _Lesson:
    """What runs teach at one resolution."""

    resolution: Resolution
    frequencies: _Frequencies
    digests: _Digests

    @classmethod
    def of(cls, history: History, runs: Sequence[KnownRun], bins: int) -> _Lesson:
        resolution, subjects = Resolution.of(history, bins), len(history.subjects)
        return cls(resolution, _Frequencies.of(runs, subjects, resolution), _Digests.of(runs, subjects))

    def scores(self, content: Content, *, by_digest: bool) -> Floats:
        """Return how well every subject (columns) explains every history (rows)."""
        scores = self.frequencies.scores(content, self.resolution)
        if by_digest:
            scores += DIGEST_WEIGHT * np.log1p(self.digests.frequencies(content))
        return scores


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RerunAttack:
    """The attack with what it learned from its runs.

    ``by_digest`` puts histories that came up to the letter before all cells; ``one_each`` gives every pseudonym a
    subject of its own by one assignment over all people.
    """

    lesson: _Lesson
    by_digest: bool
    one_each: bool

    @classmethod
    def learned(cls, history: History, runs: Sequence[KnownRun]) -> RerunAttack:
        """Learn from runs; the last of them decide which variant is taken."""
        choosing = runs[-CHOOSING_RUNS:]
        learning = runs[:-CHOOSING_RUNS] or runs
        single = all(_distinct_owners(run.owner) for run in runs)
        variants = [
            (by_digest, one_each) for one_each in ((True, False) if single else (False,)) for by_digest in (True, False)
        ]
        best, most = (BINS[0], *variants[0]), -1
        for bins in BINS:
            lesson = _Lesson.of(history, learning, bins)
            hits = dict.fromkeys(variants, 0)
            for run in choosing:
                for by_digest in (True, False):
                    scores = lesson.scores(run.content, by_digest=by_digest)
                    for variant in variants:
                        if variant[0] == by_digest:
                            hits[variant] += run.hits(_named(scores, one_each=variant[1]))
            for variant in variants:
                if hits[variant] > most:
                    best, most = (bins, *variant), hits[variant]
        bins, by_digest, one_each = best
        return cls(lesson=_Lesson.of(history, runs, bins), by_digest=by_digest, one_each=one_each)

    def guess(self, content: Content) -> Ints:
        """Return the subject that is named for every pseudonym (names in sorted order)."""
        return _named(self.lesson.scores(content, by_digest=self.by_digest), one_each=self.one_each)


def likeliest_by_digest(runs: Sequence[KnownRun], subjects: int, content: Content) -> Ints:
    """Return, for every pseudonym, the subject that most often published its very history in the runs; -1 for none."""
    often = _Digests.of(runs, subjects).frequencies(content)
    return np.where(often.max(axis=1, initial=0.0) > 0, np.argmax(often, axis=1), -1)


def _distinct_owners(owner: Ints) -> bool:
    known = owner[owner >= 0]
    return len(distinct(known)) == len(known)


def _named(scores: Floats, *, one_each: bool) -> Ints:
    """Return the best subject of every row, each subject once if ``one_each`` and there are enough of them."""
    if not one_each or scores.shape[0] > scores.shape[1]:
        return np.argmax(scores, axis=1).astype(np.int64)
    return linear_sum_assignment(scores, maximize=True)[1].astype(np.int64)
