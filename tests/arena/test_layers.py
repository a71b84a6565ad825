"""What the parts of the arena may import, and that its files stay short."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2] / "src"
FILES = sorted(path for path in (ROOT / "tokumei_arena").rglob("*.py") if "migrations" not in path.parts)
# Services know no pages, games know no server: what must not be imported, by folder.
FORBIDDEN = {
    "models": {"core", "web", "api", "commands", "worker", "games"},
    "core": {"web", "api", "commands"},
    "games": {"django", "models", "core", "web", "api", "commands", "worker"},
    "web": {"api", "commands"},
    "api": {"web", "commands"},
}


def imported(tree: ast.AST) -> set[str]:
    """Return the imported top-level packages, and for the arena its folders."""
    names = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    names += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    found = set()
    for name in names:
        first, *rest = name.split(".")
        found.add(rest[0] if first == "tokumei_arena" and rest else first)
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_file_imports_only_what_its_place_allows(file: Path) -> None:
    place = file.relative_to(ROOT / "tokumei_arena").parts[0]
    assert not imported(ast.parse(file.read_text(encoding="utf-8"))) & FORBIDDEN.get(place, set())


def test_the_library_never_imports_the_arena() -> None:
    for file in (ROOT / "tokumei").rglob("*.py"):
        assert "tokumei_arena" not in file.read_text(encoding="utf-8"), file


def test_the_evaluation_process_knows_no_server() -> None:
    for name in ("child", "unpack"):
        tree = ast.parse((ROOT / "tokumei_arena/worker" / f"{name}.py").read_text(encoding="utf-8"))
        assert not imported(tree) & {"django", "models", "core", "settings", "environment"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_files_stay_short(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 450
