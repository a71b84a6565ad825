"""Measures of the health table: spec D.5 by hand, the tracker against full evaluation, rows against brute force."""

from __future__ import annotations

import io
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tokumei.contests.pws2021.logistic import fit_logistic
from tokumei.contests.pws2021.measures import correlations, cross_counts, fit_odds, utility_differences
from tokumei.contests.pws2021.metrics.information_loss import information_loss
from tokumei.contests.pws2021.metrics.uniqueness_rate import uniqueness_rate
from tokumei.contests.pws2021.rows import nearest_rows, pair_distances, pair_losses, row_hashes, row_losses
from tokumei.contests.pws2021.synthesizer import HealthSynthesizer
from tokumei.contests.pws2021.table import COLUMNS, DOMAINS, HealthTable, same_levels
from tokumei.contests.pws2021.tracker import UtilityTracker
from tokumei.errors import ContentError, InfeasibleError


def table_of(text: str) -> HealthTable:
    """Return the table of contest lines."""
    frame = pl.read_csv(io.StringIO(text), has_header=False, schema=dict.fromkeys(COLUMNS, pl.String))
    return HealthTable.from_frame(frame.with_columns(pl.all().fill_null("")))


def random_table(rows: int, seed: int) -> HealthTable:
    """Return a random table in which diabetes depends on age and bmi."""
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(0, len(levels), rows) for levels in DOMAINS.values()], axis=1)
    age, bmi = rng.integers(20, 81, rows), rng.integers(150, 500, rows) / 10
    dep, pir = rng.integers(0, 2, rows), rng.integers(0, 2, rows)
    dia = (age + bmi + rng.integers(0, 60, rows) > 130).astype(float)
    zero = np.zeros(rows)
    return HealthTable(np.stack([age, bmi, dep, pir, zero, zero, dia], axis=1), codes, tuple(DOMAINS.values()))


def spec_table() -> HealthTable:
    """Return the reproducible table of 600 rows of spec D.5.3."""
    state = 2021

    def draw(most: int) -> int:
        nonlocal state
        state = (1103515245 * state + 12345) % 2**31
        return (state >> 8) % most

    lines = []
    for _ in range(600):
        a, b = 20 + draw(61), 150 + draw(350)
        nominal = [DOMAINS[name][draw(len(DOMAINS[name]))] for name in ("gen", "race", "edu", "mar")]
        dep, pir, qm = draw(2), draw(2), f"Q{1 + draw(4)}"
        dia = int(a + b / 10 + draw(60) > 130)
        gen, race, edu, mar = nominal
        lines.append(f"{gen},{a},{race},{edu},{mar},{b / 10},{dep},{pir},0,0,{qm},{dia}")
    assert lines[0] == "Female,26,Hispanic,Graduate,Married,18.5,1,0,0,0,Q4,0"
    return table_of("\n".join(lines))


def test_the_table_of_the_specification_has_its_figures() -> None:
    b = spec_table()
    assert b.number("dia").sum() == 149
    kept = np.flatnonzero(np.arange(600) % 7)
    c = b.take(kept)
    numbers, codes = c.numbers.copy(), c.codes.copy()
    numbers[::3, 0] += 1
    codes[::10, 1] = DOMAINS["race"].index("White")
    d = HealthTable(numbers, codes, c.levels)
    found = utility_differences(b, d)
    assert found.largest == pytest.approx(
        {"cnt": 39, "rate": 0.060123, "Coef": 0.490132, "OR": 0.700986, "pvalue": 0.460232, "cor": 0.083788}, abs=1e-6
    )
    assert found.mean == pytest.approx(
        {"cnt": 12.257576, "rate": 0.006133, "Coef": 0.152298, "OR": 0.140306, "pvalue": 0.110741, "cor": 0.014643},
        abs=1e-6,
    )
    odds = fit_odds(b).as_dict()
    wanted = {"Intercept": -9.011816, "gen[T.Male]": -0.543558, "race[T.White]": -0.565806, "age": 0.096718}
    assert {term: odds[term]["Coef"] for term in wanted} == pytest.approx(wanted, abs=1e-6)
    assert uniqueness_rate(c).unique == 512
    loss = information_loss(c, d)
    assert [loss.mean[name] for name in ("age", "bmi", "cat")] == pytest.approx([0.33463, 0, 0.075875], abs=1e-6)
    assert loss.largest["max"] == 1


def test_uniqueness_of_the_five_rows_of_the_specification() -> None:
    rows = [
        "Male,62,White,Graduate,Married,27.8,0,0,0,0,Q2,1",
        "Male,53,White,HighSchool,Divorced,30.8,0,1,0,0,Q1,0",
        "Male,54,White,HighSchool,Divorced,34.8,0,0,0,0,Q1,1",
        "Female,56,White,Graduate,Parther,42.4,1,0,0,0,Q3,0",
        "Female,42,Black,College,Divorced,20.3,1,0,0,0,Q4,0",
    ]
    assert uniqueness_rate(table_of("\n".join(rows))).unique == 5
    rows[1] = rows[1].replace(",0,1,0,0,Q1", ",0,0,0,0,Q1")
    found = uniqueness_rate(table_of("\n".join(rows)), population=10)
    assert found.as_dict() == {"unique": 3, "of_rows": 0.6, "of_population": 0.3}


def test_information_loss_of_the_specification() -> None:
    c = table_of(
        "Male,62,White,Graduate,Married,27.8,0,0,0,0,Q2,1\nMale,53,White,HighSchool,Divorced,30.8,0,1,0,0,Q1,0"
    )
    d = table_of(
        "Male,60,White,Graduate,Never,28.3,0,0,0,0,Q2,1\nFemale,53,White,HighSchool,Divorced,30.8,0,0.5,0,0,Q2,0"
    )
    found = information_loss(c, d)
    assert found.mean == pytest.approx({"age": 1.0, "bmi": 0.25, "cat": 2.0, "max": 2.0})
    assert found.largest == pytest.approx({"age": 2.0, "bmi": 0.5, "cat": 3.0, "max": 3.0})
    with pytest.raises(InfeasibleError, match="C has 2 rows and D has 1; row i of one must come from row i"):
        information_loss(c, d.take(np.array([0])))


def test_counts_and_odds_of_real_data_are_those_of_the_specification(real_data: object) -> None:
    from pathlib import Path

    from tokumei.contests.pws2021.files import FILES
    from tokumei.contests.reading import read_contest

    b = HealthTable.from_frame(read_contest(Path(str(real_data)) / "pwscup2021_B.csv", FILES["B"]))
    rows = {(row[0], row[1]): row[2] for row in cross_counts(b).listed()}
    assert len(rows) == 66
    assert [rows[sex, dia] for sex in ("Female", "Male") for dia in (0, 1)] == [1710, 407, 1607, 466]
    odds = fit_odds(b).as_dict()
    wanted = {"gen[T.Male]": 1.497, "race[T.White]": 0.439, "dep": 1.490, "qm[T.Q2]": 0.783, "qm[T.Q3]": 0.707}
    assert {term: odds[term]["OR"] for term in wanted} == pytest.approx(wanted, abs=5e-4)
    assert odds["Intercept"]["Coef"] == pytest.approx(-7.379, abs=5e-4)
    assert correlations(b)[1].shape == (27, 27)


def test_logistic_regression_solves_the_score_equations() -> None:
    """At the maximum of the likelihood the residuals are orthogonal to the design, and the information is known."""
    rng = np.random.default_rng(5)
    design = np.column_stack([np.ones(300), rng.normal(size=(300, 3)), rng.integers(0, 2, 300)])
    outcome = (rng.random(300) < 1 / (1 + np.exp(-(design @ [0.3, 1.0, -0.5, 0.2, 0.7])))).astype(float)
    ours = fit_logistic(design, outcome)
    chance = 1 / (1 + np.exp(-(design @ ours.coefficients)))
    assert design.T @ (outcome - chance) == pytest.approx(np.zeros(5), abs=1e-7)
    information = design.T @ (design * (chance * (1 - chance))[:, None])
    assert ours.covariance == pytest.approx(np.linalg.inv(information), rel=1e-5, abs=1e-7)
    z = np.abs(ours.coefficients) / np.sqrt(np.diag(ours.covariance))
    assert ours.p_values == pytest.approx([math.erfc(one / math.sqrt(2)) for one in z], rel=1e-9)
    warm = fit_logistic(design, outcome, start=ours.coefficients + 0.1)
    assert warm.coefficients == pytest.approx(ours.coefficients, abs=1e-8)


def test_perfect_separation_is_an_error_and_collinear_columns_are_not() -> None:
    table = random_table(200, 1)
    numbers = table.numbers.copy()
    numbers[:, 6] = (numbers[:, 0] > 50).astype(float)
    with pytest.raises(InfeasibleError, match="the columns tell dia perfectly"):
        fit_odds(HealthTable(numbers, table.codes, table.levels))
    numbers = table.numbers.copy()
    numbers[:, 3] = numbers[:, 2]
    assert np.isfinite(fit_odds(HealthTable(numbers, table.codes, table.levels)).fit.coefficients).all()


@settings(max_examples=examples(25))
@given(seed=st.integers(0, 1000), changes=st.integers(1, 5))
def test_the_tracker_agrees_with_the_full_evaluation(seed: int, changes: int) -> None:
    rng = np.random.default_rng(seed)
    pool = random_table(400, seed)
    shown = np.sort(rng.choice(400, 300, replace=False))
    tracker = UtilityTracker(pool, pool, shown)
    for _ in range(changes):
        positions = rng.choice(300, 3, replace=False)
        tracker.replace(positions, rng.integers(0, 400, 3))
        tracker.delete(rng.choice(np.flatnonzero(tracker.active), 2, replace=False))
    gone = np.flatnonzero(~tracker.active)[:1]
    tracker.restore(gone)
    found = tracker.violation()
    current = pool.take(tracker.shown[tracker.active])
    full = utility_differences(pool, current).largest
    assert (found.rate, found.correlation) == pytest.approx((full["rate"], full["cor"]), abs=1e-12)
    assert found.odds == pytest.approx(full["OR"], abs=1e-6)


def test_influence_predicts_what_a_deletion_does() -> None:
    pool = random_table(800, 3)
    tracker = UtilityTracker(pool, pool, np.arange(800))
    before = tracker.beta.copy()
    predicted = -tracker.influence(np.array([7]))[0]
    tracker.delete(np.array([7]))
    assert tracker.beta - before == pytest.approx(predicted, abs=0.02)
    assert tracker.odds_after(np.zeros((1, len(before))))[0] == pytest.approx(tracker.violation().odds)


@settings(max_examples=examples(25))
@given(seed=st.integers(0, 1000))
def test_rows_are_compared_as_the_definitions_say(seed: int) -> None:
    left, right = random_table(7, seed), random_table(9, seed + 1)
    losses, distances = pair_losses(left, right), pair_distances(left, right)
    for i in range(7):
        for j in range(9):
            one, other = left.take(np.array([i])), right.take(np.array([j]))
            assert losses[i, j] == pytest.approx(row_losses(one, other).max())
            nominal = int((one.codes != other.codes).sum())
            numbers = float(np.square(one.numbers - other.numbers).sum())
            assert distances[i, j] == pytest.approx(np.sqrt(2 * nominal + numbers))
    rows, near = nearest_rows(left, right, 3)
    assert near == pytest.approx(np.sort(distances, axis=1)[:, :3])
    assert np.take_along_axis(distances, rows, axis=1) == pytest.approx(near)


def test_ties_go_to_the_smaller_row_and_small_tables_give_fewer_rows() -> None:
    one = random_table(1, 4)
    twice = one.take(np.array([0, 0]))
    rows, distances = nearest_rows(one, twice, 3)
    assert rows.tolist() == [[0, 1]]
    assert distances.tolist() == [[0.0, 0.0]]
    assert row_hashes(twice)[0] == row_hashes(twice)[1] != row_hashes(random_table(1, 5))[0]


def test_tables_with_foreign_values_get_common_levels() -> None:
    left = table_of("Male,62,White,Missing,Married,27.8,0,0,0,0,Q2,1")
    right = table_of("Male,62,White,,Married,27.8,0,0,0,0,Q2,1")
    one, other = same_levels([left, right])
    assert one.levels == other.levels
    assert row_losses(left, right).tolist() == [[0.0, 0.0, 1.0]]
    assert right.missing_levels(left) == [("edu", "Missing")]


def test_cells_that_are_no_numbers_are_listed_with_their_place() -> None:
    text = "Male,old,White,9th,Married,27.8,0,0,0,0,Q2,1\nMale,62,White,9th,Married,,0,0,0,0,Q2,1"
    with pytest.raises(ContentError, match=r"line 1, column 2 \(age\): 'old' is no number; write a number") as error:
        table_of(text)
    assert [(found.line, found.column) for found in error.value.findings] == [(1, 2), (2, 6)]


def test_synthetic_tables_keep_means_domains_and_seeds() -> None:
    table = random_table(1500, 9)
    synthesizer = HealthSynthesizer.of(table)
    drawn = synthesizer.draw(1500, rng=np.random.default_rng(1))
    again = synthesizer.draw(1500, rng=np.random.default_rng(1))
    assert drawn.lines() == again.lines()
    assert drawn.height == 1500
    assert len(set(drawn.lines())) == 1500
    assert drawn.numbers.mean(axis=0)[:2] == pytest.approx(table.numbers.mean(axis=0)[:2], rel=0.05)
    assert drawn.number("age").min() >= table.number("age").min()
    assert set(np.unique(drawn.number("dia"))) <= {0.0, 1.0}
    assert utility_differences(table, drawn).largest["cor"] < 0.25
    one = HealthSynthesizer.of(table.take(np.array([0])))
    assert one.draw(3, rng=np.random.default_rng(0)).height == 3
