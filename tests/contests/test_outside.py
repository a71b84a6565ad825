"""The example contest of the guide: complete, small, and at once a command group like any other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.contests import test_battery as battery
from tests.outside import EXAMPLE, NAME, install, outside
from tokumei import parts
from tokumei.contests import find_contest, playable_contests, suggested_contest
from tokumei.errors import UnknownPartError

__all__ = ["outside"]


def test_the_example_is_small() -> None:
    lines = [line for path in EXAMPLE.glob("*.py") for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) < 200


@pytest.mark.parametrize("page", ["docs/own-contest.md", "docs/ja/own-contest.md"])
def test_the_guide_shows_the_example_as_it_is(page: str) -> None:
    text = (EXAMPLE.parent.parent / page).read_text(encoding="utf-8")
    source = (EXAMPLE / "hide_ages.py").read_text(encoding="utf-8").splitlines()
    shown = [line for block in text.split("```python\n")[1:] for line in block.split("```")[0].splitlines()]
    assert len(shown) > 10
    assert [line for line in shown if line not in source] == []
    assert "tokumei.contests" in (EXAMPLE / "pyproject.toml").read_text(encoding="utf-8")


def test_the_battery_passes(outside: str, run: Run, tmp_path: Path) -> None:
    battery.test_a_contest_says_what_it_is(outside)
    battery.test_parameters_are_declared_and_checked(outside)
    battery.test_equal_teams_share_a_rank_and_the_rule_says_so(outside)
    battery.test_guesses_of_the_sample_attacks_are_scored(outside)
    battery.test_publishing_is_repeatable_and_the_same_for_an_attacker_whoever_else_attacks(outside)
    for number, check in enumerate(
        (
            battery.test_generated_data_is_usable_and_repeatable,
            battery.test_every_player_hands_in_what_the_contest_takes,
            battery.test_damaged_data_is_refused_in_both_languages,
            battery.test_damaged_submissions_are_refused_in_both_languages,
        )
    ):
        (tmp_path / str(number)).mkdir()
        check(outside, tmp_path / str(number))
    (tmp_path / "commands").mkdir()
    battery.test_standard_commands_agree_with_the_contract(outside, run, tmp_path / "commands")


def test_its_commands_follow_the_guide(outside: str, run: Run, tmp_path: Path) -> None:
    data, release, published, guesses = (tmp_path / name for name in ("data", "release", "published", "guesses"))
    data.mkdir()
    (data / "people.csv").write_text("Aya,34,Uji\nKen,36,Uji\nMio,71,Asuka\n")
    assert run(outside, "check", data).out == "valid\n"
    assert run(outside, "anonymize", "bands", data, "-o", release, "--set", "width=50", "--seed", "1").status == 0
    figures = run(outside, "utility", data, release, "--json").json
    assert 0 < figures["width"] <= 49
    narrow = run(outside, "check", data, release, "--parameter", "widest=3", "--language", "ja", "--json")
    assert (narrow.status, narrow.json["errors"][0]["message"]) == (1, "範囲の幅が3を超えています")
    refused = run(outside, "publish", data, release, "-o", published)
    assert (refused.status, "--truth" in refused.err) == (2, True)
    assert run(outside, "publish", data, release, "-o", published, "--truth", tmp_path / "truth").status == 0
    assert (tmp_path / "truth/owners.csv").stat().st_mode & 0o077 == 0
    assert run(outside, "attack", "fit", data, published, "-o", guesses).status == 0
    told = run(outside, "evaluate", data, release, guesses, "--json").json
    assert told["valid"]
    # The third person is alone in her town.
    assert told["guesses"][0]["figures"]["rate"] >= 1 / 3
    missing = run(outside, "safety", data, release, data)
    assert (missing.status, missing.err) == (2, f"tokumei: {data} lacks names.csv; put the guesses there\n")


def test_it_is_listed_and_played_but_not_suggested(outside: str, run: Run) -> None:
    assert outside in playable_contests()
    assert suggested_contest() != outside
    assert "Hide the ages of a village behind ranges." in " ".join(run("--help").out.replace("│", " ").split())


@pytest.mark.half_second
def test_a_new_process_finds_an_installed_contest(tmp_path: Path) -> None:
    install(tmp_path)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from tokumei.cli.main import main; main(sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", code, NAME, "--help"], capture_output=True, text=True, check=True)
    names = ("check", "utility", "evaluate", "anonymize", "publish", "safety", "rank", "attack")
    assert all(f" {name} " in done.stdout for name in names)


def test_a_broken_contest_stops_no_other(outside: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = parts._entry_points("contest")[outside]
    broken = type(entry)("broken", "no_such_module:Nothing", entry.group)
    foreign = type(entry)("foreign", "pathlib:Path", entry.group)
    known = {**parts._entry_points("contest"), "broken": broken, "foreign": foreign}
    monkeypatch.setattr(parts, "_entry_points", lambda kind: known if kind == "contest" else {})
    told = run("--help")
    assert told.status == 0
    assert "pws2018" in told.out
    assert "warning: the contest 'broken' cannot be loaded from no_such_module:Nothing" in told.err
    assert not {"broken", "foreign"} & set(playable_contests())
    with pytest.raises(UnknownPartError, match="'foreign' cannot be loaded from pathlib:Path"):
        find_contest("foreign")
    assert run("broken", "check").status == 2
