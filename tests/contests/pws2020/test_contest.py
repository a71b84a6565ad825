"""PWS Cup 2020: faults with their places, the utility of small tables by hand, and the ranking."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tokumei.contests import Entry, Pair
from tokumei.contests.pws2020.contest import Pws2020
from tokumei.contests.pws2020.samples import near_swap
from tokumei.contests.pws2020.table import (
    check_rows,
    covariance_utility,
    draw_people,
    histogram_utility,
    rows_text,
    tree_utility,
)

ROW = "39,Private,Bachelors,Never-married,Sales,Not-in-family,Male,40,<=50K"


def test_all_faults_are_told_with_line_column_and_value() -> None:
    raw = "\n".join([ROW, ROW.replace("39", "16"), ROW.replace("Sales", "Selling"), "1,2", ROW.replace("40", "x")])
    found, frame = check_rows(raw.encode(), "D", low=6, high=10)
    assert frame is None
    assert [(note.code, note.line, note.column, note.value) for note in found.notes] == [
        ("row-limits", None, None, None),
        ("range", 2, 1, "16"),
        ("category", 3, 5, "Selling"),
        ("cell-count", 4, None, None),
        ("not-a-number", 5, 8, "x"),
    ]
    assert found.notes[0].message["en"] == "the file has 5 rows, but 6 to 10 are needed"
    assert found.notes[1].message["ja"] == "16は17から90の範囲外です"


def test_changed_counts_and_covariances_cost_utility() -> None:
    frame = draw_people(50, np.random.default_rng(1))
    other = frame.with_columns(sex=pl.Series(["Female" if one == "Male" else "Male" for one in frame["sex"]]))
    flipped = abs(50 - 2 * int((frame["sex"] == "Male").sum()))
    assert histogram_utility(frame, other) == pytest.approx(1 - 2 * flipped / (2 * 50 * 9))
    assert (histogram_utility(frame, frame), covariance_utility(frame, frame)) == (1.0, 1000.0)
    assert covariance_utility(frame, other) < 1
    assert tree_utility(frame, frame, frame, "U_DTA_income") == 1.0


def test_swaps_keep_every_count_and_a_release_below_a_limit_has_its_figures(tmp_path: Path) -> None:
    contest = Pws2020()
    contest.generate(tmp_path, size=200, seed=2)
    frame = pl.read_csv(tmp_path / "C.csv", has_header=False, infer_schema=False)
    frame.columns = [*draw_people(1, np.random.default_rng(1)).columns]
    swapped = near_swap(frame, np.random.default_rng(3), block=20, share=1.0)
    assert histogram_utility(frame, swapped) == 1.0
    assert not swapped.equals(frame)
    (tmp_path / "D.csv").write_bytes(rows_text(frame[:100]))
    checked = contest.check_release(tmp_path, tmp_path)
    assert (checked.valid, checked.figures["U_hist"]) == (False, 0.75)
    assert checked.notes[0].message["en"] == "U_hist is 0.7500, but at least 0.99 is required"
    (tmp_path / "D.csv").write_bytes(rows_text(frame[:19]))
    assert {note.code for note in contest.check_release(tmp_path, tmp_path).notes} == {"row-limits"}
    lenient = replace(contest, strict=False).check_release(tmp_path, tmp_path)
    assert "row-limits" not in {note.code for note in lenient.notes}


def test_attackers_count_on_the_three_best_without_their_own_team() -> None:
    entries = [Entry(team, {"U_hist": 1.0}, None) for team in "abcde"]
    pairs = [Pair("e", owner, {"accuracy": share}) for owner, share in (("a", 0.1), ("b", 0.2), ("c", 0.3), ("d", 0.9))]
    table = Pws2020().rank_round(entries, pairs)
    assert [row.team for row in table.anonymizers] == ["e", "a", "b", "c", "d"]
    assert {row.team: row.figures["accuracy"] for row in table.attackers}["e"] == pytest.approx(0.2)


@pytest.mark.slow
def test_other_rows_keep_the_limits_and_are_no_members(tmp_path: Path) -> None:
    contest, reached = Pws2020(), {}
    contest.generate(tmp_path, size=1200, seed=1)
    told = contest.anonymize("other-rows", tmp_path, tmp_path, settings={}, rng=np.random.default_rng(1))
    assert (told["rows"], contest.check_release(tmp_path, tmp_path).valid) == (1200, True)
    made = contest.publish(tmp_path, tmp_path, attackers=[], seed="s")
    (tmp_path / "members.csv").write_bytes(made.truth["members"])
    for attack in contest.attacks:
        contest.attack(attack, tmp_path, tmp_path, tmp_path, settings={}, rng=np.random.default_rng(2))
        scored = contest.score_guesses(tmp_path, tmp_path, published=tmp_path, truth=tmp_path, guesses=[tmp_path])
        reached[attack] = scored[0].figures["accuracy"]
    # A tenth of B are members.
    assert max(reached.values()) < told["own"] + 0.25
    assert told["own"] < 1
