"""The report's findings by experiment: combined evidence, tables 3 and 5, untouched customers, U and use cases."""

from __future__ import annotations

from fractions import Fraction
from math import comb, nan
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Run
from tests.effort import examples
from tokumei.audits import sharp_thresholds
from tokumei.contests.pws2018.combined_evidence import combined_evidence, moment
from tokumei.contests.pws2018.files import SCHEMA
from tokumei.contests.pws2018.messages import HOME
from tokumei.contests.pws2018.power import class_against_hypothesis, power_table
from tokumei.contests.pws2018.printed_figures import published_kinds
from tokumei.contests.pws2018.survival import equal_histories, survival_rows
from tokumei.contests.pws2018.utility_correlations import correlate_utility
from tokumei.contests.pws2018.utility_correlations_chart import correlations_chart
from tokumei.data import RangeCells
from tokumei.data.history import History
from tokumei.metrics import CellError
from tokumei.parts import find_part, make_part
from tokumei.synth.purchases import generate_purchases
from tokumei.words import Words


def shop(customers: int, seed: int = 1) -> History:
    frame = pl.concat(generate_purchases(customers, seed=seed))
    return History.from_frame(frame.rename({frame.columns[0]: "customer"}), SCHEMA)


@pytest.mark.parametrize("n", [1, 7, 24, 60])
def test_an_e_value_has_expectation_one_or_less_for_independent_guesses(n: int) -> None:
    """Guesses that are right with p each, independently, keep to H0 with equality: the expectation is exactly 1."""
    p = Fraction(1, 3)
    j = moment(n)
    chance = [comb(n, hits) * p**hits * (1 - p) ** (n - hits) for hits in range(n + 1)]
    assert sum(chance[hits] * Fraction(comb(hits, j)) / (comb(n, j) * p**j) for hits in range(n + 1)) == 1


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.integers(7, 60), min_size=1, max_size=20), st.integers(0, 19))
def test_one_attacker_beyond_the_sharp_threshold_decides_among_twenty(guesses: list[int], which: int) -> None:
    """Together attackers are never weaker than by dividing the level among twenty."""
    place = which % len(guesses)
    attempts = [(n, min(sharp_thresholds(n)[n], n) if number == place else 0) for number, n in enumerate(guesses)]
    assert combined_evidence(attempts).unsafe


def test_several_attackers_who_nearly_pass_show_it_together() -> None:
    n = 200
    nearly = sharp_thresholds(n)[n] - 1
    assert combined_evidence([(n, nearly)] * 12).unsafe
    assert not combined_evidence([(n, n // 3)] * 12).unsafe
    assert combined_evidence([(0, 0)]).mean == 1.0


def test_classes_of_seven_keep_to_the_hypothesis_and_six_do_not(run: Run) -> None:
    """1/7! = 1/5040 is below 1/2187, 1/6! = 1/720 above 1/729: the relation that the report prints."""
    table = class_against_hypothesis(8)
    assert table.filter("holds")["k"].to_list() == [7, 8]
    ran = run("pws2018", "class-size", "--json")
    assert [row["holds"] for row in ran.json["class_sizes"]] == [False] * 6 + [True] * 4
    assert run("pws2018", "class-size", "--p", "1/2", "--largest", "4", "--json").json["class_sizes"][3]["holds"]


def test_untouched_customers_are_sure_hits(run: Run) -> None:
    table = power_table([2], 10, untouched=[0, 7])
    caught = {
        (row["untouched"], row["n"]): row["caught"] for row in table.filter(pl.col("test") == "official").to_dicts()
    }
    assert caught[7, 7] == 1.0
    assert caught[0, 7] < 0.2
    # Ten of ten are needed: seven sure, a pair, and one of another pair.
    assert caught[7, 10] == pytest.approx(0.25)
    ran = run("pws2018", "power", "--k", "2", "--untouched", "0,2", "--max-n", "40", "--json")
    best = {(row["untouched"], row["test"]): row["survives"] for row in ran.json["best"]}
    assert best[2, "official"] < best[0, "official"]
    assert run("pws2018", "power", "--untouched", "x").status == 2


def test_table_3_is_a_ranking(run: Run) -> None:
    rows = run("pws2018", "results", "--json").json["results"]
    assert [row["team"] for row in rows if row["rank"]] == ["14", "05", "08", "02", "07"]
    assert rows[0] == {"rank": 1, "team": "14", "U": 0.206, "effective": False}


@pytest.mark.half_second
def test_files_of_every_kind_are_made_and_attacked() -> None:
    history = shop(24)
    classes = equal_histories(history, untouched=3, k=2, rng=np.random.default_rng(1))
    assert sorted(np.concatenate(classes).tolist()) == list(range(24))
    assert [len(group) for group in classes[:3]] == [1, 1, 1]
    assert min(len(group) for group in classes[3:]) >= 2
    rows = survival_rows(history, published_kinds(), attacks=12, rounds=20, rng=np.random.default_rng(2))
    assert [row["report"] for row in rows] == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert rows[0]["survives"] == 0.0
    expected = [row["expected"] for row in rows]
    assert expected == sorted(expected)
    # Odd numbers of customers make groups of three here and there, which only helps the file.
    assert all(row["high"] >= row["expected"] - 0.3 for row in rows)


@pytest.mark.half_second
def test_without_deletion_a_mean_shifts_by_at_most_its_loss() -> None:
    """|mean shift| <= sd x loss of the column, in expectation over the draw; one draw stays near it."""
    history = shop(60, 2)
    rows, figures = correlate_utility(history, releases=12, deletion=False, rng=np.random.default_rng(3))
    assert {row["method"] for row in figures} == {"ano-random", "generalize"}
    for column in ("date", "price", "quantity"):
        spread = history.spread(column)
        bound = np.array([row[f"il_{column}"] for row in figures]) * spread
        shift = np.array([row[f"mean_{column}"] for row in figures])
        assert (shift <= bound + 4 * spread / np.sqrt(len(history))).all()
    found = {row["measure"]: row["r"] for row in rows if row["method"] == "all"}
    assert found["similarity_top"] > 0.3
    assert all(-1 <= row["low"] <= row["r"] <= row["high"] <= 1 for row in rows if row["r"] is not None)


@pytest.mark.half_second
def test_with_deletion_a_mean_shifts_by_at_most_its_range_times_the_loss() -> None:
    """|mean shift| <= range x loss / (1 - share deleted), whatever was deleted, suppressed or widened."""
    history = shop(40, 2)
    random = find_part("anonymizer", "ano-random")
    for seed in range(12):
        lost = np.random.default_rng(seed).uniform(0, 0.6, 2).tolist()
        method = make_part(random, {"dates": 9, "amounts": 5, "suppression": lost[0], "deletion": lost[1]})
        release, secret = method.anonymize(history, rng=np.random.default_rng(seed))
        loss = CellError().measure(history, release, secret).parts
        deleted = 1 - len(release) / len(history)
        for column in ("date", "price", "quantity"):
            codes, cells = history.codes[column], release.cells[column]
            assert isinstance(cells, RangeCells)
            width = codes.max() - codes.min()
            drawn = np.where(cells.suppressed, (codes.min() + codes.max()) / 2, (cells.lo + cells.hi) / 2)
            shift = abs(drawn.mean() - codes.mean())
            assert shift <= width * loss[column] / (1 - deleted) + 1e-9


@pytest.mark.slow
def test_many_methods_of_a_sample_of_customers_are_correlated(run: Run, tmp_path: Path) -> None:
    t, chart = tmp_path / "T.csv", tmp_path / "U.svg"
    assert run("synth", "purchases", "--subjects", "40", "--seed", "1", "--no-header", "-o", t).status == 0
    words = ("pws2018", "correlations", t, "--releases", "5", "--customers", "10", "--chart", chart, "--json")
    first = run(*words).json
    assert [row["method"] for row in first["releases"]] == [
        "ano-random",
        "k-anonymity",
        "generalize",
        "record-sampling",
        "ano-del-lc",
    ]
    assert {(row["method"], row["releases"]) for row in first["correlations"]} >= {("all", 5), ("k-anonymity", 1)}
    assert len({row["U"] for row in first["releases"]}) == 5
    assert "<svg" in chart.read_text(encoding="utf-8")


def test_charts_are_drawn_in_both_languages(run: Run, tmp_path: Path) -> None:
    release = {"U": 0.2, "itemset_error": 0.5, "rfm_error": nan, "similarity_retail": 0.7, "method": "k-anonymity"}
    shown = {language: correlations_chart([release], Words(language, HOME)) for language in ("en", "ja")}
    assert [title in shown["en"] for title in ("frequent sets", "RFM table", "retail similarity")] == [
        True,
        False,
        True,
    ]
    assert [title in shown["ja"] for title in ("頻出集合", "RFM表", "小売の類似度")] == [True, False, True]
    chart = tmp_path / "power.svg"
    assert run("pws2018", "power", "--k", "2", "--max-n", "20", "--chart", chart, "--language", "ja").status == 0
    assert "1回の攻撃で危険と示される確率" in chart.read_text(encoding="utf-8")


def test_a_suppressed_cell_shifts_a_mean_beyond_any_share_of_the_loss() -> None:
    """The counter-example: the dearest goods makes a suppressed cell worth half its price, the loss stays 1 cell."""
    prices = np.array([100] * 999 + [1_000_000])
    expected = (prices.min() + prices.max()) / 2
    shift, loss = abs(expected - 100) / 1000, 1 / 1000
    assert shift > 10 * prices.std() * loss


@pytest.mark.half_second
def test_all_of_it_by_one_command(run: Run, tmp_path: Path) -> None:
    t, a = tmp_path / "T.csv", tmp_path / "A.csv"
    assert run("synth", "purchases", "--subjects", "12", "--seed", "1", "--no-header", "-o", t).status == 0
    assert run("pws2018", "anonymize", "k-anonymity", t, "-o", a, "--k", "2", "--seed", "1").status == 0
    ran = run("pws2018", "evaluate", t, a, "--full", "--draws", "2", "--json")
    assert ran.json["valid"]
    assert {"use_cases", "audit", "utility", "combined"} <= set(ran.json)
    assert ran.json["audit"]["k_anonymity"] == 2
    words = ("pws2018", "use-cases", t, a, "--draws", "2", "--json")
    plain = run(*words).json
    options = ("--support", "2", "--dozens", "0", "--rfm-divisor", "cells", "--fill-goods", "--largest-set", "2")
    other = run(*words, *options).json
    assert plain["itemset_error"] is None
    assert other["itemset_error"] is not None
    assert other["rfm_error"] != plain["rfm_error"]
    assert run(*words, "--rfm-divisor", "rows").json["error"]["message"].startswith("parameter 'rfm_divisor'")
