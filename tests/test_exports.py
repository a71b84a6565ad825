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


def test_every_public_name_can_be_loaded() -> None:
    assert sorted(PUBLIC) == PUBLIC
    assert isinstance(tokumei.__version__, str)
    for name in set(PUBLIC) - {"__version__"}:
        assert getattr(tokumei, name).__name__ == name
        assert callable(getattr(tokumei, name))
    assert dir(tokumei) == PUBLIC


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'tokumei' has no attribute 'nothing'"):
        _ = getattr(tokumei, "nothing")  # noqa: B009


def test_doors_open_to_what_they_list() -> None:
    """Names stand once, sorted by home, and can be loaded."""
    for stub in sorted(Path(str(tokumei.__file__)).parent.rglob("__init__.pyi")):
        package = "tokumei." + ".".join(stub.parent.relative_to(Path(str(tokumei.__file__)).parent).parts)
        module = importlib.import_module(package.rstrip("."))
        listed: list[str] = vars(module)["__all__"]
        assert len(set(listed)) == len(listed), package
        assert [name for name in listed if not hasattr(module, name)] == [], package


@pytest.mark.parametrize("name", ["tokumei.errors", "tokumei.parts"])
def test_what_authors_of_parts_import_is_listed(name: str) -> None:
    """``__all__`` of the public modules is all that is defined there; elsewhere an underscore says what is private."""
    module = importlib.import_module(name)
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    public = {
        node.name
        for node in tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")
    }
    assert public <= set(module.__all__)
    assert [entry for entry in module.__all__ if not hasattr(module, entry)] == []


def test_every_module_can_be_imported() -> None:
    for module in pkgutil.walk_packages(tokumei.__path__, "tokumei."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def test_importing_the_command_line_does_not_load_polars() -> None:
    """``tokumei --help`` answers at once because heavy imports are lazy."""
    code = "import sys, tokumei.cli.main; print(sorted({'polars', 'numpy', 'numba', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
