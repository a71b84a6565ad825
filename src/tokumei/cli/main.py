"""The entry point: runs a command, turns every error into one sentence (or one JSON document) and an exit status.

Exit status: 0 done; 1 done and the verdict is negative; 2 the command or its input could not be used; 130 Ctrl-C;
143 ended by the system (SIGTERM). Whatever happens, temporary files are removed and no traceback is shown.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import typer

from tokumei.cli import experiment, flow, parts, pws2016, pws2017, pws2018, pws2021, synth
from tokumei.cli.output import fail, forget_stdout, tell, warn
from tokumei.errors import OutputError, ParameterError, TokumeiError

__all__ = ["app", "main"]

FAILED, INTERRUPTED, TERMINATED = 2, 130, 143
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
app.add_typer(experiment.app, name="experiment")
app.add_typer(pws2016.app, name="pws2016")
app.add_typer(pws2017.app, name="pws2017")
app.add_typer(pws2018.app, name="pws2018")
app.add_typer(pws2021.app, name="pws2021")


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


class _Terminated(BaseException):
    """The system asks the command to end."""


@cache
def _add_plugins() -> None:
    """Add the command groups of other packages (the arena among them); one that is broken is left out."""
    for entry in sorted(entry_points(group="tokumei.commands"), key=lambda entry: entry.name):
        try:
            app.add_typer(entry.load(), name=entry.name)
        except Exception as error:
            warn(f"the commands '{entry.name}' cannot be loaded from {entry.value} ({type(error).__name__}: {error})")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    json = "--json" in words
    _prepare_streams()
    try:
        with _ending_on_sigterm():
            status = _run(words, json=json)
    except _Terminated:
        tell("tokumei: ended by the system; no half-written file is left")
        status = TERMINATED
    except BaseException as error:
        # What is shown is one sentence; a developer may ask for all of it.
        if os.environ.get("TOKUMEI_DEBUG") and not isinstance(error, (TokumeiError, UsageError)):
            raise
        status = _failed(error, json=json)
    raise SystemExit(status)


def _prepare_streams() -> None:
    """Make standard output and error usable even if they are closed or cannot show every character."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _ending_on_sigterm() -> Iterator[None]:
    """Let a request of the system to end unwind the stack, so that temporary files are removed."""

    def end(*_: object) -> None:
        raise _Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _run(words: Sequence[str], *, json: bool) -> int:
    """Run a command and return its exit status."""
    if json and "--join" in words:
        message = "--join and --json each want standard output for themselves; give one of them"
        raise ParameterError(message, code="usage")
    _add_plugins()
    try:
        status = app(args=list(words), prog_name="tokumei", standalone_mode=False)
    except SystemExit:
        # Typer ends so if the reader of a help text has gone.
        forget_stdout()
        return 0
    if status == INTERRUPTED:
        raise KeyboardInterrupt
    return status if isinstance(status, int) else 0


def _failed(error: BaseException, *, json: bool) -> int:
    """Tell what went wrong, and return the exit status."""
    if isinstance(error, (KeyboardInterrupt, typer.Abort)):
        tell("tokumei: interrupted; no half-written file is left")
        return INTERRUPTED
    if isinstance(error, UsageError) and not error.format_message():
        # No command was given: the help text has been printed.
        return FAILED
    try:
        fail(_as_ours(error), json=json)
    except OutputError as unwritable:
        fail(unwritable, json=False)
    return FAILED


def _as_ours(error: BaseException) -> TokumeiError:
    """Return any error as one with a code and one sentence."""
    if isinstance(error, TokumeiError):
        return error
    if isinstance(error, UsageError):
        reason = re.sub(r", unable to parse .*", "", error.format_message().rstrip("."))
        reason = reason.replace("Input should be", "it must be")
        return ParameterError(f"{reason[:1].lower()}{reason[1:]} (see --help)", code="usage")
    if isinstance(error, MemoryError):
        return TokumeiError("the memory is not enough for this; give less data or use a larger machine", code="memory")
    if isinstance(error, OSError) and error.strerror:
        place = "" if error.filename is None else f"{error.filename}: "
        file = None if error.filename is None else str(error.filename)
        return TokumeiError(f"{place}the system refused this: {error.strerror}", code="system", file=file)
    # A fault of ours: its text may hold data, so that only its kind is shown.
    kind = type(error).__name__
    return TokumeiError(
        f"internal error ({kind}); set TOKUMEI_DEBUG=1 to see where, and please report it", code="internal"
    )
