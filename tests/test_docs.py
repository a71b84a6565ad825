"""The documents are true: README's commands run, both languages show the same ones, links lead somewhere."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import Run
from tests.tours import SIZES, follow, run_python

PROJECT = Path(__file__).resolve().parent.parent
# Written by each build of the guide from the program itself (docs/reference_pages.py); never part of the project.
GENERATED = {
    f"docs/{place}reference/generated/{name}.md" for place in ("", "ja/") for name in ("commands", "errors", "parts")
}
READMES = ("README.md", "README.ja.md")
DOCUMENTS = sorted(
    file
    for file in [*PROJECT.glob("*.md"), *PROJECT.glob("docs/**/*.md")]
    if not {"generated", "_build"} & set(file.relative_to(PROJECT).parts)
)


def blocks(file: str, language: str) -> list[str]:
    """Return the code blocks of a document in this language."""
    return re.findall(rf"```{language}\n(.*?)```", (PROJECT / file).read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.slow
@pytest.mark.parametrize("subjects", SIZES)
def test_readme_commands_and_python_run(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subjects: int
) -> None:
    """Every line of the tour ends well in an empty folder, and so does the Python example after it."""
    monkeypatch.chdir(tmp_path)
    (tour,) = blocks("README.md", "sh")
    follow(tour, run, subjects=subjects)
    beside = {path.name for path in tmp_path.glob("release.*")}
    assert len(beside) == 4
    for file in READMES:
        text = (PROJECT / file).read_text(encoding="utf-8")
        assert [name for name in sorted(beside) if f"`{name}`" not in text] == []
    (example,) = blocks("README.md", "python")
    assert 0 < float(run_python(example)[0]) < 1


def test_both_languages_show_the_same_commands_and_the_same_python() -> None:
    assert blocks("README.md", "sh") == blocks("README.ja.md", "sh")
    english, japanese = (ast.unparse(ast.parse(source)) for file in READMES for source in blocks(file, "python"))
    assert english == japanese


def test_links_lead_somewhere() -> None:
    for file in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", file.read_text(encoding="utf-8")):
            if not target.startswith(("http:", "https:", "mailto:")):
                path = (file.parent / target).resolve()
                known = path.exists() or str(path.relative_to(PROJECT)) in GENERATED
                assert known, f"{file.relative_to(PROJECT)} links to {target}"
