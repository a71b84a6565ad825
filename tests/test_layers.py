"""The layers of design.md: what may import what."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "tokumei"
BASE = {"errors", "schema", "cells", "celltext", "results", "history", "progress", "files", "numbertext"}
MIDDLE = {"parts", "engine", "kernels"}
STAGES = {"read", "describe", "anonymize", "publish", "attack", "judge", "report"}
ALLOWED: dict[str, set[str]] = {
    **dict.fromkeys(BASE, BASE),
    **dict.fromkeys(MIDDLE, BASE | MIDDLE),
    **{stage: BASE | MIDDLE | {stage} for stage in STAGES},
    "flow": BASE | MIDDLE | STAGES,
    "estimate": BASE | MIDDLE,
    "plan": BASE | MIDDLE | STAGES | {"flow"},
    "api": BASE | MIDDLE | STAGES | {"flow", "plan", "estimate"},
    "comparison": BASE | MIDDLE | STAGES | {"flow"},
    "dossier": BASE | MIDDLE | STAGES | {"flow", "comparison"},
    "rules": BASE | MIDDLE | STAGES | {"flow", "rules"},
    "demo": BASE | MIDDLE | STAGES | {"flow", "comparison", "dossier", "rules"},
    "experiment": BASE | MIDDLE | STAGES | {"flow", "rules"},
    "cli": BASE
    | MIDDLE
    | STAGES
    | {"flow", "plan", "estimate", "api", "comparison", "dossier", "rules", "demo", "experiment", "cli"},
}


def imported(file: Path) -> set[str]:
    """Return the layers of tokumei that a file imports, lazily or not."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tokumei"):
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("tokumei.")}
    return found


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda file: str(file.relative_to(SOURCE)))
def test_a_file_imports_only_what_its_layer_allows(file: Path) -> None:
    layer = file.relative_to(SOURCE).parts[0].removesuffix(".py")
    if layer in ("__init__", "__main__"):
        return
    assert layer in ALLOWED, f"{layer} is no layer of design.md"
    assert imported(file) <= ALLOWED[layer]


def test_the_rule_would_catch_a_stage_that_imports_another(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text("from tokumei.judge.audit import audit\nimport tokumei.flow\n")
    assert imported(file) - ALLOWED["attack"] == {"judge", "flow"}


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda file: str(file.relative_to(SOURCE)))
def test_files_stay_short(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 450
