"""``tokumei forget``: find what was published of a person, and forget the person."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.output import JsonFlag, finish, show_table, warn
from tokumei.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console


def forget(
    ledger: Annotated[Path, typer.Option("--ledger", metavar="FOLDER", help="The ledger of the releases.")],
    secret: Annotated[
        list[Path] | None,
        typer.Option("--secret", metavar="FILE", help="A further secret file (a copy, or moved); repeatable."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Find what was published of people and take them out of the ledger and the secrets.

    The ids come from standard input, one per line, never as arguments, which others see. What was handed out stays
    handed out: the list says which releases to recall. Nothing of the ids is printed or kept.
    """
    from tokumei.flow import forget as forget_people
    from tokumei.ledgers import Ledger

    books = Ledger.existing(ledger)
    for path in secret or ():
        if not path.exists():
            message = f"{path}: there is no such file; name a secret file, or leave it out"
            raise InputError(message, code="unreadable", file=str(path))
    found = forget_people(books, _ids(), secret or ())
    for path in found.absent:
        warn(f"{path} is not there: a copy of it elsewhere still has them; name it with --secret")
    if found.unknown:
        verb = "is" if found.unknown == 1 else "are"
        warn(f"{found.unknown} of the ids {verb} in no release of this ledger")

    def show(console: Console) -> None:
        console.print(
            f"{found.people - found.unknown} forgotten: taken out of {ledger} and of {len(found.cleaned)} secrets.",
            style="bold",
        )
        rows = [[trace.person, trace.entry.number, trace.entry.folder, trace.group] for trace in found.traces]
        if rows:
            show_table(console, ["line of the input", "release", "folder", "in a group of"], rows)
            console.print("These releases were handed out with them: recall those that must not be used any more.")
        console.print(
            "The original data, plan and audit files and other backups are not looked after: remove them there."
        )

    finish(found.as_dict(), json=json, show=show)


def _ids() -> list[str]:
    """Return the ids of standard input, one per line."""
    data = sys.stdin.buffer.read()
    try:
        return [line.strip("\r") for line in data.decode("utf-8-sig").split("\n") if line.strip()]
    except UnicodeDecodeError:
        message = "standard input is not UTF-8 text; write one id per line"
        raise InputError(message, code="unreadable") from None
