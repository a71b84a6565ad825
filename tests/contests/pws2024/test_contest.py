"""PWS Cup 2024 in the arena's hands: what is published, committed to and ranked."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Run
from tokumei.contests import Entry, Pair
from tokumei.contests.pws2024.contest import Pws2024, total_of


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """Return a folder with B and a release whose tables still hold the names."""
    contest = Pws2024()
    contest.generate(tmp_path, size=100, seed=3)
    contest.anonymize("sample", tmp_path, tmp_path, settings={"swaps": 10}, rng=np.random.default_rng(1))
    names = [line.split(",")[0] for line in (tmp_path / "B.csv").read_text().splitlines()]
    for file in contest.release_files:
        lines = (tmp_path / file.filename).read_text().splitlines()
        text = "".join(f"{name},{line}\n" for name, line in zip(names, lines, strict=True))
        (tmp_path / file.filename).write_text(text)
    return tmp_path


def test_names_are_never_published_and_strict_refuses_them(released: Path) -> None:
    contest = Pws2024()
    assert contest.check_release(released, released).valid
    strict = replace(contest, strict=True).check_release(released, released)
    assert {note.code for note in strict.notes} == {"name-column"}
    made = contest.publish(released, released, attackers=["x"], seed="s")
    assert all(
        made.common[name].startswith(b"Gender,Age,Occupation,ZIP-code,") for name in made.common if name[0] == "C"
    )


def test_what_was_drawn_is_committed_to(released: Path, run: Run, tmp_path: Path) -> None:
    made = Pws2024().publish(released, released, attackers=[], seed="s")
    opening = made.truth["opening.txt"]
    assert made.common["commitment.txt"].decode().strip() == hashlib.sha256(opening).hexdigest()
    assert opening.split(b"\n", 1)[1] == made.truth["x"]
    (tmp_path / "c").write_bytes(made.common["commitment.txt"])
    (tmp_path / "o").write_bytes(opening)
    assert (run("pws2024", "verify-opening", tmp_path / "c", tmp_path / "o").out) == "kept\n"
    (tmp_path / "o").write_bytes(opening + b"0,0\n")
    assert run("pws2024", "verify-opening", tmp_path / "c", tmp_path / "o").status == 1


def test_the_final_hides_one_column(released: Path) -> None:
    final = Pws2024().for_round("final")
    rows = final.publish(released, released, attackers=[], seed="s").common["b"].decode().splitlines()[1:]
    assert len({row.split(",").index("*") for row in rows}) == 1
    other = Pws2024().publish(released, released, attackers=[], seed="s").common["b"].decode().splitlines()[1:]
    assert len({row.split(",").index("*") for row in other}) > 1


def test_points_below_fifty_cost_two_more_and_the_own_team_counts_by_its_best_attacker() -> None:
    assert (total_of(31, 91.02), total_of(46, 29.38), total_of(0, 10)) == (84.02, 26.14, 0.0)
    figures = {"utility": 80.0, "sample_anonymity": 90}
    entries = [Entry(team, figures, None) for team in "abc"]
    pairs = [Pair("a", "b", {"hits": 30}), Pair("b", "a", {"hits": 60}), Pair("c", "a", {"hits": 5})]
    table = Pws2024().rank_round(entries, pairs)
    assert [(row.team, row.figures["total"]) for row in table.anonymizers] == [("c", 170.0), ("b", 150.0), ("a", 100.0)]
    points = {row.team: row.figures["top5"] for row in table.attackers}
    assert points == {"a": 60 + 30, "b": 60 + 30, "c": 5}
