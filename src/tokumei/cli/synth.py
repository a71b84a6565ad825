"""``tokumei synth``: seeded synthetic data of realistic shape."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tokumei.cli.output import JsonFlag, finish, progress_bars

app = typer.Typer(no_args_is_help=True)

SubjectsOption = Annotated[int, typer.Option("--subjects", min=1, help="How many people to generate.")]
OutputOption = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        help="The file to write: .csv, .csv.gz or .parquet by its ending; without ending: a folder of Parquet parts.",
    ),
]
HeaderOption = Annotated[
    bool, typer.Option("--header/--no-header", help="Write the column names first; contest files have none.")
]
SeedOption = Annotated[int | None, typer.Option("--seed", min=0, help="The same seed gives the same bytes.")]


def _write(kind: str, output: Path, subjects: int, seed: int | None, *, header: bool, json: bool) -> None:
    from tokumei.synth import write_synthetic

    with progress_bars():
        written = write_synthetic(kind, output, subjects=subjects, seed=seed, header=header)
    document: dict[str, Any] = {
        "kind": kind,
        "files": [str(file) for file in written.files],
        "subjects": written.subjects,
        "records": written.records,
        "seed": written.seed,
    }
    files = ", ".join(document["files"])
    text = f"{files}: {written.records:,} records of {written.subjects:,} subjects (seed {written.seed})"
    finish(document, json=json, text=text)


def _add(kind: str, people: int, about: str) -> None:
    """Add the command of one kind of data."""

    @app.command(kind, help=about)
    def command(
        output: OutputOption,
        subjects: SubjectsOption = people,
        seed: SeedOption = None,
        header: HeaderOption = True,
        json: JsonFlag = False,
    ) -> None:
        _write(kind, output, subjects, seed, header=header, json=json)


_add("purchases", 1000, "Purchases: customer, date, goods, price, quantity (the shape of the PWS Cup 2018 T).")
_add("trajectories", 1000, "Trajectories of commuters: user, time, lat, lon.")
_add("health", 4190, "Health table: the twelve columns of the PWS Cup 2021 B, one row per person.")
_add("master", 400, "Master and transactions: the T and, beside it, the M of PWS Cup 2016.")
