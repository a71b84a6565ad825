"""Contests whose facts stand in a file, and commands made from plain functions."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tokumei.contests import find_contest
from tokumei.contests.base import STANDARD_ROUNDS
from tokumei.contests.declared import DeclaredContest, read_facts
from tokumei.contests.ranking import Board
from tokumei.contests.values import Entry, Pair
from tokumei.parts import part_names

DECLARED = [name for name in part_names("contest") if issubclass(find_contest(name), DeclaredContest)]


def test_facts_are_read_as_values(tmp_path: Path) -> None:
    file = tmp_path / "contest.toml"
    file.write_text(
        'methods = ["a"]\n'
        'data_files = [{ name = "B", en = "b", ja = "人" }, { name = "k.txt", en = "k", ja = "鍵", secret = true }]\n'
        'release_columns = [{ key = "u", en = "utility", ja = "有用性", better = "higher", digits = 2 }]\n'
        "[rounds.final]\nphase_days = [0, 1, 2, 3, 4]\n"
    )
    facts = read_facts(file)
    assert facts["methods"] == ("a",)
    assert [(one.filename, one.secret) for one in facts["data_files"]] == [("B.csv", False), ("k.txt", True)]
    assert facts["release_columns"][0].title == {"en": "utility", "ja": "有用性"}
    assert facts["rounds"]["final"].phase_days == (0, 1, 2, 3, 4)
    assert facts["rounds"]["final"].weight == STANDARD_ROUNDS["final"].weight
    assert facts["rounds"]["practice"] == STANDARD_ROUNDS["practice"]


def test_a_board_knows_the_best_and_counts_the_most_hits_for_the_own_team() -> None:
    entries = [Entry(team, {"u": 1}, None) for team in "abc"]
    pairs = [Pair("a", "b", {"hits": 3}), Pair("c", "b", {"hits": 5}), Pair("b", "a", {"hits": 2}), Pair("a", "a", {})]
    board = Board(entries, Board.of(entries, pairs).pairs, ("b", "a", "c"))
    assert (board.most("b", "hits"), board.most("c", "hits")) == (5.0, 0.0)
    assert [board.on_best(team, "hits", 2) for team in "abc"] == [3 + 2, 5 + 2, 5]


@pytest.mark.parametrize("name", DECLARED)
def test_every_argument_of_an_official_program_is_told(name: str) -> None:
    contest: Any = find_contest(name)
    app = contest.commands()
    for command in app.registered_commands if app else ():
        for parameter in inspect.signature(command.callback).parameters.values():
            assert parameter.annotation.__metadata__[0].help, f"{name} {command.name}: {parameter.name}"
        assert command.help
        assert command.epilog, f"{name} {command.name} has no example"


def test_a_program_that_would_write_over_what_it_reads_is_refused(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "org.csv"
    file.write_text("user_id,time_id,reg_id\n1,1,5\n")
    ran = run("pws2019", "sample-method", "A1-none", file, "-o", file)
    assert ran.status == 2
    assert "is the file that is read; name another one to write" in ran.err
    assert file.read_text() == "user_id,time_id,reg_id\n1,1,5\n"
