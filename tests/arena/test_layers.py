"""What the rooms of the arena may import, and that they do so through each other's doors."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.source_code import imports, tree_of

SOURCE = Path(__file__).resolve().parents[2] / "src"
ARENA = SOURCE / "tokumei_arena"
FILES = sorted(path for path in ARENA.rglob("*.py") if "migrations" not in path.parts)
# What everybody may use, in the order in which these use each other.
GROUND = {"clock", "errors", "environment", "wording", "models", "access", "addresses", "rules"}
# Each room may use those before it: files are kept, teams act, their work is evaluated, contests run, boards show,
# operators look at all of it.
ROOMS = ("records", "teams", "work", "contests", "boards", "operations")
ALLOWED: dict[str, set[str]] = {
    "clock": set(),
    "errors": set(),
    "environment": set(),
    "wording": set(),
    "models": {"clock", "errors"},
    "access": {"clock", "errors", "models"},
    "rules": {"errors", "models"},
    "addresses": {"access", "models"},
    **{room: GROUND | set(ROOMS[:position]) for position, room in enumerate(ROOMS)},
    "templatetags": GROUND,
    "web": GROUND | set(ROOMS) | {"templatetags"},
    "api": GROUND | set(ROOMS),
    "commands": GROUND | set(ROOMS) | {"web", "client", "bots", "asgi"},
    "client": set(),
    "bots": {"client"},
    "settings": {"environment"},
    "urls": {"web", "api"},
    "asgi": {"web"},
    "apps": set(),
    "log_lines": set(),
    "__init__": set(),
}


def imported(file: Path) -> set[tuple[str, ...]]:
    """Return the modules that a file imports, lazily or not, as their parts."""
    found: set[tuple[str, ...]] = set()
    for node in imports(tree_of(file)):
        if isinstance(node, ast.ImportFrom) and node.module:
            parts = tuple(node.module.split("."))
            found |= {(*parts, alias.name) for alias in node.names} if len(parts) == 1 else {parts}
        elif isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
    return found


def place(file: Path) -> str:
    return file.relative_to(ARENA).parts[0].removesuffix(".py")


@pytest.mark.half_second
def test_rooms_import_only_what_stands_before_them() -> None:
    wrong = []
    for file in FILES:
        own = place(file)
        used = {parts[1] for parts in imported(file) if parts[0] == "tokumei_arena" and len(parts) > 1}
        wrong += [f"{file.relative_to(ARENA)}: {name}" for name in sorted(used - ALLOWED[own] - {own})]
    assert wrong == []


@pytest.mark.half_second
def test_rooms_are_entered_by_their_doors() -> None:
    past = [
        f"{file.relative_to(ARENA)}: {'.'.join(parts)}"
        for file in FILES
        for parts in imported(file)
        if parts[0] == "tokumei_arena" and len(parts) > 2 and parts[1] in ROOMS and parts[1] != place(file)
    ]
    assert past == []


@pytest.mark.parametrize("room", ROOMS)
def test_every_export_of_a_door_is_used_and_no_module(room: str) -> None:
    stub = ast.parse((ARENA / room / "__init__.pyi").read_text(encoding="utf-8"))
    exports = {alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert not exports & {path.stem for path in (ARENA / room).iterdir()}
    outside = "".join(file.read_text(encoding="utf-8") for file in FILES if place(file) != room)
    assert exports <= set(re.findall(r"\w+", outside))


def test_the_library_never_imports_the_arena() -> None:
    for file in (SOURCE / "tokumei").rglob("*.py"):
        assert "tokumei_arena" not in file.read_text(encoding="utf-8"), file


def test_migrations_import_no_live_code() -> None:
    """What a migration did must not change with the code."""
    for file in (ARENA / "migrations").glob("*.py"):
        assert {parts[0] for parts in imported(file)} <= {"django", "secrets", "typing", "uuid"}, file


def test_the_evaluating_process_knows_no_server() -> None:
    names = "[name for name in sys.modules if 'django' in name or 'tokumei_arena' in name]"
    code = f"import sys, tokumei_arena.work.child; print({names})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    own = {name for name in ast.literal_eval(done.stdout) if not name.startswith("tokumei_arena.work.")}
    assert own == {"tokumei_arena", "tokumei_arena.errors", "tokumei_arena.rules", "tokumei_arena.work"}
