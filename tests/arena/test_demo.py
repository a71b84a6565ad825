"""The demonstration: programs play a whole contest of 2018 through real processes, and the command line agrees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.effort import EFFORT
from tokumei.contests import find_contest, suggested_contest

pytestmark = pytest.mark.half_second

TEAMS, SUBJECTS = (3 if EFFORT == "campaign" else 2), 24


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what the demonstration says about a small contest."""
    home = tmp_path_factory.mktemp("demo")
    words = ["--port", "0", "--home", str(home), "--teams", str(TEAMS), "--subjects", str(SUBJECTS), "--seed", "5"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TOKUMEI_", "DJANGO_"))}
    ran = subprocess.run(
        [sys.executable, "-m", "tokumei", "arena", "demo", *words, "--exit", "--json"],
        env=kept,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    assert "demo: the phase 'scoring' is over" in ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def _table(played: dict[str, Any], name: str) -> dict[str, dict[str, Any]]:
    (table,) = (one for one in played["board"]["tables"] if one["name"] == name)
    return {row["team"]: row for row in table["rows"]}


@pytest.mark.effort
def test_every_team_attacks_every_other_and_is_ranked(
    played: dict[str, Any], record_property: Callable[[str, object], None]
) -> None:
    names = {player.team for player in find_contest(suggested_contest()).players[:TEAMS]}
    pairs = {(cell["owner"], cell["attacker"]) for cell in played["matrix"]["cells"]}
    assert pairs == {(owner, attacker) for owner in names for attacker in names if owner != attacker}
    assert played["board"]["phase"] == "published"
    assert played["board"]["complete"]
    # The beginner's first file was refused, with both of its faults.
    assert [count >= 2 for count in played["refused_first"]] == [True]
    ranked = _table(played, "anonymizers")
    assert set(ranked) == set(_table(played, "attackers")) == names
    assert ranked["Name Tags"]["rank"] is None
    assert ranked["Triplets"]["rank"] is not None
    assert len(played["referee"]["recovery_codes"]) == 3
    assert played["seconds"] < 180
    record_property("figure", f"demonstration of {TEAMS} teams: {played['seconds']} s")


def test_the_arena_scores_like_the_command_line(played: dict[str, Any], run: Run) -> None:
    folder = Path(played["folder"])
    utility = _table(played, "utility")
    aliases = {one["team"]: one["alias"] for one in played["matrix"]["owners"]}
    cells = {(cell["owner"], cell["attacker"]): cell["figures"] for cell in played["matrix"]["cells"]}
    for owner, alias in aliases.items():
        attackers = [one for one in aliases if one != owner]
        guesses = [folder / one / "targets" / alias / "guesses/F1.csv" for one in attackers]
        ran = run(
            "pws2018", "evaluate", folder / owner / "data/T.csv", folder / owner / "release/A.csv", *guesses, "--json"
        )
        assert ran.json["valid"]
        # Bit for bit: the same numbers, not close ones.
        assert ran.json["utility"] == utility[owner]["figures"]
        assert len(ran.json["safety"]) == TEAMS - 1
        for attacker, judged in zip(attackers, ran.json["safety"], strict=True):
            figures = cells[owner, attacker]
            assert figures == {name: judged[name] for name in figures}
            assert {"n", "hits", "threshold", "sharp_threshold", "unsafe", "sharp_unsafe"} <= set(figures)
        received = sum(cells[owner, attacker]["unsafe"] for attacker in attackers)
        assert _table(played, "anonymizers")[owner]["figures"]["received"] == received
        published = run("pws2018", "publish", folder / owner / "release/A.csv", "-o", folder / "A1.csv")
        assert published.status == 0
        for path in guesses:
            assert (path.parent.parent / "published/A1.csv").read_bytes() == (folder / "A1.csv").read_bytes()


def test_a_folder_with_something_in_it_is_not_taken(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    ran = run("arena", "demo", "--home", tmp_path, "--exit")
    sentence = f"tokumei: {tmp_path} is not empty; the demonstration wants a new folder\n"
    assert (ran.status, ran.err) == (2, sentence)
