"""How many right guesses of n show that a release is unsafe: the official threshold r and the sharp one, exactly.

The hypothesis H0 of PWS Cup 2018 (spec B.7): whatever the attacker does, all members of a set of j pseudonyms are
named correctly with probability at most p^j. A number of hits that is too unlikely under H0 refutes it.

* The official r(n) bounds Pr[hits >= s] by the sum over k = s..n of C(n,k) p^k.
* The sharp threshold uses the largest probability that H0 allows, which is
  min(1, min over 1 <= k <= s of C(n,k) p^k / C(s,k)); proof in docs/sharp-threshold.md.

Everything is computed in integers, so that no rounding decides a verdict.

>>> one_third, level = parse_rational("1/3"), parse_rational("0.01/20")
>>> official_thresholds(10, p=one_third, alpha=level)
[1, 2, 3, 4, 5, 6, 7, 7, 8, 9, 10]
>>> sharp_threshold(100, p=one_third, alpha=level), official_threshold(100, p=one_third, alpha=level)
(53, 65)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, comb

from tokumei.errors import ContentError, Finding, ParameterError

# PWS Cup 2018: success probability per person, and level 0.01 shared by 20 attacks (Bonferroni).
OFFICIAL_P = Fraction(1, 3)
OFFICIAL_ALPHA = Fraction(1, 2000)

_DECIMAL = r"[0-9]{1,400}(?:\.[0-9]{0,400})?(?:[eE][+-]?[0-9]{1,3})?|\.[0-9]{1,400}(?:[eE][+-]?[0-9]{1,3})?"
_RATIONAL = re.compile(rf"\s*({_DECIMAL})\s*(?:/\s*({_DECIMAL})\s*)?", re.ASCII)
_TABLE_LINE = re.compile(r"([0-9]{1,18}),([0-9]{1,18})", re.ASCII)


def parse_rational(text: str, *, name: str = "number") -> Fraction:
    """Return the exact value of a decimal (``0.0005``) or of a fraction of two decimals (``1/3``, ``0.01/20``)."""
    match = _RATIONAL.fullmatch(text)
    if match is None:
        message = f"{name}: write a decimal such as 0.0005 or a fraction such as 1/3 or 0.01/20, got '{text[:60]}'"
        raise ParameterError(message)
    above, below = Fraction(match[1]), Fraction(match[2] or 1)
    if below == 0:
        message = f"{name}: the fraction '{text[:60]}' divides by zero"
        raise ParameterError(message)
    return above / below


def official_thresholds(max_n: int, *, p: Fraction = OFFICIAL_P, alpha: Fraction = OFFICIAL_ALPHA) -> list[int]:
    """Return r(0), ..., r(max_n): the least s with sum over k = s..n of C(n,k) p^k below alpha, else n + 1 (spec B.7).

    r never falls when n grows, so one walk suffices. With p = a/b it carries ``tail``, the sum, and ``term``, its
    summand for k = s - 1, both times b^n; sum(n + 1, s) = sum(n, s) + p sum(n, s - 1).
    """
    _check(max_n, p, alpha)
    a, b = p.numerator, p.denominator
    tail, term, s, scale = 0, 1, 1, 1
    thresholds = [1]
    for n in range(1, max_n + 1):
        tail = (a + b) * tail + a * term
        term = term * b * n // (n - s + 1)
        scale *= b
        while tail * alpha.denominator >= alpha.numerator * scale:
            term = term * a * (n - s + 1) // (s * b)
            tail -= term
            s += 1
        thresholds.append(s)
    return thresholds


def official_threshold(n: int, *, p: Fraction = OFFICIAL_P, alpha: Fraction = OFFICIAL_ALPHA) -> int:
    """Return r(n) alone: the terms are summed from k = n downwards until the sum reaches alpha."""
    _check(n, p, alpha)
    a, b = p.numerator, p.denominator
    limit = alpha.numerator * b**n
    term, tail, k = a**n, 0, n
    while k >= 1:
        tail += term
        if tail * alpha.denominator >= limit:
            return k + 1
        term = term * b * k // (a * (n - k + 1))
        k -= 1
    return 1


def sharp_thresholds(max_n: int, *, p: Fraction = OFFICIAL_P, alpha: Fraction = OFFICIAL_ALPHA) -> list[int]:
    """Return the sharp thresholds for n = 0..max_n: the least s whose largest probability under H0 is below alpha.

    Like r it never falls when n grows, so the search for n + 1 starts where that for n ended.
    """
    _check(max_n, p, alpha)
    thresholds, s = [1], 1
    for n in range(1, max_n + 1):
        while s <= n and not _refutes(n, s, p, alpha):
            s += 1
        thresholds.append(s)
    return thresholds


def sharp_threshold(n: int, *, p: Fraction = OFFICIAL_P, alpha: Fraction = OFFICIAL_ALPHA) -> int:
    """Return the sharp threshold of one n, by bisection: the probability falls when s grows."""
    _check(n, p, alpha)
    low, high = 1, n + 1
    while low < high:
        middle = (low + high) // 2
        if _refutes(n, middle, p, alpha):
            high = middle
        else:
            low = middle + 1
    return low


def sharp_probability(n: int, s: int, *, p: Fraction = OFFICIAL_P) -> Fraction:
    """Return the largest Pr[at least s of n guesses are right] that H0 allows."""
    if s <= 0:
        return Fraction(1)
    if s > n:
        return Fraction(0)
    k = _best_moment(n, s, p)
    return min(Fraction(1), Fraction(comb(n, k), comb(s, k)) * p**k)


def _best_moment(n: int, s: int, p: Fraction) -> int:
    """Return the k that minimises C(n,k) p^k / C(s,k).

    From k to k + 1 the quotient is multiplied by p (n - k) / (s - k), which is below 1 exactly while
    k < (s - n p) / (1 - p).
    """
    return min(max(ceil((s - n * p) / (1 - p)), 1), s)


def _refutes(n: int, s: int, p: Fraction, alpha: Fraction) -> bool:
    """Whether at least s hits of n have a probability below alpha under H0, compared in integers."""
    k = _best_moment(n, s, p)
    most = comb(n, k) * p.numerator**k * alpha.denominator
    return most < alpha.numerator * p.denominator**k * comb(s, k)


def _check(n: int, p: Fraction, alpha: Fraction) -> None:
    if n < 0:
        message = f"the number of guesses must be at least 0, got {n}"
        raise ParameterError(message)
    for name, value in (("p", p), ("alpha", alpha)):
        if not 0 < value < 1:
            message = f"{name} must lie strictly between 0 and 1, got {value}"
            raise ParameterError(message)


def generator_defects(thresholds: Sequence[int]) -> list[int]:
    """Return the n at which the official table generator says 0 where the definition gives 1 (golden R_5).

    The generator looks for the last k in 1..n whose sum reaches alpha and adds 1; without such a k it prints 0. As
    "at least 0 hits" would call every release unsafe, the definition is right and is our default.
    """
    return [n for n, value in enumerate(thresholds) if n > 0 and value == 1]


def with_generator_defect(thresholds: Sequence[int]) -> list[int]:
    """Return the official thresholds as the official generator prints them, with its zeros."""
    values = list(thresholds)
    for n in generator_defects(thresholds):
        values[n] = 0
    return values


def read_threshold_table(lines: Iterable[str], *, file: str = "R") -> list[int]:
    """Return r(0), r(1), ... from the lines ``n,r(n)`` of a table R; n must run 0, 1, 2, ... without a gap."""
    values: list[int] = []
    findings: list[Finding] = []
    expected = 0
    for number, line in enumerate(lines, start=1):
        match = _TABLE_LINE.fullmatch(line.rstrip("\r\n"))
        if match is None:
            message = f"'{line.strip()[:40]}' is not of the form n,r(n) with two whole numbers"
            findings.append(Finding("invalid-format", message, number))
            expected += 1
            continue
        n = int(match[1])
        if n != expected:
            message = f"n is {n} where {expected} must follow; list n = 0, 1, 2, ... in order and without gaps"
            findings.append(Finding("table-gap", message, number, 1, "n", match[1]))
        values.append(int(match[2]))
        expected = n + 1
    if not values and not findings:
        findings.append(Finding("empty-table", "the threshold table has no lines; write n,r(n) from 0,1 on"))
    if findings:
        raise ContentError(file, findings)
    return values
