"""How every command must refuse: status 2, one sentence or one JSON document, nothing written, nothing changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.conftest import Run
from tokumei.cli.output import visible

ERROR_KEYS = ["code", "message", "file", "line", "column"]
LONGEST_SENTENCE = 600


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """Return every file below a folder with its content, and every folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def one_sentence(text: str) -> str:
    """Return what stands on standard error, after checking that it is one clean line."""
    lines = text.splitlines()
    assert len(lines) == 1, text
    assert lines[0].startswith("tokumei: ")
    assert "Traceback" not in text
    assert "internal error" not in text
    assert len(lines[0]) < LONGEST_SENTENCE
    return lines[0].removeprefix("tokumei: ")


def refused(run: Run, folder: Path, *words: object) -> dict[str, Any]:
    """Run a command that must fail, as text and as JSON; return the error object, its message checked to be equal."""
    before = snapshot(folder)
    told = run(*words)
    assert told.status == 2, told
    assert told.out == ""
    sentence = one_sentence(told.err)
    answered = run(*words, "--json")
    assert answered.status == 2
    assert answered.err == ""
    assert answered.out.count("\n") == 1
    document: dict[str, Any] = answered.json
    assert list(document) == ["error"]
    error: dict[str, Any] = document["error"]
    assert list(error) == ERROR_KEYS
    assert visible(error["message"]) == sentence
    assert snapshot(folder) == before
    return error
