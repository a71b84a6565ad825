"""``tokumei arena doctor``: checks a deployment and says what to do, one sentence each."""

from __future__ import annotations

from typing import Annotated

import typer

from tokumei.cli.output import JsonFlag, finish
from tokumei_arena.commands.setup import django_ready, refusals_as_sentences

SIGNS = {"ok": "ok  ", "warn": "look", "bad": "BAD "}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(doctor)


def doctor(
    address: Annotated[
        str, typer.Option("--address", help="A running server to ask, for example http://localhost:8000.")
    ] = "",
    json: JsonFlag = False,
) -> None:
    """Check a deployment: database, storage, workers, sandbox, keys, log; exit status 1 if something does not work."""
    django_ready("web")
    from tokumei_arena.operations import State, examine

    with refusals_as_sentences():
        checks = examine(address)
    bad = sum(check.state is State.BAD for check in checks)
    lines = [f"{SIGNS[check.state]} {check.name}: {check.text} {check.advice}".rstrip() for check in checks]
    end = "everything works" if not bad else f"{bad} of {len(checks)} things do not work"
    document = {"healthy": not bad, "checks": [check.as_dict() for check in checks]}
    finish(document, json=json, text="\n".join([*lines, end]), status=1 if bad else 0)
