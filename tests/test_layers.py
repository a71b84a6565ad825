"""The layers of the house: what may import what."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.source_code import imports, tree_of

SOURCE = Path(__file__).resolve().parent.parent / "src" / "tokumei"
GROUND = {"errors", "progress", "words", "doors", "array_types", "arguments"}
VALUES = GROUND | {"data", "parts", "engine"}
ROOMS = {"profiles", "methods", "attacks", "metrics", "synth", "ledgers", "aggregates"}
BELOW_FLOW = VALUES | {"profiles", "methods", "attacks", "metrics", "audits", "synth", "ledgers", "aggregates"}
ABOVE_FLOW = BELOW_FLOW | {"flow", "reports", "contests"}
ALLOWED: dict[str, set[str]] = {
    "errors": {"errors", "words"},
    "doors": {"doors"},
    "array_types": set(),
    "version": set(),
    "progress": GROUND,
    "words": GROUND,
    "data": GROUND | {"data"},
    "engine": GROUND | {"data", "engine"},
    "parts": GROUND | {"data", "parts"},
    **{room: VALUES | {room} for room in ROOMS},
    "audits": VALUES | {"attacks", "metrics", "audits"},
    "flow": BELOW_FLOW | {"flow"},
    "arguments": GROUND,
    "estimates": VALUES | {"estimates"},
    "reports": BELOW_FLOW | {"flow", "reports"},
    "contests": ABOVE_FLOW,
    "experiments": ABOVE_FLOW | {"experiments"},
    "demo": ABOVE_FLOW,
    "api": ABOVE_FLOW,
    "cli": ABOVE_FLOW | {"experiments", "demo", "api", "cli"},
}


def imported(file: Path) -> set[str]:
    """Return the layers of tokumei that a file imports, lazily or not."""
    layers = set()
    for node in imports(tree_of(file)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "tokumei":
            parts = node.module.split(".")
            layers |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            layers |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("tokumei.")}
    return layers


@pytest.mark.half_second
def test_files_import_only_what_their_layer_allows() -> None:
    wrong = []
    for file in sorted(SOURCE.rglob("*.py")):
        layer = file.relative_to(SOURCE).parts[0].removesuffix(".py")
        if layer in ("__init__", "__main__"):
            continue
        assert layer in ALLOWED, f"{layer} is no layer of the house"
        # The commands of a contest stand in its folder and speak as all commands do.
        allowed = ALLOWED["cli"] if layer == "contests" and file.stem.endswith("commands") else ALLOWED[layer]
        wrong += [f"{file.relative_to(SOURCE)}: {name}" for name in sorted(imported(file) - allowed)]
    assert wrong == []


def reached_past(tree: ast.AST, room: str | None) -> list[str]:
    """Return the modules of other rooms that are imported past their doors."""
    past = []
    for node in imports(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tokumei."):
            _, other, *inside = node.module.split(".")
            if inside and other != room and (SOURCE / other / "__init__.pyi").exists():
                past.append(node.module)
    return past


@pytest.mark.half_second
def test_nobody_reaches_past_a_door() -> None:
    past = []
    for file in sorted(SOURCE.parent.rglob("*.py")):
        own = file.relative_to(SOURCE).parts[0] if file.is_relative_to(SOURCE) else None
        modules = reached_past(tree_of(file), own)
        past += [f"{file.relative_to(SOURCE.parent)}: {module}" for module in modules]
    assert past == []


def test_no_export_has_the_name_of_a_module() -> None:
    """An imported module becomes an attribute of its package and would hide the export."""
    for stub in SOURCE.rglob("__init__.pyi"):
        names = {
            alias.name
            for node in ast.parse(stub.read_text()).body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        modules = {path.stem for path in stub.parent.iterdir()}
        assert names & modules == set(), stub


def test_the_rule_would_catch_a_room_that_imports_another(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text("from tokumei.audits.audit import audit_release\nimport tokumei.flow\n")
    assert imported(file) - ALLOWED["attacks"] == {"audits", "flow"}


@pytest.mark.parametrize("house", ["tokumei", "tokumei_arena", "tokumei_pages", "tokumei_studio"])
def test_files_stay_short(house: str) -> None:
    files = (SOURCE.parent / house).rglob("*.py")
    long = [str(file) for file in files if len(file.read_text(encoding="utf-8").splitlines()) > 450]
    assert [file for file in long if "migrations" not in file] == []
