"""PWS Cup 2022: the operators, logs that must give the table again, and the safety."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tokumei.contests import Entry, Pair
from tokumei.contests.pws2022.contest import Pws2022
from tokumei.contests.pws2022.operators import run_log
from tokumei.contests.pws2022.table import correlation_utility, count_utility, read_table, table_text
from tokumei.errors import ParameterError

TABLE = np.arange(52).reshape(4, 13) % 17


@pytest.mark.parametrize(
    ("step", "first_column"),
    [
        (["top", 0, 13], [0, 9, 5]),
        (["bottom", 0, 5], [13, 9]),
        (["top2_round", 0, 9], [0, 9, 9, 5]),
        (["bottom2_round", 0, 9], [9, 13, 9, 9]),
        (["exclude", [0, 2]], [13, 5]),
        (["age_layer"], [0, 10, 0, 0]),
        (["nn", [1], [0]], [0, 99, 9, 5]),
        (["average", [1, 2]], [0, 11, 11, 5]),
        (["kanony", 2, [0]], []),
        (["lap", [0], 1e9, 1], [0, 13, 9, 5]),
        (["rr", 1.0, [0], 1], [0, 13, 9, 5]),
    ],
)
def test_an_operator_does_what_the_rules_say(step: list[object], first_column: list[int]) -> None:
    assert run_log(TABLE, [step])[:, 0].tolist() == first_column


def test_a_log_that_cannot_be_run_says_which_step() -> None:
    with pytest.raises(ParameterError, match="there is no operator drop; it is one of top, bottom"):
        run_log(TABLE, [["age_layer"], ["drop"]])
    with pytest.raises(ParameterError, match="exclude"):
        run_log(TABLE, [["exclude", [9]]])


@pytest.mark.parametrize("step", [[["top"], 0, 5], [{}], [None], ["top", [], 5], ["bottom2_round", [0], 5]])
def test_a_step_of_another_shape_is_told(step: list[object]) -> None:
    with pytest.raises(ParameterError):
        run_log(TABLE, [step])


def test_utility_counts_values_and_correlations() -> None:
    released = TABLE.copy()
    released[0, 1] = 99
    assert count_utility(TABLE, released) == pytest.approx(1 - 2 / 52)
    assert (count_utility(TABLE, TABLE), correlation_utility(TABLE, TABLE)) == (1.0, 1.0)
    older = TABLE.copy()
    older[:, 0] += 1
    assert count_utility(TABLE, older) == pytest.approx(1 - 2 / 52)


def test_the_log_must_give_the_table_again(tmp_path: Path) -> None:
    contest = Pws2022()
    contest.generate(tmp_path, size=60, seed=1)
    contest.anonymize("layers", tmp_path, tmp_path, settings={}, rng=np.random.default_rng(1))
    assert contest.check_release(tmp_path, tmp_path).valid
    changed = read_table(tmp_path / "anonymized.csv")
    changed[0, 1] = 1 - changed[0, 1]
    (tmp_path / "anonymized.csv").write_bytes(table_text(changed))
    (note,) = contest.check_release(tmp_path, tmp_path).notes
    assert (note.code, note.message["en"]) == ("other-result", "the steps of the log give another table")
    (tmp_path / "log.json").write_text(json.dumps([["shuffle"]]))
    (note,) = contest.check_release(tmp_path, tmp_path).notes
    assert note.message["en"].startswith("step 1 of the log cannot be run: shuffle: ")


def test_the_least_safety_of_a_team_counts() -> None:
    entries = [Entry("a", {"utility": 0.8}, None), Entry("b", {"utility": 0.6}, None)]
    table = Pws2022().rank_round(entries, [Pair("b", "a", {"safety": 0.2})])
    assert [(row.team, row.figures["total"]) for row in table.anonymizers] == [("b", 0.8), ("a", 0.5)]
    assert {row.team: row.figures["left"] for row in table.attackers} == {"b": 0.2, "a": 1.0}
