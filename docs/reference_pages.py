"""Pages of the reference that are made from the program itself: commands, parts and error messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main
from error_pages import errors_page

from tokumei.cli.main import build_app
from tokumei.parts import NEEDS, find_part, part_names

__all__ = ["write_pages"]

KINDS = {"anonymizer": "Methods", "attack": "Attacks", "metric": "Metrics", "contest": "Contests"}


def write_pages(folder: Path) -> None:
    """Write all pages."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"commands": commands_page(), "parts": parts_page(), "errors": errors_page()}
    for name, lines in pages.items():
        text = "\n".join(lines) + "\n"
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _cell(text: object) -> str:
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")


def commands_page() -> list[str]:
    """Return every command with its arguments, options and help."""
    lines = ["# Commands", "", "Every command takes `--help`; most take `--json`.", ""]
    for words, command in _commands(typer.main.get_command(build_app()), ["tokumei"]):
        lines += [f"## `{' '.join(words)}`", "", _help(command.help or ""), ""]
        rows = [row for row in map(_parameter_row, command.params) if row]
        if rows:
            lines += ["| argument or option | meaning | default |", "| --- | --- | --- |", *rows, ""]
    return lines


def _help(text: str) -> str:
    """Return a help text; what is indented in it (examples) stays as it is."""
    paragraphs = [part.strip("\n") for part in text.replace("\b", "").split("\n\n")]
    return "\n\n".join(f"```sh\n{part}\n```" if part.startswith("    ") else _cell(part) for part in paragraphs)


def _commands(command: Any, words: list[str]) -> Iterator[tuple[list[str], Any]]:
    children = getattr(command, "commands", None)
    if children is None:
        yield words, command
        return
    for name in sorted(children):
        if not children[name].hidden:
            yield from _commands(children[name], [*words, name])


def _parameter_row(parameter: Any) -> str:
    if getattr(parameter, "hidden", False) or parameter.name == "help":
        return ""
    option = parameter.param_type_name == "option"
    name = (
        ", ".join([*parameter.opts, *parameter.secondary_opts])
        if option
        else (parameter.metavar or parameter.name.upper())
    )
    default = parameter.default
    shown = "" if default in (None, False, ()) or callable(default) else f"`{default}`"
    return f"| `{_cell(name)}` | {_cell(getattr(parameter, 'help', '') or '')} | {_cell(shown)} |"


def parts_page() -> list[str]:
    """Return every registered part with its parameters."""
    lines = ["# Parts", "", "Found by name through entry points; parameters are given as `--set name=value`.", ""]
    lines += ["What a part needs:", "", *(f"- *{need}*: {_cell(words)}" for need, words in NEEDS.items()), ""]
    for kind, title in KINDS.items():
        lines += [f"## {title}", ""]
        for name in part_names(kind):
            part = find_part(kind, name)
            needs = f"Needs {' and '.join(part.needs)}."
            lines += [f"### `{name}`", "", f"{_cell(part.summary)}. {needs} *{_cell(part.source)}*", ""]
            rows = [
                f"| `{i.name}` | {_cell(i.doc)} | {_cell(i.allowed())} | `{i.default}` |" for i in part.parameters()
            ]
            if rows:
                lines += ["| parameter | meaning | allowed | default |", "| --- | --- | --- | --- |", *rows, ""]
    return lines
