"""What the package says it exports is what it exports."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import tokumei

PUBLIC: list[str] = vars(tokumei)["__all__"]

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(tokumei.__path__, "tokumei.")
    if not module.name.endswith("__main__")
)


def test_every_public_name_can_be_loaded() -> None:
    assert sorted(PUBLIC) == PUBLIC
    for name in PUBLIC:
        assert getattr(tokumei, name).__name__ == name
        assert callable(getattr(tokumei, name))
    assert dir(tokumei) == PUBLIC


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'tokumei' has no attribute 'nothing'"):
        _ = getattr(tokumei, "nothing")  # noqa: B009


def test_all_of_every_module_is_real() -> None:
    """``__all__`` lists existing names once, and every public function and class defined there is in it."""
    wrong = {name: problem for name in MODULES if (problem := wrong_in_all(name))}
    assert wrong == {}


def wrong_in_all(name: str) -> str:
    """Return what is wrong with the ``__all__`` of a module, nothing if it is right."""
    module = importlib.import_module(name)
    listed = getattr(module, "__all__", None)
    if listed is None:
        return "" if str(module.__file__).endswith("__init__.py") else "it has none"
    if len(set(listed)) < len(listed):
        return "a name stands twice"
    missing = [entry for entry in listed if not hasattr(module, entry)]
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    public = {
        node.name
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
    }
    commands = public if name.startswith("tokumei.cli.") or name.endswith("commands") else set()
    return ", ".join([*missing, *sorted(public - set(listed) - commands)])


def test_importing_the_command_line_does_not_load_polars() -> None:
    """``tokumei --help`` answers at once because heavy imports are lazy."""
    code = "import sys, tokumei.cli.main; print(sorted({'polars', 'numpy', 'numba', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
