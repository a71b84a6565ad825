"""What commands print: one JSON document or text on standard output; messages and bars on standard error."""

from __future__ import annotations

import json as json_module
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from tokumei.errors import TokumeiError
from tokumei.progress import Advance, listening

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["JsonFlag", "SeedOption", "SettingsOption", "finish", "progress_bars", "show_table", "tell", "warn"]

JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
SettingsOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter; may be repeated.")
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Make the run repeatable. For experiments: who guesses it can undo a release."),
]


def finish(
    document: Mapping[str, Any],
    *,
    json: bool,
    show: Callable[[Console], None] | None = None,
    status: int = 0,
) -> NoReturn:
    """Print the result of a command and end it with this exit status."""
    if json:
        sys.stdout.write(json_module.dumps(_plain(document), ensure_ascii=False, allow_nan=False) + "\n")
    elif show is not None:
        show(_console())
    sys.stdout.flush()
    raise typer.Exit(status)


def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold: numpy scalars as numbers, NaN and infinities as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def show_table(console: Console, headers: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = "") -> None:
    """Print a small table; numbers stand on the right."""
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", header_style="bold")
    for position, header in enumerate(headers):
        numeric = all(isinstance(row[position], (int, float)) or row[position] == "" for row in rows)
        table.add_column(header, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    console.print(table)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, int):
        return f"{value:,}"
    from rich.markup import escape

    return escape(str(value))


def tell(message: str) -> None:
    """Print a message for the person at the terminal, on standard error."""
    sys.stderr.write(message + "\n")


def warn(message: str) -> None:
    """Print a warning on standard error."""
    tell(f"warning: {message}")


def fail(error: TokumeiError, *, json: bool) -> None:
    """Print an error as one sentence, or as the JSON error document."""
    if json:
        sys.stdout.write(json_module.dumps({"error": error.as_dict()}, ensure_ascii=False) + "\n")
    else:
        tell(f"tokumei: {error}")


@contextmanager
def progress_bars() -> Iterator[None]:
    """Draw a bar for every stage that lasts, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_console(stderr=True), transient=True) as progress:

        @contextmanager
        def listener(name: str, total: float | None) -> Iterator[Advance]:
            task = progress.add_task(name, total=total)
            try:
                yield lambda amount: progress.advance(task, amount)
            finally:
                progress.remove_task(task)

        with listening(listener):
            yield
