"""One example or more for the help text of every command, and usage errors with what was meant."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import typer

from tokumei.errors import ParameterError, did_you_mean


def examples_of(home: str) -> dict[str, list[str]]:
    """Return the examples that a package keeps in its ``examples.toml``, by command."""
    return tomllib.loads(files(home).joinpath("examples.toml").read_text(encoding="utf-8"))


def add_examples(app: typer.Typer, home: str = "tokumei.cli", group: str = "") -> None:
    """Put the examples of a package under the help texts of its commands that have none of their own.

    Packages that add a group of commands give its name.
    """
    _add(app, examples_of(home), "", f"tokumei {group} ".replace("  ", " "))


def _add(app: typer.Typer, examples: Mapping[str, Sequence[str]], prefix: str, before: str) -> None:
    for command in app.registered_commands:
        name = command.name or getattr(command.callback, "__name__", "").replace("_", "-")
        lines = examples.get(prefix + name, ())
        if lines and not command.epilog:
            title = "Example" if len(lines) == 1 else "Examples"
            command.epilog = "\n\n".join([f"{title}:", *(f"{before}{line}" for line in lines)])
    for inner in app.registered_groups:
        if inner.typer_instance is not None and isinstance(inner.name, str):
            _add(inner.typer_instance, examples, f"{prefix}{inner.name} ", before)


def readable_help(words: Sequence[str]) -> None:
    """Before a help text is shown, replace the colours of Typer that nobody can read on a light background."""
    if not {"-h", "--help"} & set(words):
        return
    from typer import rich_utils

    rich_utils.STYLE_TYPES = "bold magenta"
    rich_utils.STYLE_USAGE = "bold"
    rich_utils.STYLE_OPTION = rich_utils.STYLE_SWITCH = rich_utils.STYLE_COMMANDS_TABLE_FIRST_COLUMN = "bold"
    rich_utils.STYLE_HELPTEXT = ""


def usage_error(error: Any) -> ParameterError:
    """Return what is wrong with the words of a call as one sentence, with the nearest word that is known.

    ``error`` is a usage error of Typer.
    """
    reason = re.sub(r", unable to parse .*", "", error.format_message().rstrip("."))
    reason = reason.replace("Input should be", "it must be")
    known = getattr(error, "possibilities", None)
    wrong = getattr(error, "option_name", None)
    if wrong:
        reason = f"there is no option {wrong}{did_you_mean(wrong, known or ())}"
    reason = re.sub(r"\. Did you mean (.*)\?$", r" (did you mean \1?)", reason)
    reason = re.sub(r"^No such command", "there is no command", reason)
    reason = re.sub(r"^Got unexpected extra argument\S* \((.*)\)$", r"too many words: \1 cannot be used", reason)
    return ParameterError(f"{reason[:1].lower()}{reason[1:]} (see --help)", code="usage")
