"""The commands that follow the flow: describe, anonymize, attack, judge, demo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokumei.cli import certificate
from tokumei.cli.anonymize import anonymize
from tokumei.cli.audit import audit
from tokumei.cli.describe import describe
from tokumei.cli.dp_tables import dp_tables
from tokumei.cli.forget import forget
from tokumei.cli.language import SpokenOption, heads, spoken_words
from tokumei.cli.options import MemoryOption, OriginalOption, ReleaseOption, SchemaOption, SecretOption, opened
from tokumei.cli.output import (
    JsonFlag,
    SeedOption,
    SettingsOption,
    check_targets,
    finish,
    progress_bars,
    refuse_in_release,
    registered,
    show_table,
    tell,
    warn,
    with_settings,
)
from tokumei.errors import ParameterError
from tokumei.words import percent

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.data import Score
    from tokumei.metrics import Usefulness

SHOWN_FINDINGS = 12


def register(app: typer.Typer) -> None:
    """Add the commands of the flow."""
    app.command()(describe)
    app.command()(anonymize)
    app.command()(attack)
    app.command()(judge)
    app.command()(audit)
    certificate.register(app)
    app.command()(forget)
    app.command()(dp_tables)
    app.command()(demo)


def _score_rows(scores: list[Score]) -> list[list[object]]:
    rows: list[list[object]] = []
    for score in scores:
        rows.append([score.name, score.told, spoken_words()(f"cli.better-{score.goal}")])
        # A sum of squares says nothing by itself: its share of the worst comes first, and the sum below it.
        parts = {"sum" if name == "normalized" else name: value for name, value in score.parts.items()}
        parts |= {"sum": score.value} if "normalized" in score.parts else {}
        rows += [[f"  {name}", value, ""] for name, value in parts.items()]
    return rows


def attack(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="See 'tokumei attacks'.", autocompletion=registered("attacks"))
    ],
    original: OriginalOption,
    release: ReleaseOption,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="GUESSES", help="CSV file of guesses.")],
    secret: SecretOption = None,
    schema: SchemaOption = None,
    settings: SettingsOption = None,
    seed: SeedOption = None,
    _memory: MemoryOption = None,
    _language: SpokenOption = None,
    json: JsonFlag = False,
) -> None:
    """Attack a release as someone who holds the original data; with the secret, count the hits."""
    from tokumei.data import OWNER_ONLY, atomic_path
    from tokumei.flow import run_attack
    from tokumei.parts import find_part

    part = with_settings(find_part("attack", name), settings)
    refuse_in_release(output, release, "the guesses", "they say who is who")
    check_targets([output], original, secret, schema)
    with progress_bars():
        attacked = opened(original, release, schema, secret)
        guesses = run_attack(attacked, part, seed=seed)
    # Of a release that protects nobody they say who is who.
    with atomic_path(output, mode=OWNER_ONLY) as temporary:
        guesses.pairs().write_csv(temporary)
    document: dict[str, Any] = {"attack": name, "guesses": len(guesses), "file": str(output)}
    if attacked.secret is not None:
        document["hits"] = guesses.hits(attacked.secret.owners)

    told = {"file": output, "count": len(guesses), "attack": name}
    words = spoken_words()
    right = words("cli.guesses-right", hits=document["hits"], **told) if "hits" in document else ""
    finish(document, json=json, text=right or words("cli.guesses", **told))


def judge(
    original: OriginalOption,
    release: ReleaseOption,
    secret: SecretOption = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", help="See 'tokumei metrics'; all that fit if left out.", autocompletion=registered("metrics")
        ),
    ] = None,
    settings: SettingsOption = None,
    schema: SchemaOption = None,
    _memory: MemoryOption = None,
    _language: SpokenOption = None,
    json: JsonFlag = False,
) -> None:
    """Measure what a release is still worth; needs its secret, which says what became of each record."""
    from tokumei.data import default_secret_path
    from tokumei.flow import Measured, measure, measure_all
    from tokumei.metrics import measure_usefulness
    from tokumei.parts import find_part

    if settings and len(metric or ()) != 1:
        raise ParameterError("--set is for one metric; name it with --metric", code="settings")
    parts = [with_settings(find_part("metric", name), settings) for name in metric or ()]
    with progress_bars():
        judged = opened(original, release, schema, secret or default_secret_path(release))
        measured = Measured(measure(judged, parts), [], []) if metric else measure_all(judged)
        useful = None if metric else measure_usefulness(judged.history, judged.release)
    warn(*measured.failed)
    document: dict[str, Any] = {"scores": [score.as_dict() for score in measured.scores]}
    document |= {"skipped": [*measured.skipped, *measured.failed]}
    if useful is not None:
        document["usefulness"] = useful.as_dict()

    def show(console: Console) -> None:
        if useful is not None:
            _show_usefulness(console, useful)
        show_table(console, heads("score", "value", ""), _score_rows(measured.scores))

    finish(document, json=json, show=show)


def _show_usefulness(console: Console, useful: Usefulness) -> None:
    """Print what a release is still good for: the headline, then columns and the worst changes, a line each."""
    words = spoken_words()
    console.print(words("use.stop").join(words.say(message) for message in useful.headline), style="bold", markup=False)
    for title, messages in (
        ("columns", [column.message() for column in useful.columns]),
        ("findings", [finding.message() for finding in useful.findings[:SHOWN_FINDINGS]]),
    ):
        console.print(words(f"use.{title}"), style="bold")
        for message in messages:
            console.print(f"- {words.say(message)}", markup=False)


def demo(
    folder: Annotated[Path, typer.Argument(help="The folder to create.")] = Path("demo"),
    subjects: Annotated[int, typer.Option(min=2, help="How many customers to generate.")] = 300,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives another data set.")] = 1,
    json: JsonFlag = False,
) -> None:
    """Run the whole flow on generated purchases and write a report to look at."""
    from tokumei.demo import run_demo

    with progress_bars():
        result = run_demo(folder, subjects=subjects, seed=seed)
    if not json:
        tell(f"open {result['report']} in a browser")
    rows = [[row["release"], percent(row["loss"]), percent(row["risk"]), row["verdict"]] for row in result["releases"]]
    finish(result, json=json, table=(["release", "information lost", "re-identified", "audit"], rows))
