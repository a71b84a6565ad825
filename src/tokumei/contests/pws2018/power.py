"""How likely the safety test catches k-anonymized data (PWS Cup 2018 report, section on the criterion; spec B.7).

The attacker knows the classes of k persons with equal histories and nothing more. Inside a class every assignment of
persons to pseudonyms is equally likely, and the attacker writes down one: the number of hits is the number of
fixed points of a random permutation. Classes are guessed one after the other; if the number of guesses is no multiple
of k, only some members of the last class are guessed.

>>> round(detection_power(2, 24), 7)  # the report's "about 0.073"
0.072998
>>> round(survival(detection_power(2, 24)), 7)
0.3732918
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import comb, factorial

import numpy as np
import polars as pl

from tokumei.array_types import Floats
from tokumei.audits import OFFICIAL_ALPHA, OFFICIAL_P, official_thresholds, sharp_thresholds
from tokumei.errors import ParameterError

CONTEST_ATTEMPTS = 13


def hit_distribution(k: int, members: int) -> list[Fraction]:
    """Return Pr[j hits], j = 0..members, if ``members`` of a class of k are guessed by an injective map.

    Of the C(m,j) ways to choose the hits each leaves m - j guesses that must all miss: inclusion-exclusion over the
    k! equally likely assignments.
    """
    if k < 1 or not 0 <= members <= k:
        raise ParameterError(f"a class has at least 1 member and at most all can be guessed, got {members} of {k}")
    return [
        Fraction(
            comb(members, j)
            * sum((-1) ** i * comb(members - j, i) * factorial(k - j - i) for i in range(members - j + 1)),
            factorial(k),
        )
        for j in range(members + 1)
    ]


def _hits_by_guesses(k: int, max_n: int) -> Iterator[Floats]:
    """Yield the distribution of the hits for n = 0, 1, ..., max_n guesses.

    Plain convolution of non-negative numbers loses no relative accuracy in the tail (a Fourier transform would).
    """
    parts = [np.array([float(chance) for chance in hit_distribution(k, m)]) for m in range(min(k, max_n) + 1)]
    full = np.ones(1)
    for n in range(max_n + 1):
        if n and n % k == 0:
            full = np.convolve(full, parts[k])
        yield np.convolve(full, parts[n % k])


def detection_power(
    k: int, n: int, *, p: Fraction = OFFICIAL_P, alpha: Fraction = OFFICIAL_ALPHA, sharp: bool = False
) -> float:
    """Return the probability that n guesses on k-anonymized data reach the threshold."""
    table = power_table([k], n, p=p, alpha=alpha, smallest_n=n)
    return float(table.filter(pl.col("test") == ("sharp" if sharp else "official"))["caught"].item())


def survival(caught: float, *, attempts: int = CONTEST_ATTEMPTS) -> float:
    """Return the probability that none of several independent attempts succeeds."""
    return float((1.0 - caught) ** attempts)


def power_table(
    ks: Iterable[int],
    max_n: int,
    *,
    p: Fraction = OFFICIAL_P,
    alpha: Fraction = OFFICIAL_ALPHA,
    attempts: int = CONTEST_ATTEMPTS,
    smallest_n: int = 1,
) -> pl.DataFrame:
    """Return, per k, n and test (official, sharp), the chance of being caught by one attempt and of surviving all.

    Columns: ``k``, ``n``, ``test``, ``threshold``, ``caught``, ``survives``.
    """
    if attempts < 1:
        raise ParameterError(f"the number of attempts must be at least 1, got {attempts}")
    tests = {
        "official": official_thresholds(max_n, p=p, alpha=alpha),
        "sharp": sharp_thresholds(max_n, p=p, alpha=alpha),
    }
    rows = [
        (k, n, name, limits[n], min(float(hits[limits[n] :].sum()), 1.0))
        for k in ks
        for n, hits in enumerate(_hits_by_guesses(_class_size(k), max_n))
        if n >= smallest_n
        for name, limits in tests.items()
    ]
    schema = {"k": pl.Int64, "n": pl.Int64, "test": pl.String, "threshold": pl.Int64, "caught": pl.Float64}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return table.with_columns(((1.0 - pl.col("caught")) ** attempts).alias("survives"))


def best_attempts(table: pl.DataFrame) -> pl.DataFrame:
    """Return, per k and test, the number of guesses with the best chance (the smallest such number)."""
    ranked = table.sort(["k", "test", "caught", "n"], descending=[False, False, True, False])
    return ranked.unique(["k", "test"], keep="first", maintain_order=True)


def _class_size(k: int) -> int:
    if k < 1:
        raise ParameterError(f"k must be at least 1, got {k}")
    return k
