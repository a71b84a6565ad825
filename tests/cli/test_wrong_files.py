"""The wrong file in the right place: addresses, standard input, one file for two things, parts of another release."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.refusal import refused
from tests.conftest import Run

HEADER = "customer,date,goods\n"


def _table(letter: str) -> str:
    return HEADER + "".join(f"{letter}{n % 6},2011-01-{n % 28 + 1:02},{'ABC'[n % 3]}\n" for n in range(36))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder to work in, with a good table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(_table("c"), encoding="utf-8")
    return tmp_path


# the name given for a file: why there is none
NO_FILES = {
    "https://example.org/data.csv": "this is an address, not a file; download it and name the file",
    "-": "standard input cannot be read here; write it to a file and name that",
    "absent.csv": "there is no such file; check the path",
}


@pytest.mark.parametrize("name", NO_FILES)
def test_what_never_was_a_file_is_told_apart_from_a_missing_one(run: Run, folder: Path, name: str) -> None:
    error = refused(run, folder, "describe", name)
    assert error["message"].endswith(NO_FILES[name])
    assert error["code"] == "unreadable"


@pytest.mark.parametrize("page", ["both", "../{here}/both"])
def test_the_schema_and_the_page_are_two_files(run: Run, folder: Path, page: str) -> None:
    named = page.format(here=folder.name)
    error = refused(run, folder, "describe", "data.csv", "-o", "both", "--html", named)
    assert error["message"] == "-o and --html both name both; give the schema and the page a file each"


@pytest.mark.parametrize("command", ["audit", "judge", "attack", "report"])
def test_the_original_of_another_release_is_refused(run: Run, folder: Path, command: str) -> None:
    """It has as many records, so that only its people tell that it is another one."""
    (folder / "other.csv").write_text(_table("d"), encoding="utf-8")
    assert run("anonymize", "data.csv", "--method", "pseudonymize", "--skip-audit", "-o", "release").status == 0
    words = {"attack": ("attack", "re-item", "-o", "guesses"), "report": ("report", "-o", "r.html")}
    given = ("--original", "other.csv", "--release", "release", "--secret", "release.secret")
    error = refused(run, folder, *words.get(command, (command,)), *given)
    assert error["message"] == (
        "the secret does not belong to this release and original; give the three that belong together"
    )
    assert error["code"] == "foreign-secret"
