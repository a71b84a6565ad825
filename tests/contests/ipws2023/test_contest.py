"""iPWS Cup 2023: faults with their places, the six parts of the utility, and the ranking."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tokumei.contests import Entry, Pair
from tokumei.contests.column_rules import check_numbers, plain_rows
from tokumei.contests.findings import Findings
from tokumei.contests.ipws2023.contest import Ipws2023
from tokumei.contests.ipws2023.table_check import check_table

ROW = "Male,40,White,College,Married,25.5,0,1,0,0,Q2,1"


def test_all_faults_are_told_with_line_column_and_value() -> None:
    raw = "\n".join([ROW, ROW.replace("40", "12"), ROW.replace("White", "Green"), "1,2"]).encode()
    checked = check_table(raw, 5)
    notes = checked.notes
    assert [(note.code, note.line, note.column, note.value) for note in notes] == [
        ("row-count", None, None, None),
        ("range", 2, 2, "12"),
        ("category", 3, 3, "Green"),
        ("cell-count", 4, None, None),
    ]
    assert checked.count == 4
    assert notes[1].message == {"en": "12 is outside 13 to 87", "ja": "12は13から87の範囲外です"}
    answers = Findings()
    assert check_numbers(answers, "estimated", plain_rows(b"3\n10\n"), wanted=2, below=10) == [3, -1]
    assert [(note.code, note.line, note.value) for note in answers.notes] == [("row-number", 2, "10")]


def test_the_utility_is_the_geometric_mean_of_six_parts(tmp_path: Path) -> None:
    contest = Ipws2023()
    contest.generate(tmp_path, size=600, seed=1)
    (tmp_path / "anonymized.csv").write_bytes((tmp_path / "B.csv").read_bytes())
    assert contest.check_release(tmp_path, tmp_path).figures["U"] == 1.0
    lines = (tmp_path / "B.csv").read_text().splitlines()
    cells = lines[0].split(",")
    cells[1] = str(int(float(cells[1])) + (5 if float(cells[1]) < 60 else -5))
    (tmp_path / "anonymized.csv").write_text("\n".join([",".join(cells), *lines[1:]]) + "\n")
    figures = contest.check_release(tmp_path, tmp_path).figures
    assert (figures["age"], figures["bmi"], figures["cat"]) == (0.25, 0.0, 0.0)
    names = ("rate", "OR", "cor", "age", "bmi", "cat")
    assert figures["U"] == pytest.approx(np.prod([1 - figures[name] for name in names]) ** (1 / 6))


def test_teams_are_ranked_by_the_harmonic_mean() -> None:
    entries = [Entry("a", {"U": 0.8}, None), Entry("b", {"U": 0.6}, None)]
    table = Ipws2023().rank_round(entries, [Pair("b", "a", {"P": 0.2})])
    assert [(row.team, row.figures["score"]) for row in table.anonymizers] == [
        ("b", pytest.approx(0.75)),
        ("a", pytest.approx(0.32)),
    ]
    assert {row.team: row.figures["score"] for row in table.attackers} == {"b": pytest.approx(0.8), "a": 0.0}
