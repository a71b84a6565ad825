"""``tokumei experiment``: published experiments, run again in one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.output import ChartLanguage, JsonFlag, check_language, finish, progress_bars, show_table, tell

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Run published experiments again."""


@app.command()
def concealment(
    data: Annotated[Path | None, typer.Argument(help="Trajectories (CSV or Parquet); generated if left out.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to create.")] = Path("concealment"),
    size: Annotated[list[int] | None, typer.Option("--size", min=2, help="People per sample; may be repeated.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another seed draws other samples.")] = 1,
    slot: Annotated[
        int | None,
        typer.Option(
            "--slot",
            min=0,
            help="Seconds (days of a date) between the points that people are completed to (0: all times).",
        ),
    ] = None,
    daily: Annotated[
        bool, typer.Option("--daily", help="Compare people by the time of day, whatever the day.")
    ] = False,
    language: ChartLanguage = "en",
    json: JsonFlag = False,
) -> None:
    """2-anonymity against 2-concealment on trajectories: errors, figures 8 to 12, and the audit of each.

    Everybody is completed to the same times by lines between the known places (section 4.1 of the paper).
    """
    from tokumei.experiments.concealment import SIZES, run_experiment

    with progress_bars():
        result = run_experiment(
            output,
            source=data,
            sizes=size or SIZES,
            seed=seed,
            slot=slot,
            daily=daily,
            language=check_language(language),
        )

    def show(console: Console) -> None:
        columns = ["people", "records", "interpolated"]
        show_table(console, columns, [[row[name] for name in columns] for row in result["samples"]], title="table 13")
        columns = ["people", "samples", "method", "uniform", "centre", "ratio"]
        show_table(console, columns, [[row[name] for name in columns] for row in result["errors"]])
        columns = ["people", "method", "verdict", "max_posterior", "largest_component"]
        show_table(console, columns, [[row[name] for name in columns] for row in result["audits"]])

    if not json:
        tell(f"open {output / 'report.html'} in a browser")
    finish(result, json=json, show=show)


@app.command("paper-tables")
def tables(json: JsonFlag = False) -> None:
    """Make the worked tables 2 to 10 of the k-concealment paper again by the methods of this program."""
    from tokumei.experiments.paper_tables import paper_tables

    made = paper_tables()
    figures = ["records", "dummies", "k_anonymity", "k_concealment", "changed_cells"]
    result = {
        "tables": [
            {"table": table.name, **{name: getattr(table, name) for name in figures}, "rows": table.rows.to_dicts()}
            for table in made
        ]
    }

    def show(console: Console) -> None:
        for table in made:
            show_table(console, table.rows.columns, table.rows.rows(), title=f"table {table.name}")
        rows = [
            [row["table"], *("-" if row[name] is None else row[name] for name in figures)] for row in result["tables"]
        ]
        show_table(console, ["table", *figures], rows)

    finish(result, json=json, show=show)
