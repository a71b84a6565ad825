"""The studio is a house beside the arena: it stands on the library and on the pages that both share."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"


def imported(file: Path) -> set[str]:
    """Return the modules that a file imports, lazily or not."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_the_houses_know_only_what_they_stand_on() -> None:
    allowed = {"tokumei": {"tokumei"}, "tokumei_pages": {"tokumei_pages"}}
    allowed["tokumei_studio"] = {"tokumei", "tokumei_pages", "tokumei_studio"}
    for house, known in allowed.items():
        for file in (SOURCE / house).rglob("*.py"):
            ours = {name.split(".")[0] for name in imported(file) if name.startswith("tokumei")}
            assert ours <= known, file


def test_jobs_are_entered_by_their_door() -> None:
    for file in (SOURCE / "tokumei_studio").rglob("*.py"):
        past = [name for name in imported(file) if name.startswith("tokumei_studio.jobs.")]
        assert past == [] or file.parent.name == "jobs", file


def test_a_process_of_a_job_loads_no_server() -> None:
    names = {"django", "uvicorn", "whitenoise"}
    for file in [*(SOURCE / "tokumei_studio" / "jobs").glob("*.py"), SOURCE / "tokumei_studio" / "telling.py"]:
        assert not names & {name.split(".")[0] for name in imported(file)}, file
