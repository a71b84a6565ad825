"""A contest from outside: the example package, installed as pip installs it, but without build and network."""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tokumei import parts

__all__ = ["EXAMPLE", "NAME", "install", "outside"]

EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "contest"
NAME = "hide-ages"


def install(target: Path) -> None:
    """Put the module of the package and its metadata into a folder of packages."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = target / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    sections = [
        "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in entries.items())])
        for group, entries in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(sections) + "\n")
    for module in EXAMPLE.glob("*.py"):
        shutil.copy(module, target)


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Install the example contest for one test; return its name."""
    target = tmp_path_factory.mktemp("packages")
    install(target)
    monkeypatch.syspath_prepend(target)
    parts._entry_points.cache_clear()
    lookup = parts._entry_points
    yield NAME
    lookup.cache_clear()
    sys.modules.pop("hide_ages", None)
