"""Doors: a room exports what other rooms use, and loads it only when somebody asks.

The list of a room's exports is its ``__init__.pyi``: editors and type checkers read it as it is, and at run time the
package finds in it which module a name comes from. So a name stands in one place, and ``tokumei --help`` does not wait
for numba.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def open_door(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package whose exports stand in ``__init__.pyi``.

    With a name all that comes from the same module is set in the package, so that it is asked for once.
    """
    exports: dict[str, list[str]] = {}
    for node in ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            exports.setdefault(str(node.module), []).extend(alias.asname or alias.name for alias in node.names)
    homes = {name: module for module, names in exports.items() for name in names}
    names = sorted(homes)

    def load(name: str) -> Any:
        if name not in homes:
            message = f"module '{package}' has no attribute '{name}'"
            raise AttributeError(message)
        home = import_module(homes[name])
        for other in exports[homes[name]]:
            setattr(sys.modules[package], other, getattr(home, other))
        return getattr(home, name)

    return load, lambda: names, names
