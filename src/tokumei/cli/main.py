"""The entry point: runs a command, turns every error into one sentence (or one JSON document) and an exit status.

Exit status: 0 done; 1 done and the verdict is negative; 2 the command or its input could not be used; 130 Ctrl-C;
143 ended by the system (SIGTERM). Whatever happens, temporary files are removed and no traceback is shown.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import typer

from tokumei.cli import flow, parts
from tokumei.cli.compare import compare
from tokumei.cli.contest_commands import contest_app
from tokumei.cli.examples import add_examples, readable_help, usage_error
from tokumei.cli.language import forget_language, spoken_words
from tokumei.cli.output import fail, forget_stdout, tell, warn
from tokumei.cli.report import report
from tokumei.contests import find_contest
from tokumei.engine import abandoned, ask_to_end, forget_to_end
from tokumei.errors import OutputError, ParameterError, TokumeiError, UnknownPartError
from tokumei.parts import part_names
from tokumei.progress import ask_for_what_there_is

FAILED, INTERRUPTED, TERMINATED = 2, 130, 143
# Typer exports no base of its usage errors; a bad parameter is one.
UsageError: Any = typer.BadParameter.__bases__[0]

ABOUT = "Anonymize history data, attack it as the strongest attacker would, judge what came out."
# The groups of commands that are no contests, each in a module of its own name that is loaded only when it is called.
GROUPS = {
    "synth": "Generate synthetic histories of realistic shape.",
    "experiment": "Run published experiments again.",
    "secret": "Check, encrypt and decrypt what only the publisher keeps.",
}


def _version(*, value: bool) -> None:
    if value:
        from importlib.metadata import version

        sys.stdout.write(f"tokumei {version('tokumei')}\n")
        raise typer.Exit


def build_app(words: Sequence[str] | None = None) -> typer.Typer:
    """Return the commands; with the words of a call only what this call can need, so that ``--help`` is quick."""
    app = typer.Typer(
        name="tokumei",
        help=ABOUT,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    called, within = _called(words or ())
    everything = words is None or any(name.endswith("_COMPLETE") for name in os.environ)
    contests = part_names("contest")
    if (called in GROUPS or called in contests) and not everything:
        _add_group(app, called, only=within)
        return app
    flow.register(app)
    app.command()(report)
    app.command()(compare)
    parts.register(app)
    if _keep_only(app, None if everything else called):
        return app
    for name in [*GROUPS, *contests]:
        try:
            if everything:
                _add_group(app, name)
            else:
                empty = typer.Typer()
                empty.callback()(_nothing)
                app.add_typer(empty, name=name, help=_about(name))
        except UnknownPartError as error:
            # A contest of another package that is broken is left out.
            warn(str(error))
    _add_plugins(app)
    return app


def _about(group: str) -> str:
    return GROUPS[group] if group in GROUPS else f"{find_contest(group).summary}."


def _called(words: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the first two words that are no options: a command, or a group and its command."""
    named = [word for word in words if not word.startswith("-")]
    return next(iter(named), None), next(iter(named[1:]), None)


def _keep_only(app: typer.Typer, called: str | None) -> bool:
    """Leave a single command, if it is there; typer takes 2 ms for each, called or not."""
    named = {command.name or getattr(command.callback, "__name__", ""): command for command in app.registered_commands}
    if called not in named:
        return False
    app.registered_commands = [named[called]]
    return True


def _add_group(app: typer.Typer, name: str, *, only: str | None = None) -> None:
    group: typer.Typer = copy(
        import_module(f"tokumei.cli.{name}").app if name in GROUPS else contest_app(find_contest(name))
    )
    _keep_only(group, only)
    app.add_typer(group, name=name, help=_about(name))


def _nothing() -> None:
    """Stand for a group that is only listed."""


def _options(
    *, version: bool = typer.Option(False, "--version", callback=lambda value: _version(value=value), is_eager=True)
) -> None:
    """Take the options that stand before a command."""


class _Terminated(BaseException):
    """The system asks the command to end."""


def _add_plugins(app: typer.Typer) -> None:
    """Add the commands and groups of other packages (arena and studio among them); one that is broken is left out."""
    for entry in sorted(entry_points(group="tokumei.commands"), key=lambda entry: entry.name):
        try:
            command = entry.load()
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=entry.name)
            else:
                app.command(entry.name)(command)
        except Exception as error:
            warn(f"the commands '{entry.name}' cannot be loaded from {entry.value} ({type(error).__name__}: {error})")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    json = "--json" in words
    forget_language()
    _prepare_streams()
    asked: list[int] = []
    try:
        with _ending_when_asked(asked):
            status = _run(words, json=json)
    except BaseException as error:
        # What is shown is one sentence; a developer may ask for all of it.
        if os.environ.get("TOKUMEI_DEBUG") and not asked and not isinstance(error, (TokumeiError, UsageError)):
            raise
        # Where the request to end met a library's callback, an error of that library comes out.
        status = _terminated() if asked else _failed(error, json=json)
    if status in (INTERRUPTED, TERMINATED) and abandoned():
        # The interpreter would wait for kernels that are still computing; all files are in order already.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
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
def _ending_when_asked(asked: list[int]) -> Iterator[None]:
    """Let a request to end unwind the stack, so that no temporary file is left; note those of the system in ``asked``.

    An interrupt that whoever started the program lets it ignore (a shell that runs it in the background) stays so.
    """

    def end(number: int, _: object) -> None:
        asked.append(number)
        ask_to_end(_Terminated)
        raise _Terminated

    def interrupt(_number: int, _: object) -> None:
        if ask_for_what_there_is():
            tell(f"tokumei: {spoken_words()('cli.ending')}")
            return
        ask_to_end(KeyboardInterrupt)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers: dict[int, Callable[[int, object], None]] = {signal.SIGTERM: end}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        handlers[signal.SIGINT] = interrupt
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        forget_to_end()


def _run(words: Sequence[str], *, json: bool) -> int:
    """Run a command and return its exit status."""
    if json and "--join" in words:
        message = "--join and --json each want standard output for themselves; give one of them"
        raise ParameterError(message, code="usage")
    app = build_app(words)
    add_examples(app)
    readable_help(words)
    try:
        status = app(args=list(words), prog_name="tokumei", standalone_mode=False)
    except SystemExit:
        # Typer ends so if the reader of a help text has gone.
        forget_stdout()
        return 0
    if status == INTERRUPTED:
        raise KeyboardInterrupt
    return status if isinstance(status, int) else 0


def _terminated() -> int:
    """Tell that the system ended the command, and return the exit status."""
    tell("tokumei: ended by the system; no half-written file is left")
    return TERMINATED


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
        return usage_error(error)
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
