"""The re-run audit: what an attacker names who runs the method himself, with coins of his own.

The method is run many times on the original with fresh coins. Most runs teach the attack
(`tokumei.attacks.RerunAttack`); the others are releases whose owners are known, and the share it names in them is the
figure: it needs no Secret, and it replaces the belief that all hypotheses are equally likely where the method is known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, sqrt

import numpy as np
import scipy

from tokumei.array_types import Floats, Ints
from tokumei.attacks import Content, KnownRun, RerunAttack, likeliest_by_digest, published_histories
from tokumei.audits.truth import MERGED, separate_records, true_owners
from tokumei.data import History, Interval, Reason, Release, Secret
from tokumei.progress import stage

# Runs that teach the attack, and runs on which it is measured.
RUNS, HELD_OUT = 50, 10
MOST_PEOPLE = 500
MOST_RECORDS = 10_000
# Runs that must agree before a method is held to throw no coins: few where that accuses nobody, more where it does.
SAME_RUNS, SAME_RUNS_TO_ACCUSE = 2, 12
# How sure it must be that the expected rate lies above what is allowed.
HARM_CONFIDENCE = 0.999

FreshRun = Callable[[History, np.random.Generator], tuple[Release, Secret]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """What the re-run attack names.

    ``rate`` is the share of pseudonyms named right in ``held_out`` runs after learning from ``runs``. ``interval``
    holds the share of one further release (95 %), ``expected`` the share that all such releases have on average.
    ``observed`` is the share in the release that is audited, known only with the Secret. ``people`` is how many were
    in the runs, ``sampled`` whether these are not all. A method that gives everybody the same history in all runs is
    ``deterministic``: its rate is exact.
    """

    rate: float
    interval: Interval
    expected: Interval
    baseline: float
    runs: int
    held_out: int
    people: int
    sampled: bool = False
    deterministic: bool = False
    observed: float | None = None

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return {
            "rate": self.rate,
            "interval": [self.interval.low, self.interval.high],
            "expected": [self.expected.low, self.expected.high],
            "baseline": self.baseline,
            "observed": self.observed,
            "runs": self.runs,
            "held_out": self.held_out,
            "people": self.people,
            "sampled": self.sampled,
            "deterministic": self.deterministic,
        }

    def above(self, allowed: float) -> bool:
        """Whether the attack names more than is allowed, beyond chance."""
        return self.expected.low > allowed

    def harm(self, k: int) -> Reason:
        """Return the reason of a release that this attack names beyond 1/k."""
        return Reason(code="rerun", values={**self.values(), "k": k})

    def harmless(self, k: int) -> Reason:
        """Return what is said of a release that this attack does not name beyond 1/k."""
        return Reason(code="rerun-even", values={**self.values(), "k": k})

    def values(self) -> dict[str, object]:
        """Return what sentences about the re-run show."""
        return {
            "share": self.rate,
            "low": self.interval.low,
            "high": self.interval.high,
            "baseline": self.baseline,
            "runs": self.runs,
            "people": self.people,
        }


def rerun_figures(
    history: History,
    fresh_run: FreshRun,
    *,
    rng: np.random.Generator,
    release: Release | None = None,
    secret: Secret | None = None,
    k: int | None = None,
    runs: int = RUNS,
    held_out: int = HELD_OUT,
    people: int = MOST_PEOPLE,
    records: int = MOST_RECORDS,
) -> Rerun:
    """Run a method on (a sample of) the history and return what re-running it names.

    ``fresh_run`` runs the method with the coins of a generator; ``people`` and ``records`` bound the sample it runs on.
    With the ``secret`` of a ``release`` the attack is also counted on that release, if nobody was left out. ``k`` is
    what the release must hold: agreement of few runs is enough to find that nothing is above it.
    """
    part = sample_people(history, rng=rng, people=people, records=records)
    sampled = len(part.subjects) < len(history.subjects)
    known: list[KnownRun] = []
    with stage("re-running the method", total=runs + held_out) as advance:
        for _ in range(runs + held_out):
            known.append(known_run(part, *fresh_run(part, rng)))
            advance(1)
            if _settled(known, part, k):
                return _certain(known, part, sampled=sampled)
    attack = RerunAttack.learned(part, known[:runs])
    rates = np.array([_rate(run, attack.guess(run.content)) for run in known[runs:]])
    size = float(np.mean([len(run.owner) for run in known[runs:]]))
    found = Rerun(
        rate=float(rates.mean()),
        interval=share_interval(rates, size, confidence=0.95, further=1),
        expected=share_interval(rates, size, confidence=HARM_CONFIDENCE),
        baseline=1.0 / max(len(part.subjects), 1),
        runs=runs,
        held_out=held_out,
        people=len(part.subjects),
        sampled=sampled,
    )
    if sampled or release is None or secret is None:
        return found
    actual = known_run(history, release, secret)
    return replace(found, observed=_rate(actual, attack.guess(actual.content)))


def sample_people(history: History, *, rng: np.random.Generator, people: int, records: int) -> History:
    """Return the history of so many people at most, with so many records at most; all of them where they are few."""
    subjects = len(history.subjects)
    if subjects <= people and len(history) <= records:
        return history
    order = rng.permutation(subjects)[:people]
    fits = int(np.searchsorted(np.cumsum(history.counts()[order]), records, "right"))
    chosen = np.sort(order[: max(fits, 2)])
    number = np.full(subjects, -1, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(number[history.subject] >= 0)
    part = history.take(rows)
    kept = replace(part, subjects=history.subjects[chosen], subject=number[part.subject])
    return kept if history.people is None else replace(kept, people=None)


def share_interval(rates: Floats, size: float, *, confidence: float, further: int = 0) -> Interval:
    """Return the interval of a share that was measured in several releases of ``size`` pseudonyms each.

    Wilson's interval (1927) with the number of pseudonyms divided by the design effect (Kish, Survey Sampling, 1965,
    section 8.2: the variance between releases over that of independent pseudonyms), because owners are named or missed
    together, and with Student's quantile, because that variance is estimated. With ``further`` = 1 it holds the share
    of one release more instead of the average of all.
    """
    size, runs, rate = max(size, 1.0), len(rates), float(rates.mean())
    spread = float(rates.var(ddof=1)) if runs > 1 else 0.0
    alone = rate * (1 - rate) / size
    effect = min(max(spread / alone, 1.0), size) if alone > 0 else 1.0
    count = size / effect * (runs / (runs + 1) if further else runs)
    z = float(scipy.special.stdtrit(max(runs - 1, 1), (1 + confidence) / 2))
    centre = (rate + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * sqrt(rate * (1 - rate) / count + z * z / (4 * count * count))
    low, high = float(centre - half), float(centre + half)
    if further:
        # In one release a whole number of pseudonyms is named.
        low, high = floor(low * size) / size, ceil(high * size) / size
    # At the ends rounding must not push the rate itself out of its interval.
    return Interval(min(max(low, 0.0), rate), max(min(high, 1.0), rate), confidence)


def known_run(history: History, release: Release, secret: Secret) -> KnownRun:
    """Return a run with its owners; the records of a pseudonym that stands for several subjects count one by one."""
    histories = published_histories(release)
    owner = true_owners(history, histories, secret)
    if (owner == MERGED).any():
        release = separate_records(release, histories.names[np.flatnonzero(owner == MERGED)].to_list())
        histories = published_histories(release)
        owner = true_owners(history, histories, secret)
    return KnownRun(content=Content.of(release, histories), owner=owner)


def _settled(known: Sequence[KnownRun], history: History, k: int | None) -> bool:
    """Whether enough runs have given everybody the same history to hold that no coin is thrown."""
    if len(known) not in (SAME_RUNS, SAME_RUNS_TO_ACCUSE):
        return False
    if len({run.signature() for run in known}) > 1:
        return False
    harmless = k is not None and _rate(known[0], _by_digest(known[:1], history)) <= 1 / k
    return harmless or len(known) == SAME_RUNS_TO_ACCUSE


def _by_digest(known: Sequence[KnownRun], history: History) -> Ints:
    return likeliest_by_digest(known, len(history.subjects), known[0].content)


def _certain(known: Sequence[KnownRun], history: History, *, sampled: bool) -> Rerun:
    """Return the exact rate of a method that throws no coins: of equal histories one owner is named."""
    rate = _rate(known[0], _by_digest(known[:1], history))
    return Rerun(
        rate=rate,
        interval=Interval(rate, rate),
        expected=Interval(rate, rate, HARM_CONFIDENCE),
        baseline=1.0 / max(len(history.subjects), 1),
        runs=len(known),
        held_out=0,
        people=len(history.subjects),
        sampled=sampled,
        deterministic=True,
    )


def _rate(run: KnownRun, guess: Ints) -> float:
    return run.hits(guess) / max(len(run.owner), 1)
