"""``tokumei synth``: seeded synthetic data of realistic shape."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.output import JsonFlag, finish, progress_bars

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(no_args_is_help=True)

SubjectsOption = Annotated[int, typer.Option("--subjects", min=1, help="How many people to generate.")]
OutputOption = Annotated[
    Path, typer.Option("--output", "-o", help="The file to write: .csv, .csv.gz or .parquet by its ending.")
]
HeaderOption = Annotated[
    bool, typer.Option("--header/--no-header", help="Write the column names first; contest files have none.")
]
SeedOption = Annotated[int | None, typer.Option("--seed", min=0, help="The same seed gives the same bytes.")]


def _write(kind: str, output: Path, subjects: int, seed: int | None, *, header: bool, json: bool) -> None:
    from tokumei.synth import write_synthetic

    with progress_bars():
        written = write_synthetic(kind, output, subjects=subjects, seed=seed, header=header)
    document = {
        "kind": kind,
        "files": [str(file) for file in written.files],
        "subjects": written.subjects,
        "records": written.records,
        "seed": written.seed,
    }

    def show(console: Console) -> None:
        files = ", ".join(str(file) for file in written.files)
        console.print(f"{files}: {written.records:,} records of {written.subjects:,} subjects (seed {written.seed})")

    finish(document, json=json, show=show)


@app.command()
def purchases(
    output: OutputOption,
    subjects: SubjectsOption = 1000,
    seed: SeedOption = None,
    header: HeaderOption = True,
    json: JsonFlag = False,
) -> None:
    """Purchases: customer, date, goods, price, quantity (the shape of the PWS Cup 2018 T)."""
    _write("purchases", output, subjects, seed, header=header, json=json)


@app.command()
def trajectories(
    output: OutputOption,
    subjects: SubjectsOption = 1000,
    seed: SeedOption = None,
    header: HeaderOption = True,
    json: JsonFlag = False,
) -> None:
    """Trajectories of commuters: user, time, lat, lon."""
    _write("trajectories", output, subjects, seed, header=header, json=json)


@app.command()
def health(
    output: OutputOption,
    subjects: SubjectsOption = 4190,
    seed: SeedOption = None,
    header: HeaderOption = True,
    json: JsonFlag = False,
) -> None:
    """Health table: the twelve columns of the PWS Cup 2021 B, one row per person."""
    _write("health", output, subjects, seed, header=header, json=json)


@app.command()
def master(
    output: OutputOption,
    subjects: SubjectsOption = 400,
    seed: SeedOption = None,
    header: HeaderOption = True,
    json: JsonFlag = False,
) -> None:
    """Master and transactions: the T and, beside it, the M of PWS Cup 2016."""
    _write("master", output, subjects, seed, header=header, json=json)
