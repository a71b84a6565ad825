"""Doors: a room exports what other rooms use, and loads it only when somebody asks.

The list of a room's exports is its ``__init__.pyi``: editors and type checkers read it as it is, and at run time the
package finds in it which module a name comes from. So a name stands in one place, and ``tokumei --help`` does not wait
for numba.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def open_door(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package whose exports stand in ``__init__.pyi``."""
    homes = {
        alias.asname or alias.name: str(node.module)
        for node in ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    names = sorted(homes)

    def load(name: str) -> Any:
        if name not in homes:
            message = f"module '{package}' has no attribute '{name}'"
            raise AttributeError(message)
        return getattr(import_module(homes[name]), name)

    return load, lambda: names, names
