"""PWS Cup 2019 in the arena's hands: refusals, attempts and rankings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from tokumei.contests import Entry, Pair
from tokumei.contests.pws2019.contest import Pws2019


def test_a_release_below_the_least_utility_is_refused_with_its_figure(tmp_path: Path) -> None:
    contest = Pws2019()
    contest.generate(tmp_path, size=10, seed=2)
    contest.anonymize("A1-none", tmp_path, tmp_path, settings={}, rng=np.random.default_rng(1))
    checked = contest.check_release(tmp_path, tmp_path)
    assert (checked.valid, checked.figures["s_U"]) == (True, 1.0)
    (tmp_path / "ano2.csv").write_text("reg_id\n" + "*\n" * 400)
    (note,) = contest.check_release(tmp_path, tmp_path).notes
    assert (note.code, note.file) == ("low-utility", "ano2")
    assert note.message == {"en": "the utility 0.0000 is below 0.7", "ja": "有用性0.0000が0.7未満です"}


def test_rounds_differ_in_their_days_and_the_attempt_that_leaves_least_counts(tmp_path: Path) -> None:
    assert (Pws2019().for_round("final").days, Pws2019().for_round("preliminary").days) == (20, 2)
    replace(Pws2019(), days=1).generate(tmp_path, size=10, seed=2)
    assert Pws2019().check_data(tmp_path).figures == {"users": 10, "times": 20}
    better = dict.fromkeys(("s_I1", "s_I2", "s_T1", "s_T2"), 0.5)
    assert Pws2019().guess_order(better) < Pws2019().guess_order({**better, "s_I2": 0.6})


def test_the_least_score_of_attackers_and_samples_counts() -> None:
    entries = [Entry("a", {"s_I": 0.9, "s_T": 0.4}, None), Entry("b", {"s_I": 0.6, "s_T": 0.8}, None)]
    scores = {"s_I1": 0.7, "s_I2": 0.1, "s_T1": 0.2, "s_T2": 0.5}
    table = Pws2019().rank_round(entries, [Pair("b", "a", scores)])
    assert {row.team: (row.figures["s_I"], row.figures["s_T"]) for row in table.anonymizers} == {
        "a": (0.7, 0.4),
        "b": (0.6, 0.8),
    }
    assert [(row.team, row.figures["sum"]) for row in table.attackers] == [("b", 1.5), ("a", 4.0)]
