"""What commands print: one JSON document or text on standard output; messages and bars on standard error."""

from __future__ import annotations

import json as json_module
import os
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, TypeVar

import typer

from tokumei.cli.language import spoken_time, spoken_words
from tokumei.errors import OutputError, ParameterError, TokumeiError
from tokumei.progress import Advance, can_be_asked, listening, loss_so_far
from tokumei.words import Message, are_written_numbers, conclusion_line, json_values

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.data import Verdict
    from tokumei.parts import Part

P = TypeVar("P", bound="Part")
Language = Literal["en", "ja"]

BAR_DELAY_SECONDS = 1.0
LONGEST_CELL = 300
# From here on a float of six digits would be written with an exponent.
MILLION = 1e6
STDOUT_FAILED = "stdout"
SHOWN_FINDINGS = 20

LanguageOption = Annotated[str, typer.Option("--language", help="Language of the messages: en or ja.")]
ChartLanguage = Annotated[str, typer.Option("--language", help="Language of the figures: en or ja.")]
StrictFlag = Annotated[
    bool, typer.Option("--strict", help="Replace oddities of the official programs by what the rules mean.")
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
SettingsOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter; may be repeated.")
]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", min=1, help="Threads to use (default: all cores); results do not change.")
]
SeedOption = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Make the run repeatable. For experiments: who guesses it can undo a release."),
]


def registered(kind: str) -> Callable[[str], list[str]]:
    """Return what completes the names of registered parts: 'methods', 'attacks' or 'metrics'."""

    def complete(incomplete: str) -> list[str]:
        names = sorted(entry.name for entry in entry_points(group=f"tokumei.{kind}"))
        return [name for name in names if name.startswith(incomplete)]

    return complete


def finish(
    document: Mapping[str, Any],
    *,
    json: bool,
    show: Callable[[Console], None] | None = None,
    text: str | None = None,
    table: tuple[Sequence[str], Sequence[Sequence[object]]] | None = None,
    status: int = 0,
) -> NoReturn:
    """Print the result of a command and end it with this exit status.

    Without ``json`` people read a ``text``, a ``table`` (headers and rows), or what ``show`` prints.
    """
    with say():
        if json:
            sys.stdout.write(_json_line(document))
        elif text is not None:
            _console().print(text)
        elif table is not None:
            show_table(_console(), *table)
        elif show is not None:
            show(_console())
    raise typer.Exit(status)


@contextmanager
def say() -> Iterator[None]:
    """Write to standard output inside this block; a reader that has gone is no failure, a full disk is."""
    try:
        yield
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):
        # Rich turns the first into the second.
        forget_stdout()
    except OSError as error:
        forget_stdout()
        message = f"standard output cannot be written: {error.strerror}; send it to another place"
        raise OutputError(message, code=STDOUT_FAILED) from error


def forget_stdout() -> None:
    """Send what is still to be written to standard output nowhere: nobody reads it any more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _json_line(document: Mapping[str, Any]) -> str:
    """Return the document on one line; text that is no Unicode (file names) is escaped."""
    unicode_out = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    line = json_module.dumps(json_values(document), ensure_ascii=not unicode_out, allow_nan=False)
    return line.encode("utf-8", "backslashreplace").decode() + "\n"


def visible(text: str) -> str:
    r"""Return a text on one line in which control characters and undecodable bytes are shown, not obeyed.

    >>> print(visible("two\nlines"))
    two\nlines
    """
    hidden = ("Cc", "Cf", "Cs", "Zl", "Zp")
    if text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape").decode() if unicodedata.category(letter) in hidden else letter
        for letter in text
    )


def _console(*, stderr: bool = False) -> Console:
    from rich.console import Console

    # Names and values are data: brackets and colons in them are no markup.
    return Console(stderr=stderr, highlight=False, soft_wrap=True, markup=False, emoji=False)


def show_table(console: Console, headers: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = "") -> None:
    """Print a small table; numbers stand on the right, those written as text too unless rows are named by them."""
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", header_style="bold")
    texts = {value for row in rows for value in row[1:] if isinstance(value, str)}
    written = dict(zip(texts, are_written_numbers(texts), strict=True))
    for position, header in enumerate(headers):
        # Names in the first column stand on the left, even where they read as numbers.
        known = written if position > 0 else {}
        column = [row[position] for row in rows]
        numeric = all(
            value == "" or known.get(value, False) if isinstance(value, str) else isinstance(value, (int, float))
            for value in column
        )
        table.add_column(header, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*("\n".join(visible(_cut(line)) for line in _cell(value).split("\n")) for value in row))
    console.print(table)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < MILLION else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


def show_verdict(
    console: Console,
    verdict: Verdict,
    k: int,
    *,
    quick: bool = False,
    recipient: str = "",
    answers: Sequence[str] = (),
    contest: bool = False,
) -> None:
    """Print what an audit concluded, then why; colours that can be read on dark and on light.

    Without a recipient the verdict is about names alone, and says so. What only a ``contest`` asks is left out
    elsewhere.
    """
    outcome = verdict.outcome.value
    colour = {"safe": "green", "unsafe": "red"}.get(outcome, "magenta")
    words = spoken_words()
    conclusion = conclusion_line(
        outcome, k, words, recipient=recipient, other_original=verdict.of_other_original, believed=verdict.believed
    )
    console.print(words("cli.quick", conclusion=conclusion) if quick else conclusion, style=f"bold {colour}")
    for answer in answers:
        console.print(visible(answer))
    for reason in verdict.reasons if contest else verdict.outside_contests:
        helps = reason.message(words, "remedy")
        console.print(visible(f"- {reason.message(words, 'reason')}{f'; {helps}' if helps else ''}"))
    for skipped in verdict.skipped:
        console.print(visible(f"- {words('subject.not-tested', what=skipped.message(words, 'reason'))}"))


def bar(share: float, *, width: int = 16, blocks: bool | None = None) -> str:
    """Return a share as a bar of text in the colour of the terminal: of blocks if it can show them, else of signs.

    >>> bar(0.5, width=4, blocks=True), bar(0.28, width=4, blocks=True), bar(0.001, width=4, blocks=True)
    ('██', '█▏', '▏')
    >>> bar(0.5, width=4, blocks=False)
    '##'
    """
    share = min(max(share, 0.0), 1.0)
    shown = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8" if blocks is None else blocks
    if not shown:
        return "#" * max(round(share * width), int(share > 0))
    eighths = max(round(share * width * 8), int(share > 0))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def tell(message: str) -> None:
    """Print a message for the person at the terminal, on one line of standard error."""
    sys.stderr.write(visible(message) + "\n")


def warn(*messages: object) -> None:
    """Print warnings on standard error."""
    words = spoken_words()
    for message in messages:
        tell(words("cli.warning", what=words.say(message) if isinstance(message, Message) else message))


def warn_of_seed(seed: int | None) -> None:
    """Warn whoever made a release from a seed."""
    if seed is not None:
        warn("this release can be made again by whoever guesses the seed; leave --seed out for a real one")


def fail(error: TokumeiError, *, json: bool) -> None:
    """Print an error as one sentence, or as the JSON error document."""
    if json and error.code != STDOUT_FAILED:
        with say():
            sys.stdout.write(_json_line({"error": error.as_dict()}))
    else:
        tell(f"tokumei: {error if error.told is None else spoken_words().say(error.told)}")


def check_language(language: str) -> Language:
    """Return the language if there are messages in it."""
    if language not in ("en", "ja"):
        raise ParameterError(f"--language must be en or ja, got '{language}'", code="usage")
    return "ja" if language == "ja" else "en"


def show_findings(console: Console, document: Mapping[str, Any], names: Sequence[str]) -> None:
    """Print the document of a checker (valid, error_count, errors): these values of its first findings."""
    if document["valid"]:
        console.print("valid", style="green")
        return
    rows = [[error[name] or "" for name in (*names, "message")] for error in document["errors"][:SHOWN_FINDINGS]]
    show_table(console, [*names, "what is wrong"], rows)
    count = document["error_count"]
    shown = f", the first {SHOWN_FINDINGS} shown" if count > SHOWN_FINDINGS else ""
    console.print(f"invalid: {count:,} finding{'' if count == 1 else 's'}{shown}", style="red")


def check_targets(targets: Iterable[Path | None], *read: Path | None) -> None:
    """Say at once if a file cannot be written, or is one of those to read."""
    from tokumei.data import check_file_target

    for target in targets:
        if target is not None:
            refuse_overwriting(target, *read)
            check_file_target(target)


def with_settings(part: type[P], settings: Sequence[str] | None) -> P:
    """Return a part with the settings of the command line (name=value)."""
    from tokumei.parts import make_part, parse_settings

    return make_part(part, parse_settings(part, settings or []))


def refuse_overwriting(output: Path | None, *inputs: Path | None) -> None:
    """Raise OutputError if the file to write is one of the files to read."""
    for path in inputs:
        if output is not None and path is not None and output.exists() and path.exists() and output.samefile(path):
            raise OutputError(f"{output} is the file that is read; name another one to write", file=str(output))


def refuse_in_release(output: Path, release: Path, what: str, why: str) -> None:
    """Raise an error if a file would lie in the folder that is handed out, or over the secret beside it."""
    from tokumei.data import default_secret_path

    if release.resolve() in output.resolve().parents:
        message = f"{what} must not lie in the release folder: {output}; {why}, name another place"
        raise ParameterError(message, file=str(output))
    secret = default_secret_path(release)
    if output.exists() and secret.exists() and output.samefile(secret):
        message = f"{output} is the secret of the release, which cannot be made again; name another file to write"
        raise OutputError(message, file=str(output))


def time_left(expected: float, passed: float) -> str:
    """Return how long the work will still take by the estimate.

    >>> time_left(60, 20), time_left(60, 70)
    ('about 40 s left (estimate)', 'longer than the estimate of 60 s')
    """
    words = spoken_words()
    if passed < expected:
        return words("cli.time-left", time=spoken_time(expected - passed, words))
    return words("cli.longer", time=spoken_time(expected, words))


@contextmanager
def progress_bars(expected: float | None = None) -> Iterator[None]:
    """Draw a bar for every stage once the work has lasted for a second, if standard error is a terminal.

    With the seconds that all of it is expected to take, the time left is shown too.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    begun = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())

    class Bars(Progress):
        """The bars, below a line with the time left of the whole work."""

        def get_renderables(self) -> Iterator[Any]:
            if expected is not None:
                yield time_left(expected, time.monotonic() - begun)
            if (lost := loss_so_far()) is not None:
                yield spoken_words()("cli.can-take" if can_be_asked() else "cli.lost-so-far", lost=lost)
            yield from super().get_renderables()

    progress = Bars(*columns, console=_console(stderr=True), transient=True)

    @contextmanager
    def listener(name: str, total: float | None) -> Iterator[Advance]:
        task = progress.add_task(name, total=total)
        try:
            yield lambda amount: progress.advance(task, amount)
        finally:
            progress.remove_task(task)

    start = Timer(BAR_DELAY_SECONDS, progress.start)
    start.daemon = True
    start.start()
    try:
        with listening(listener):
            yield
    finally:
        start.cancel()
        start.join()
        progress.stop()
