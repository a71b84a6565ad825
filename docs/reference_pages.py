"""Pages of the reference that are made from the program itself: commands, parts and error messages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from tokumei.cli.main import build_app
from tokumei.parts import find_part, part_names

__all__ = ["write_pages"]

SOURCES = (Path("src/tokumei"), Path("src/tokumei_arena"))
ROOT = Path(__file__).resolve().parent.parent
KINDS = {"anonymizer": "Methods", "attack": "Attacks", "metric": "Metrics", "rule set": "Rule sets"}


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
    for kind, title in KINDS.items():
        lines += [f"## {title}", ""]
        for name in part_names(kind):
            part = find_part(kind, name)
            lines += [f"### `{name}`", "", f"{_cell(part.summary)}. *{_cell(part.source)}*", ""]
            rows = [
                f"| `{i.name}` | {_cell(i.doc)} | {_cell(i.allowed())} | `{i.default}` |" for i in part.parameters()
            ]
            if rows:
                lines += ["| parameter | meaning | allowed | default |", "| --- | --- | --- | --- |", *rows, ""]
    return lines


def errors_page() -> list[str]:
    """Return every code that an error can carry, with its class and where it is raised."""
    found: dict[str, dict[str, set[str]]] = {}
    for source in SOURCES:
        for file in sorted((ROOT / source).rglob("*.py")):
            for name, code in _raised(ast.parse(file.read_text(encoding="utf-8"))):
                kinds = found.setdefault(code, {"class": set(), "file": set()})
                kinds["class"].add(name)
                kinds["file"].add(str(file.relative_to(ROOT / "src")))
    lines = [
        "# Error codes",
        "",
        (
            'With `--json` an error is `{"error": {"code", "message", "file", "line", "column"}}`; '
            "the message says what to do."
        ),
        "",
        "| code | error | raised in |",
        "| --- | --- | --- |",
    ]
    for code, kinds in sorted(found.items()):
        classes, files = (", ".join(f"`{name}`" for name in sorted(kinds[key])) for key in ("class", "file"))
        lines.append(f"| `{_cell(code)}` | {classes} | {files} |")
    return lines


def _raised(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield class and code of every error that is made with a literal code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error"):
            for keyword in node.keywords:
                if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
                    yield node.func.id, str(keyword.value.value)
        elif isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
            for statement in node.body:
                if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == "code":
                    yield node.name, str(ast.literal_eval(statement.value))
