"""``tokumei methods``, ``attacks`` and ``metrics``: what is registered, with parameters and sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from tokumei.cli.output import JsonFlag, finish, show_table, warn

if TYPE_CHECKING:
    from rich.console import Console


def register(app: typer.Typer) -> None:
    """Add the listing commands."""

    @app.command()
    def methods(json: JsonFlag = False) -> None:
        """List the anonymization methods with their parameters."""
        _list("anonymizer", "methods", json=json)

    @app.command()
    def attacks(json: JsonFlag = False) -> None:
        """List the attacks with their parameters."""
        _list("attack", "attacks", json=json)

    @app.command()
    def metrics(json: JsonFlag = False) -> None:
        """List the metrics with their parameters."""
        _list("metric", "metrics", json=json)


def _list(kind: str, key: str, *, json: bool) -> None:
    from tokumei.errors import UnknownPartError
    from tokumei.parts import find_part, part_names

    parts = []
    for name in part_names(kind):
        try:
            parts.append(_described(name, find_part(kind, name)))
        except UnknownPartError as error:
            # One broken package must not hide the others.
            warn(str(error))

    def show(console: Console) -> None:
        rows = [
            [part["name"], part["summary"], ", ".join(part["needs"]), _settings(part), part["source"]] for part in parts
        ]
        show_table(console, ["name", "what it does", "needs", "parameters (default; allowed)", "source"], rows)

    finish({key: parts}, json=json, show=show)


def _described(name: str, part: Any) -> dict[str, Any]:
    parameters = [
        {"name": info.name, "type": info.type, "default": info.default, "allowed": info.allowed(), "doc": info.doc}
        for info in part.parameters()
    ]
    described = {"name": name, "summary": part.summary, "source": part.source, "parameters": parameters}
    described["needs"] = list(part.needs)
    if hasattr(part, "valid_under"):
        described["valid_under"] = sorted(part.valid_under)
    return described


def _settings(part: dict[str, Any]) -> str:
    lines = [f"{info['name']} ({info['default']}; {info['allowed']})" for info in part["parameters"]]
    return "\n".join(lines)
