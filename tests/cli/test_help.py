"""Help texts: every command of ours shows an example that its own parser takes."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import Any

import pytest

from tests.program import program
from tokumei.cli.examples import examples_of
from tokumei.parts import part_names

HOMES = {"arena ": "tokumei_arena.commands", "": "tokumei.cli"}
HOMES |= {f"{name} ": f"tokumei.contests.{name}" for name in part_names("contest")}
EXAMPLES = {prefix + name for prefix, home in HOMES.items() for name in examples_of(home)}


def commands() -> dict[str, Any]:
    found: dict[str, Any] = {}

    def walk(command: Any, path: str) -> None:
        inner = getattr(command, "commands", None)
        if inner is None:
            found[path] = command
            return
        for name, one in inner.items():
            walk(one, f"{path} {name}".strip())

    walk(program(), "")
    return found


@pytest.mark.half_second
def test_every_command_shows_an_example_that_its_parser_takes() -> None:
    for name, command in commands().items():
        lines = [line.removeprefix("tokumei ") for line in (command.epilog or "").split("\n\n")[1:]]
        assert lines, f"write an example of 'tokumei {name}' in the examples of its package"
        for line in lines:
            assert line.startswith(name)
            words = shlex.split(line)[len(name.split()) :]
            context = command.make_context(name, words, resilient_parsing=False)
            assert context.params or context.args


def test_no_example_is_of_a_command_that_is_gone() -> None:
    assert sorted(EXAMPLES - set(commands())) == []


def test_commands_without_colour_have_no_escapes(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    told = run("methods")
    assert told.status == 0
    assert "\x1b[3" not in told.out


def test_the_examples_of_the_arena_cost_no_heavy_import() -> None:
    """``tokumei --help`` loads the commands of the arena: Django must not come with them."""
    code = "import sys, tokumei_arena.commands.app; print([m for m in sys.modules if m.split('.')[0] == 'django'])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"


def test_the_help_of_an_arena_command_shows_its_example(run: Any) -> None:
    told = run("arena", "submit", "--help")
    assert told.status == 0
    assert "tokumei arena submit A.csv --wait" in told.out
