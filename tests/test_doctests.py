"""The examples in docstrings give what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src"
FEWEST = 100


@pytest.mark.half_second
def test_examples_in_docstrings_are_true() -> None:
    """Only modules that show an example are loaded; each must be found by doctest, or it would not be tried."""
    tried = 0
    for file in sorted(SOURCE.rglob("*.py")):
        if ">>> " in file.read_text(encoding="utf-8"):
            name = ".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
            result = doctest.testmod(importlib.import_module(name))
            assert result.attempted > 0, f"{name}: doctest finds no example; which docstring is it in?"
            assert result.failed == 0, name
            tried += result.attempted
    assert tried >= FEWEST
