"""The whole command line as its parser sees it, built once for all tests that look through it."""

from __future__ import annotations

from functools import cache
from typing import Any

import typer.main

from tokumei.cli.examples import add_examples
from tokumei.cli.main import build_app

__all__ = ["program"]


@cache
def program() -> Any:
    """Return the commands with their examples, those of the arena among them; no test may change them."""
    app = build_app()
    add_examples(app)
    return typer.main.get_command(app)
