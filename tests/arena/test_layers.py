"""What the parts of the arena may import."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "src"
FILES = sorted(path for path in (ROOT / "tokumei_arena").rglob("*.py") if "migrations" not in path.parts)
SERVICES = {"contests", "teams", "work", "boards", "records"}
# Services know no pages: what must not be imported, by folder.
FORBIDDEN = {
    "models": SERVICES | {"web", "api", "commands"},
    **{service: {"web", "api", "commands"} for service in SERVICES},
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


def test_files_import_only_what_their_place_allows() -> None:
    wrong = []
    for file in FILES:
        place = file.relative_to(ROOT / "tokumei_arena").parts[0]
        names = imported(ast.parse(file.read_text(encoding="utf-8"))) & FORBIDDEN.get(place, set())
        wrong += [f"{file.relative_to(ROOT)}: {name}" for name in sorted(names)]
    assert wrong == []


def test_the_library_never_imports_the_arena() -> None:
    for file in (ROOT / "tokumei").rglob("*.py"):
        assert "tokumei_arena" not in file.read_text(encoding="utf-8"), file


def test_the_evaluation_process_knows_no_server() -> None:
    for name in ("child", "unpack"):
        tree = ast.parse((ROOT / "tokumei_arena/work" / f"{name}.py").read_text(encoding="utf-8"))
        assert not imported(tree) & {"django", "models", "settings", "environment", *SERVICES} - {"work"}
