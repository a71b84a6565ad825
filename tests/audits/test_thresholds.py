"""Official and sharp thresholds: golden tables, definitions by brute force, and linear programs."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from tokumei.audits.thresholds import (
    OFFICIAL_ALPHA,
    OFFICIAL_P,
    generator_defects,
    official_threshold,
    official_thresholds,
    parse_rational,
    read_threshold_table,
    sharp_probability,
    sharp_threshold,
    sharp_thresholds,
    with_generator_defect,
)
from tokumei.errors import ContentError, ParameterError

PROPER_FRACTIONS = st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000)


def _tail(n: int, s: int, p: Fraction) -> Fraction:
    return sum((comb(n, k) * p**k for k in range(s, n + 1)), Fraction(0))


def _official_by_definition(n: int, p: Fraction, alpha: Fraction) -> int:
    return next((s for s in range(n + 1) if _tail(n, s, p) < alpha), n + 1)


def _largest_probability(n: int, s: int, p: Fraction) -> Fraction:
    return min([Fraction(1), *(comb(n, k) * p**k / comb(s, k) for k in range(1, s + 1))])


def test_official_table_is_reproduced_in_all_1001_values(golden: Path) -> None:
    lines = (golden / "pws2018" / "R.csv").read_text().splitlines()
    table = read_threshold_table(lines)
    assert len(table) == 1001
    assert official_thresholds(1000) == table


def test_tables_for_other_parameters_differ_only_by_the_generator_defect(golden: Path) -> None:
    folder = golden / "pws2018" / "r01_threshold_tables"
    defects: dict[str, list[int]] = {}
    for entry in json.loads((folder / "expected.json").read_text())["tables"]:
        table = read_threshold_table((folder / entry["file"]).read_text().splitlines())
        assert len(table) == entry["N"] + 1
        p, alpha = parse_rational(entry["p"]), parse_rational(entry["alpha"])
        ours = official_thresholds(entry["N"], p=p, alpha=alpha)
        assert with_generator_defect(ours) == table
        defects[entry["file"]] = generator_defects(ours)
        if not defects[entry["file"]]:
            assert ours == table
        else:
            assert ours[:4] == [1, 1, 1, 2]
    assert {file: found for file, found in defects.items() if found} == {"R_5.csv": [1, 2]}


def test_known_sharp_thresholds() -> None:
    known = {7: 7, 10: 10, 20: 15, 24: 18, 30: 21, 50: 30, 99: 52, 100: 53, 200: 94, 500: 209, 999: 392}
    sharp = sharp_thresholds(1000)
    assert {n: sharp[n] for n in known} == known
    assert [sharp_threshold(n) for n in known] == list(known.values())


def test_few_guesses_never_succeed() -> None:
    assert official_thresholds(6) == sharp_thresholds(6) == [1, 2, 3, 4, 5, 6, 7]


def test_sharp_threshold_never_exceeds_the_official_one() -> None:
    pairs = list(zip(sharp_thresholds(400), official_thresholds(400), strict=True))
    assert all(sharp <= official for sharp, official in pairs)
    reductions = [official - sharp for sharp, official in pairs[7:101]]
    assert round(float(np.mean(reductions)), 1) == 4.9


@pytest.mark.half_second
@given(n=st.integers(0, 30), p=PROPER_FRACTIONS, alpha=PROPER_FRACTIONS)
def test_thresholds_equal_their_definitions(n: int, p: Fraction, alpha: Fraction) -> None:
    official = [_official_by_definition(size, p, alpha) for size in range(n + 1)]
    sharp = [
        next((s for s in range(1, size + 1) if _largest_probability(size, s, p) < alpha), size + 1)
        for size in range(n + 1)
    ]
    assert official_thresholds(n, p=p, alpha=alpha) == official
    assert official_threshold(n, p=p, alpha=alpha) == official[n]
    assert sharp_thresholds(n, p=p, alpha=alpha) == sharp
    assert sharp_threshold(n, p=p, alpha=alpha) == sharp[n]


def test_single_values_beyond_the_table_continue_it() -> None:
    assert official_thresholds(1200)[1200] == official_threshold(1200)
    assert sharp_thresholds(1200)[1200] == sharp_threshold(1200)


@given(n=st.integers(1, 40), p=PROPER_FRACTIONS, data=st.data())
def test_closed_form_picks_the_best_moment(n: int, p: Fraction, data: st.DataObject) -> None:
    s = data.draw(st.integers(1, n))
    assert sharp_probability(n, s, p=p) == _largest_probability(n, s, p)


def test_closed_form_at_the_edges() -> None:
    assert sharp_probability(5, 0) == 1
    assert sharp_probability(5, 6) == 0
    assert sharp_probability(5, 5) == OFFICIAL_P**5


@pytest.mark.parametrize(("n", "p"), [(3, 0.5), (6, 1 / 3), (9, 0.2), (12, 1 / 3), (14, 0.6)])
def test_closed_form_is_the_optimum_of_the_linear_program(n: int, p: float) -> None:
    """Maximise Pr[X >= s] over all laws of X with E[C(X,k)] <= C(n,k) p^k."""
    moments = np.array([[comb(x, k) / (comb(n, k) * p**k) for x in range(n + 1)] for k in range(1, n + 1)])
    for s in range(1, n + 1):
        reached = np.arange(n + 1) >= s
        solution = linprog(-reached.astype(float), moments, np.ones(n), np.ones((1, n + 1)), [1.0])
        expected = float(sharp_probability(n, s, p=Fraction(p)))
        assert -solution.fun == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("p", [0.25, 1 / 3, 0.6])
def test_symmetrising_loses_nothing(p: float) -> None:
    """The program over all 2^4 sets of right guesses, without any symmetry, has the same optimum."""
    n = 4
    sets = [frozenset(chosen) for size in range(n + 1) for chosen in itertools.combinations(range(n), size)]
    covers = np.array([[small <= large for large in sets] for small in sets if small], dtype=float)
    limits = np.array([p ** len(small) for small in sets if small])
    for s in range(1, n + 1):
        reached = np.array([float(len(chosen) >= s) for chosen in sets])
        solution = linprog(-reached, covers, limits, np.ones((1, len(sets))), [1.0])
        expected = float(sharp_probability(n, s, p=Fraction(p)))
        assert -solution.fun == pytest.approx(expected, rel=1e-7, abs=1e-10)


@given(n=st.integers(1, 12), p=PROPER_FRACTIONS, data=st.data())
def test_the_bound_is_attained_by_a_law_that_satisfies_the_hypothesis(n: int, p: Fraction, data: st.DataObject) -> None:
    """With that probability a random s-subset is right: every j-set is then right with probability <= p^j."""
    s = data.draw(st.integers(1, n))
    most = sharp_probability(n, s, p=p)
    for j in range(1, s + 1):
        assert most * Fraction(comb(n - j, s - j), comb(n, s)) <= p**j


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/3", Fraction(1, 3)),
        ("0.01/20", OFFICIAL_ALPHA),
        ("0.0005", OFFICIAL_ALPHA),
        ("1.0 / 3", Fraction(1, 3)),
        ("5e-4", OFFICIAL_ALPHA),
        (".5", Fraction(1, 2)),
        ("1.", Fraction(1)),
        (" 2/0.5 ", Fraction(4)),
    ],
)
def test_rationals_are_exact(text: str, value: Fraction) -> None:
    assert parse_rational(text) == value


@pytest.mark.parametrize("text", ["", "x", "1/2/3", "-1/3", "nan", "inf", "1e99999", "1_000", "1/", "/3", "٣", "0x1"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=r"alpha: write a decimal such as 0.0005 or a fraction"):
        parse_rational(text, name="alpha")


def test_division_by_zero_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"p: the fraction '1/0\.0' divides by zero"):
        parse_rational("1/0.0", name="p")


@pytest.mark.parametrize("function", [official_thresholds, official_threshold, sharp_thresholds, sharp_threshold])
def test_parameters_outside_their_limits_are_refused(function: Callable[..., object]) -> None:
    with pytest.raises(ParameterError, match="number of guesses must be at least 0, got -1"):
        function(-1)
    with pytest.raises(ParameterError, match="p must lie strictly between 0 and 1, got 1"):
        function(3, p=Fraction(1))
    with pytest.raises(ParameterError, match="alpha must lie strictly between 0 and 1, got 0"):
        function(3, alpha=Fraction(0))


def test_table_is_read_with_any_line_end() -> None:
    assert read_threshold_table(["0,1\r\n", "1,2\n", "2,3"]) == [1, 2, 3]


def test_gap_in_the_table_is_named() -> None:
    with pytest.raises(ContentError, match=r"R.csv, line 2, column 1 .n.: n is 2 where 1 must follow") as caught:
        read_threshold_table(["0,1", "2,3", "3,4"], file="R.csv")
    assert [finding.code for finding in caught.value.findings] == ["table-gap"]


def test_every_wrong_line_of_the_table_is_named() -> None:
    with pytest.raises(ContentError, match=r"R, line 1: 'n,r' is not of the form n,r\(n\)") as caught:
        read_threshold_table(["n,r", "1,2", "2,-3", "", "4,1.5"])
    assert [finding.line for finding in caught.value.findings] == [1, 3, 4, 5]
    assert {finding.code for finding in caught.value.findings} == {"invalid-format"}


def test_empty_table_is_refused() -> None:
    with pytest.raises(ContentError, match="R: the threshold table has no lines"):
        read_threshold_table([])
