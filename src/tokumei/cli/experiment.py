"""``tokumei experiment``: published experiments, run again in one command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.output import JsonFlag, finish, progress_bars, show_table, tell

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
    json: JsonFlag = False,
) -> None:
    """2-anonymity against 2-concealment on trajectories: errors, figures 8 to 12, and the audit of each."""
    from tokumei.experiments.concealment import SIZES, run_experiment

    with progress_bars():
        result = run_experiment(output, source=data, sizes=size or SIZES, seed=seed)

    def show(console: Console) -> None:
        columns = ["people", "samples", "method", "uniform", "centre", "ratio"]
        show_table(console, columns, [[row[name] for name in columns] for row in result["errors"]])
        columns = ["people", "method", "verdict", "max_posterior", "largest_component"]
        show_table(console, columns, [[row[name] for name in columns] for row in result["audits"]])

    if not json:
        tell(f"open {output / 'report.html'} in a browser")
    finish(result, json=json, show=show)
