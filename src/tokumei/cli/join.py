"""The join format of the official programs: tables on one stream, each after its number of rows (spec, J(X,Y))."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from tokumei.cli.output import say
from tokumei.errors import InputError, ParameterError

JoinFlag = Annotated[
    bool, typer.Option("--join", help="Read the tables from standard input and write the result, in the join format.")
]


@contextmanager
def inputs(paths: Sequence[Path | None], names: str, *, join: bool) -> Iterator[list[Path]]:
    """Yield the input files: those of the command line, or those cut out of the joined standard input.

    ``names`` are the tables in order, separated by blanks, as a message names them.
    """
    wanted = names.split()
    given = [path for path in paths if path is not None]
    if not join:
        if len(given) < len(wanted):
            message = f"missing argument: give {', '.join(wanted)}, or --join with the tables on standard input"
            raise ParameterError(message, code="usage")
        yield given
        return
    if given:
        raise ParameterError("with --join the tables come from standard input; leave the file names out", code="usage")
    from tokumei.data import lines_of, split_joined, to_utf8

    text, _ = to_utf8(b"" if sys.stdin is None else sys.stdin.buffer.read(), "standard input")
    tables = split_joined(lines_of(text), file="standard input")
    if len(tables) != len(wanted):
        message = f"standard input has {len(tables)} tables instead of the {len(wanted)} of J({','.join(wanted)})"
        raise InputError(message, code="join")
    # Readers take files; the folder is private to this user and disappears with the command.
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in wanted]
        for file, table in zip(files, tables, strict=True):
            file.write_text("".join(line + "\n" for line in table.to_list()), encoding="utf-8")
        yield files


def finish_joined(lines: Sequence[str], *, status: int = 0) -> NoReturn:
    """Write one table in the join format and end the command."""
    with say():
        sys.stdout.write(f"{len(lines)}\n" + "".join(f"{line}\n" for line in lines))
    raise typer.Exit(status)
