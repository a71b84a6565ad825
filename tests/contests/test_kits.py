"""Starter kits of all contests: complete, in both languages, and runnable by whoever unpacks them."""

from __future__ import annotations

import ast
import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from tests.effort import EFFORT
from tokumei.contests import Contest, make_contest, playable_contests, starter_kit
from tokumei.contests.values import Answered

NAMES = sorted(playable_contests())
FILES = {"README.md", "README.ja.md", "play.py", "samples.sh", "notebook.ipynb", "contest.json"}


@pytest.mark.parametrize("name", NAMES)
def test_every_contest_has_a_kit_in_both_languages(name: str) -> None:
    contest = make_contest(name)
    kit = {file: data.decode() for file, data in starter_kit(contest, kind="final", parameters={}).items()}
    assert set(kit) == FILES
    for guide in ("README.md", "README.ja.md"):
        for method in contest.methods:
            assert f"python play.py anonymize {method}\n" in kit[guide]
        for attack in contest.attacks:
            assert f"python play.py attack {attack}\n" in kit[guide]
        assert "python play.py check\n" in kit[guide]
        assert "{" not in kit[guide]
    notebook = json.loads(kit["notebook.ipynb"])
    assert (notebook["nbformat"], len({cell["id"] for cell in notebook["cells"]})) == (4, len(notebook["cells"]))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            ast.parse(cell["source"])


@pytest.mark.parametrize("name", NAMES)
def test_every_figure_of_a_contest_is_explained_in_both_languages(name: str) -> None:
    contest = make_contest(name)
    table, meaning = contest.rank_round((), ()), contest.explanations()
    columns = (*contest.release_columns, *contest.guess_columns, *table.anonymizer_columns, *table.attacker_columns)
    assert {column.key for column in columns} == set(meaning)
    assert all(set(text) == {"en", "ja"} and all(text.values()) for text in meaning.values())
    assert all(text["en"].endswith(".") and text["ja"].endswith("。") for text in meaning.values())


def unpacked(folder: Path, contest: Contest) -> ModuleType:
    """Write a kit and load its script."""
    for name, data in starter_kit(contest, kind="final", parameters={}).items():
        (folder / name).write_bytes(data)
    spec = spec_from_file_location("play", folder / "play.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.half_second
@pytest.mark.parametrize("name", NAMES if EFFORT == "campaign" else ["pws2018"])
def test_a_kit_goes_from_data_to_packed_answers(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    contest = make_contest(name)
    play = unpacked(tmp_path, contest)

    def run(*words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["play.py", *words])
        status: int = play.main()
        return status

    assert contest.sizes is not None
    assert run("generate", "--size", str(contest.sizes.low if name == "pws2018" else contest.sizes.demo)) == 0
    assert run("anonymize", contest.methods[0], "--seed", "1") in (0, 1)
    assert run("rehearse", contest.attacks[0], "--seed", "1") == 0
    (tmp_path / "targets").mkdir()
    (tmp_path / "rehearsal/seen").rename(tmp_path / "targets/Opal")
    assert run("attack", contest.attacks[0], "--seed", "1") == 0
    assert run("pack") == 0
    assert "valid" in capsys.readouterr().out
    assert run("anonymize", "no-such-method") == 2
    assert "no-such-method" in capsys.readouterr().err


def test_what_is_answered_is_counted(tmp_path: Path) -> None:
    published, guesses = tmp_path / "published", tmp_path / "guesses"
    for folder in (published, guesses):
        folder.mkdir()
    (published / "A1.csv").write_text("7,a\n7,b\n8,c\n9,d\n")
    (guesses / "F1.csv").write_text("7,1\n5,2\n\n")
    assert make_contest("pws2018").answered(published, guesses) == Answered(1, 3, {"en": "pseudonyms", "ja": "仮名"})
    (published / "CT.csv").write_text("x\ny\n")
    (guesses / "E.csv").write_bytes(b"\xef\xbb\xbf-1,-1,-1\n3,4,5\n")
    found = make_contest("pws2021").answered(published, guesses)
    assert found is not None
    assert (found.given, found.asked) == (1, 2)
    assert make_contest("pws2016").answered(published, guesses) is None
