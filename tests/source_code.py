"""Source files as trees, parsed once for all tests of a process that look through them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

__all__ = ["imports", "tree_of"]

# Where statements hold further statements.
INSIDE = ("body", "orelse", "finalbody", "handlers", "cases")


@cache
def tree_of(file: Path) -> ast.Module:
    """Return the tree of a file; no test may change it."""
    return ast.parse(file.read_text(encoding="utf-8"))


def imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Return the imports of a file, lazy ones included; expressions, most of a tree, cannot hold any."""
    for place in INSIDE:
        for statement in getattr(node, place, ()):
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                yield statement
            else:
                yield from imports(statement)
