"""Tours that the documents show: their commands and their Python run one after another in an empty folder."""

from __future__ import annotations

import shlex
from contextlib import redirect_stdout
from io import StringIO

import pytest

from tests.conftest import Run

__all__ = ["SIZES", "follow", "run_python"]

# How many subjects the tours have: those of the documents are for a campaign, the steps are the same.
SIZES = [20, pytest.param(200, marks=pytest.mark.campaign)]


def follow(tour: str, run: Run, *, subjects: int) -> None:
    """Run every line of a tour in the folder one is in; each must end well."""
    assert "--subjects 200" in tour
    for line in tour.replace("--subjects 200", f"--subjects {subjects}").splitlines():
        program, *words = shlex.split(line)
        assert program == "tokumei"
        ran = run(*words)
        assert ran.status == 0, f"{line}\n{ran.err}"


def run_python(source: str) -> list[str]:
    """Run an example; return the lines it prints."""
    with redirect_stdout(StringIO()) as said:
        exec(compile(source, "<example>", "exec"), {"__name__": "__main__"})  # noqa: S102
    return said.getvalue().splitlines()
