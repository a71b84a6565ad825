"""``tokumei compare``: several methods on the same data, as one table and one chart."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokumei.cli.language import SpokenOption, heads, spoken_words
from tokumei.cli.options import AllowOption, MemoryOption, original
from tokumei.cli.output import JsonFlag, SeedOption, ThreadsOption, finish, progress_bars, show_table, tell
from tokumei.cli.report import parse_levels
from tokumei.words import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from tokumei.data import History
    from tokumei.flow import Run

FILES = ("comparison.csv", "comparison.json", "comparison.svg", "comparison.html")


def compare(
    data: Annotated[Path, typer.Argument(metavar="INPUT", help="CSV (.gz too) or Parquet file.")],
    methods: Annotated[str, typer.Option("--methods", metavar="A,B,C", help="Methods; see 'tokumei methods'.")],
    k: Annotated[
        str | None, typer.Option("--k", metavar="2,3,5", help="The k to try (methods without k: once).")
    ] = None,
    content: Annotated[
        str | None,
        typer.Option("--content", metavar="tight,grid", help="Profiles of contents to try: tight, grid, strong."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="METHOD.NAME=VALUE", help="Set a parameter of a method; may be repeated."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Also write table (CSV, JSON), chart (SVG) and page here."
        ),
    ] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", metavar="S.toml", help="What the columns mean; inferred if left out.")
    ] = None,
    _language: SpokenOption = None,
    allow: AllowOption = None,
    people: Annotated[
        int | None, typer.Option("--people", metavar="N", min=2, help="Compare on so many people, drawn at random.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run no method again and leave the usual measures out: a first look.")
    ] = False,
    threads: ThreadsOption = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", min=0, help="Seconds for the audit of each release.")
    ] = None,
    seed: SeedOption = None,
    _memory: MemoryOption = None,
    json: JsonFlag = False,
) -> None:
    """Anonymize by several methods, attack and measure each; show which give the best of safety and utility.

    Nothing is published and no secret is kept.

    Example: tokumei compare my.csv --methods k-anonymity,pseudonymize --k 2,3,5 -o comparison
    """
    from tokumei.data import check_folder_target
    from tokumei.flow import compare as compare_runs
    from tokumei.flow import plan_runs

    names = _names(methods)
    contents = [name.strip() for name in (content or "").split(",") if name.strip()]
    runs = plan_runs(names, parse_levels(k, "--k"), _by_method(settings or [], names), contents)
    if output is not None:
        check_folder_target(output)
    with progress_bars():
        history = original(data, schema, wanted=people, seed=seed or 0)
        history.schema.check_publishable()
        done = compare_runs(
            history, runs, allow=allow or (), seed=seed, threads=threads, time_limit=time_limit, quick=quick
        )
        if output is not None:
            _write(output, history, done, spoken_words().language)
    if output is not None:
        tell(f"{output}: {', '.join(FILES)}")
    front = [run.name for run in done if run.front]
    document = {
        "records": len(history),
        "subjects": len(history.subjects),
        "runs": [run.as_dict() for run in done],
        "front": front,
        "folder": None if output is None else str(output),
    }
    failed = all(run.failure for run in done)
    finish(document, json=json, show=lambda console: _show(console, done), status=int(failed))


def _names(methods: str) -> list[str]:
    from tokumei.errors import ParameterError

    names = [name.strip() for name in methods.split(",") if name.strip()]
    if not names:
        message = "--methods names no method; give some, separated by commas (see 'tokumei methods')"
        raise ParameterError(message, code="usage")
    return names


def _by_method(settings: Sequence[str], compared: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the settings of each method from texts ``method.name=value``."""
    from tokumei.errors import ParameterError
    from tokumei.parts import find_part, parse_settings

    texts: dict[str, list[str]] = {}
    for text in settings:
        name, equals, _ = text.partition("=")
        method, dot, _ = name.partition(".")
        if not equals or not dot or not method:
            message = f"write settings as method.name=value, such as k-anonymity.k=3; got '{text}'"
            raise ParameterError(message, code="usage")
        texts.setdefault(method, []).append(text[len(method) + 1 :])
    # Settings of a method that is not compared are refused as such, whatever they say.
    return {
        method: parse_settings(find_part("anonymizer", method), own) if method in compared else {}
        for method, own in texts.items()
    }


def _write(folder: Path, history: History, runs: Sequence[Run], language: str) -> None:
    """Write the folder whole or not at all; what differs from run to run (times) stays out of it."""
    import json as json_module
    from importlib.metadata import version

    from tokumei.data import atomic_folder
    from tokumei.flow import run_frame
    from tokumei.reports import comparison_page, trade_off_svg
    from tokumei.words import Words

    frame = run_frame(runs)
    page = comparison_page(
        frame, records=len(history), subjects=len(history.subjects), version=version("tokumei"), language=language
    )
    with atomic_folder(folder) as temporary:
        frame.write_csv(temporary / FILES[0])
        rows = json_module.dumps(frame.to_dicts(), indent=2, ensure_ascii=False) + "\n"
        (temporary / FILES[1]).write_text(rows, encoding="utf-8")
        (temporary / FILES[2]).write_text(trade_off_svg(frame, Words(language)), encoding="utf-8")
        (temporary / FILES[3]).write_text(page, encoding="utf-8")


def _show(console: Console, runs: Sequence[Run]) -> None:
    words = spoken_words()
    rows = [
        [
            run.name,
            "" if run.loss is None else percent(run.loss),
            "" if run.risk is None else percent(run.risk),
            "" if run.learned is None else percent(run.learned),
            words("cli.failed") if run.failure else words(f"word.{run.verdict}"),
            "*" if run.front else "",
            round(run.seconds, 1),
        ]
        for run in runs
    ]
    show_table(console, heads("release", "lost", "named", "learned", "verdict", "front", "seconds"), rows)
    for run in runs:
        if run.failure:
            console.print(words("cli.run-failed", run=run.name, message=run.message), markup=False)
    console.print(words("cli.compare-words"))
    front = ", ".join(run.name for run in runs if run.front)
    if front:
        console.print(words("cli.best", runs=front), markup=False)
