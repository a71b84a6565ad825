"""The entry point: runs a command, turns every error into one sentence (or one JSON document) and an exit status.

Exit status: 0 done; 1 done and the verdict is negative; 2 the command or its input could not be used; 130 Ctrl-C.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import Any

import typer

from tokumei.cli import flow, parts, pws2017, pws2018, synth
from tokumei.cli.output import fail, tell
from tokumei.errors import ParameterError, TokumeiError

__all__ = ["app", "main"]

INTERRUPTED = 130
# Typer exports no base of its usage errors; a bad parameter is one.
UsageError: Any = typer.BadParameter.__bases__[0]

app = typer.Typer(
    name="tokumei",
    help="Anonymize history data, attack it as the strongest attacker would, judge what came out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
flow.register(app)
parts.register(app)
app.add_typer(synth.app, name="synth")
app.add_typer(pws2017.app, name="pws2017")
app.add_typer(pws2018.app, name="pws2018")


def _version(*, value: bool) -> None:
    if value:
        from importlib.metadata import version

        sys.stdout.write(f"tokumei {version('tokumei')}\n")
        raise typer.Exit


@app.callback()
def _options(
    *, version: bool = typer.Option(False, "--version", callback=lambda value: _version(value=value), is_eager=True)
) -> None:
    """Anonymize history data, attack it as the strongest attacker would, judge what came out."""


def _add_plugins() -> None:
    """Add the command groups of other packages (the arena among them)."""
    for entry in sorted(entry_points(group="tokumei.commands"), key=lambda entry: entry.name):
        app.add_typer(entry.load(), name=entry.name)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    json = "--json" in words
    _add_plugins()
    try:
        status = app(args=words, prog_name="tokumei", standalone_mode=False)
    except TokumeiError as error:
        fail(error, json=json)
        status = 2
    except UsageError as error:
        reason = error.format_message()
        if not reason:
            # No command was given: the help text has been printed.
            raise SystemExit(2) from None
        fail(ParameterError(f"{reason} (see --help)", code="usage"), json=json)
        status = 2
    except typer.Exit as error:
        status = error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        tell("tokumei: interrupted; nothing was written")
        status = INTERRUPTED
    except BrokenPipeError:
        # The reader of standard output has gone: what follows cannot be told to anyone.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except MemoryError:
        fail(TokumeiError("the memory is not enough for this input; use a machine with more", code="memory"), json=json)
        status = 2
    except Exception as error:
        # A fault of ours: its text may hold data, so that only its kind is shown unless a developer asks for more.
        if os.environ.get("TOKUMEI_DEBUG"):
            raise
        message = f"internal error ({type(error).__name__}); set TOKUMEI_DEBUG=1 to see where, and please report it"
        fail(TokumeiError(message, code="internal"), json=json)
        status = 2
    raise SystemExit(status if isinstance(status, int) else 0)
