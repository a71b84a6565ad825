"""Help texts: every command of ours shows an example that its own parser takes."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
import typer

from tokumei.cli.examples import EXAMPLES, add_examples
from tokumei.cli.main import build_app

OURS = ("pws", "synth", "experiment")


def commands() -> dict[str, Any]:
    app = build_app()
    add_examples(app)
    found: dict[str, Any] = {}

    def walk(command: Any, path: str) -> None:
        inner = getattr(command, "commands", None)
        if inner is None:
            found[path] = command
            return
        for name, one in inner.items():
            walk(one, f"{path} {name}".strip())

    walk(typer.main.get_command(app), "")
    return found


COMMANDS = commands()


@pytest.mark.parametrize("name", [name for name in COMMANDS if " " not in name or name.startswith(OURS)])
def test_every_command_shows_an_example_that_its_parser_takes(name: str) -> None:
    assert name in EXAMPLES, f"write an example of 'tokumei {name}' in tokumei.cli.examples"
    for line in EXAMPLES[name]:
        assert f"tokumei {line}" in COMMANDS[name].epilog
        assert line.startswith(name)
        words = shlex.split(line)[len(name.split()) :]
        context = COMMANDS[name].make_context(name, words, resilient_parsing=False)
        assert context.params


def test_no_example_is_of_a_command_that_is_gone() -> None:
    assert sorted(set(EXAMPLES) - set(COMMANDS)) == []


def test_commands_without_colour_have_no_escapes(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    told = run("methods")
    assert told.status == 0
    assert "\x1b[3" not in told.out
