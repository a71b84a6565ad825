"""Which small seed a release was made from: whoever finds it makes the Secret again.

The method and its parameters stand in the manifest, so that an attacker who holds the original runs the method with the
seeds 0, 1, 2, ... until the published pseudonyms come out. A run can take minutes; but the pseudonyms of the methods
here are whole numbers that come straight from the generator. So the numbers that the first outputs of every seed would
give are looked at first, wherever in the stream the method drew them, and only a seed that gives all published ones is
run. Where pseudonyms are no such numbers, every seed is run until the time is over.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.audits.result import AttackFigure, AuditResult
from tokumei.data import History, Outcome, Reason, Release, Secret
from tokumei.progress import stage

Replay = Callable[[int], tuple[Release, Secret]]

# Methods draw pseudonyms uniformly from 1 to this (nine digits).
LARGEST_NUMBER = 999_999_999
# How many outputs a method may have drawn per cell and per subject before its pseudonyms, and the most looked at.
PER_CELL, PER_SUBJECT, MOST_OUTPUTS = 4, 64, 1 << 23
# So many pseudonyms are looked for; a seed that gives them all by chance is refuted by running it.
LOOKED_FOR = 64


@dataclass(frozen=True, eq=False, slots=True)
class FoundSeed:
    """What trying seeds gave: the seed and the Secret it makes (None: not found), and how many were not tried."""

    seed: int | None = None
    secret: Secret | None = None
    left: int = 0


def find_seed(
    history: History, release: Release, seeds: int, replay: Replay, *, deadline: float | None = None
) -> FoundSeed:
    """Return the seed among 0, 1, ... ``seeds`` - 1 from which ``replay`` makes this very release, if there is one."""
    published = _mapping(release)
    numbers = _drawn_numbers(release)
    outputs = PER_CELL * len(history) * (len(history.codes) + 1) + PER_SUBJECT * len(history.subjects)
    with stage("seeds", total=seeds) as advance:
        for seed in range(seeds):
            if deadline is not None and time.monotonic() > deadline:
                return FoundSeed(left=seeds - seed)
            if numbers is None or _gives(seed, numbers, min(outputs, MOST_OUTPUTS)):
                made, secret = replay(seed)
                if _mapping(made).equals(published):
                    return FoundSeed(seed, secret)
            advance(1)
    return FoundSeed()


def _mapping(release: Release) -> pl.DataFrame:
    """Return pseudonyms and records as text, in an order of their own."""
    text = release.text()
    text.columns = [str(number) for number in range(text.width)]
    return text.sort(text.columns)


def _drawn_numbers(release: Release) -> Ints | None:
    """Return pseudonyms to look for as numbers, None if they are not numbers of up to nine digits."""
    names = release.pseudonyms.cast(pl.String).unique().sort()
    numbers = names.cast(pl.Int64, strict=False)
    if numbers.has_nulls() or not numbers.is_between(1, LARGEST_NUMBER).all() or len(numbers) < 2:
        return None
    return numbers.head(LOOKED_FOR).to_numpy()


def _gives(seed: int, numbers: Ints, outputs: int) -> bool:
    """Whether the first outputs of numpy's default generator give all these numbers from 1 to LARGEST_NUMBER.

    A bounded integer is (word * range) >> 32 of a word of 32 bits (Lemire, "Fast random integer generation in an
    interval", 2019); numpy takes the low half of an output of 64 bits first, then the high one. Looked at first are as
    many outputs as pseudonyms need: most methods draw these before anything else.
    """
    generator = np.random.PCG64(seed)
    for share in (64, 1):
        raw = np.asarray(generator.random_raw(max(outputs // share, 1)), dtype=np.uint64)
        words = np.concatenate((raw & np.uint64(0xFFFFFFFF), raw >> np.uint64(32)))
        drawn = (words * np.uint64(LARGEST_NUMBER) >> np.uint64(32)).astype(np.int64) + 1
        numbers = numbers[~np.isin(numbers, drawn)]
        if len(numbers) == 0:
            return True
    return False


def with_seed(
    result: AuditResult,
    history: History,
    release: Release,
    seeds: int,
    replay: Replay | None,
    *,
    deadline: float | None = None,
) -> AuditResult:
    """Return the result with what trying the seeds of the method itself gave."""
    verdict = result.verdict
    if replay is None:
        return replace(result, verdict=replace(verdict, skipped=(*verdict.skipped, Reason(code="no-replay"))))
    found = find_seed(history, release, seeds, replay, deadline=deadline)
    if found.seed is None:
        left = (Reason(code="seeds-left", values={"count": found.left}),) if found.left else ()
        return replace(result, verdict=replace(verdict, skipped=(*verdict.skipped, *left)))
    reason = Reason(code="seed-found", values={"seed": found.seed})
    others = tuple(reason for reason in verdict.reasons if reason.code not in ("seed", "k-anonymous"))
    figure = AttackFigure(share=1.0, baseline=1.0 / result.subjects, observed=1.0, chance=0.0)
    return replace(
        result,
        verdict=replace(verdict, outcome=Outcome.UNSAFE, reasons=(reason, *others)),
        reidentified={**result.reidentified, "replayed-seed": figure},
    )
