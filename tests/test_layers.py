"""The layers of the house: what may import what."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "tokumei"
GROUND = {"errors", "progress", "words"}
VALUES = GROUND | {"data", "parts", "engine"}
ROOMS = {"profiles", "methods", "attacks", "metrics", "synth"}
BELOW_FLOW = VALUES | {"profiles", "methods", "attacks", "metrics", "audits", "synth"}
ABOVE_FLOW = BELOW_FLOW | {"flow", "reports", "contests"}
ALLOWED: dict[str, set[str]] = {
    "errors": {"errors"},
    "progress": GROUND,
    "words": GROUND,
    "data": GROUND | {"data"},
    "engine": GROUND | {"data", "engine"},
    "parts": GROUND | {"data", "parts"},
    **{room: VALUES | {room} for room in ROOMS},
    "audits": VALUES | {"attacks", "metrics", "audits"},
    "flow": BELOW_FLOW | {"flow"},
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
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "tokumei":
            parts = node.module.split(".")
            layers |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            layers |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("tokumei.")}
    return layers


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


def test_the_rule_would_catch_a_room_that_imports_another(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text("from tokumei.audits.audit import audit_release\nimport tokumei.flow\n")
    assert imported(file) - ALLOWED["attacks"] == {"audits", "flow"}


@pytest.mark.parametrize("house", ["tokumei", "tokumei_arena"])
def test_files_stay_short(house: str) -> None:
    files = (SOURCE.parent / house).rglob("*.py")
    long = [str(file) for file in files if len(file.read_text(encoding="utf-8").splitlines()) > 450]
    assert [file for file in long if "migrations" not in file] == []
