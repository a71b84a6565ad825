"""How likely the safety test catches k-anonymized data (PWS Cup 2018 report, section on the criterion).

The attacker knows the classes of k persons with equal histories and nothing more. Inside a class every assignment of
persons to pseudonyms is equally likely, and the attacker writes down one: the number of hits is the number of
fixed points of a random permutation. Classes are guessed one after the other; if the number of guesses is no multiple
of k, only some members of the last class are guessed. Untouched customers are guessed first: each is a hit.

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
    untouched: Iterable[int] = (0,),
) -> pl.DataFrame:
    """Return, per a, k, n and test (official, sharp), the chance of being caught by one attempt and of surviving all.

    a counts the customers who were left ``untouched``, beside k-anonymity of the rest. Columns: ``untouched``, ``k``,
    ``n``, ``test``, ``threshold``, ``caught``, ``survives``.
    """
    if attempts < 1:
        raise ParameterError(f"the number of attempts must be at least 1, got {attempts}")
    tests = {
        "official": official_thresholds(max_n, p=p, alpha=alpha),
        "sharp": sharp_thresholds(max_n, p=p, alpha=alpha),
    }
    alone = [_untouched(count) for count in untouched]
    rows = [
        (sure, k, n, name, limits[n], _at_least(hits[max(n - sure, 0)], limits[n] - min(n, sure)))
        for k in ks
        for hits in [list(_hits_by_guesses(_class_size(k), max_n))]
        for sure in alone
        for n in range(smallest_n, max_n + 1)
        for name, limits in tests.items()
    ]
    schema = {
        "untouched": pl.Int64,
        "k": pl.Int64,
        "n": pl.Int64,
        "test": pl.String,
        "threshold": pl.Int64,
        "caught": pl.Float64,
    }
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return table.with_columns(((1.0 - pl.col("caught")) ** attempts).alias("survives"))


def best_attempts(table: pl.DataFrame) -> pl.DataFrame:
    """Return, per a, k and test, the number of guesses with the best chance (the smallest such number)."""
    keys = ["untouched", "k", "test"]
    ranked = table.sort([*keys, "caught", "n"], descending=[False, False, False, True, False])
    return ranked.unique(keys, keep="first", maintain_order=True)


def class_against_hypothesis(largest: int, *, p: Fraction = OFFICIAL_P) -> pl.DataFrame:
    """Return, per class size m, the chance 1/m! to name a whole class beside the p^m that H0 allows.

    A class of k persons who are published alike satisfies H0 exactly if no set of j of them is named with more than
    p^j: the chance is (k - j)!/k!, and the whole class is the hardest set. Columns: ``k``, ``named``, ``allowed``,
    ``holds`` (whether all of its sets keep to H0), ``hardest`` (the j with the largest quotient).
    """
    rows = []
    for k in range(1, largest + 1):
        quotients = [Fraction(factorial(k - j), factorial(k)) / p**j for j in range(1, k + 1)]
        hardest = max(range(k), key=lambda place: quotients[place]) + 1
        rows.append((k, 1.0 / factorial(k), float(p**k), max(quotients) <= 1, hardest))
    schema = {"k": pl.Int64, "named": pl.Float64, "allowed": pl.Float64, "holds": pl.Boolean, "hardest": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _at_least(hits: Floats, needed: int) -> float:
    """Return the probability of at least so many hits."""
    return min(float(hits[max(needed, 0) :].sum()), 1.0)


def _untouched(count: int) -> int:
    if count < 0:
        raise ParameterError(f"the number of untouched customers must be at least 0, got {count}")
    return count


def _class_size(k: int) -> int:
    if k < 1:
        raise ParameterError(f"k must be at least 1, got {k}")
    return k
