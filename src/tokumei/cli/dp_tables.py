"""``tokumei dp-tables``: counts and sums of a history under differential privacy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.options import InputArgument, SchemaOption, SubjectOption, original
from tokumei.cli.output import JsonFlag, finish, progress_bars, show_table, warn
from tokumei.errors import ParameterError
from tokumei.words import percent

if TYPE_CHECKING:
    from rich.console import Console

SHOWN_ROWS = 20
BudgetOption = Annotated[
    str | None,
    typer.Option("--budget", metavar="EPSILON[,DELTA]", help="The total for all tables of a new ledger, said once."),
]


def dp_tables(
    data: InputArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder to create.")],
    by: Annotated[list[str], typer.Option("--by", metavar="KEY", help="goods, date:month, price:10; repeatable.")],
    epsilon: Annotated[float, typer.Option("--epsilon", help="What the table may cost; smaller is more private.")],
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", help="people, records (default) or sum:COLUMN:LOW:HIGH; repeatable."),
    ] = None,
    delta: Annotated[float, typer.Option("--delta", help="Needed for keys of the data and Gaussian noise.")] = 0.0,
    cells: Annotated[int, typer.Option("--cells", help="Cells that one person may count in.")] = 12,
    records: Annotated[int, typer.Option("--records", help="Records of a person that count in a cell.")] = 5,
    noise: Annotated[str, typer.Option("--noise", help="laplace, or gaussian (better for many cells).")] = "laplace",
    keys: Annotated[
        Path | None,
        typer.Option("--keys", metavar="FILE", help="The keys to publish, known from elsewhere than the data (CSV)."),
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option("--ledger", metavar="FOLDER", help="Adds up what is spent, and refuses more.")
    ] = None,
    budget: BudgetOption = None,
    canaries: Annotated[
        int, typer.Option("--canaries", min=0, help="Also try so many runs to disprove epsilon; status 1 if they do.")
    ] = 0,
    schema: SchemaOption = None,
    subject: SubjectOption = None,
    json: JsonFlag = False,
) -> None:
    """Make a table or time series that is differentially private for whole people, whatever an attacker knows.

    Two data sets are neighbours if one has all records of one person more. Bounds (--cells, --records, LOW, HIGH) and
    keys must come from public knowledge, never from the data. There is no seed: the noise is OpenDP's.
    """
    from tokumei.aggregates import Measure, NoiseName, TableRequest
    from tokumei.data import check_folder_target, read_table
    from tokumei.flow import private_table, try_canaries
    from tokumei.ledgers import Budget, Ledger

    if noise not in {one.value for one in NoiseName}:
        raise ParameterError(f"--noise must be laplace or gaussian, got '{noise}'", code="usage")
    if budget is not None and ledger is None:
        raise ParameterError("--budget goes with --ledger, which adds up what is spent", code="usage")
    request = TableRequest(
        by=tuple(by),
        measures=tuple(Measure.of(text) for text in measure or ["records"]),
        epsilon=epsilon,
        delta=delta,
        cells=cells,
        records=records,
        noise=NoiseName(noise),
    )
    check_folder_target(output)
    total = None if budget is None else Budget.read(budget)
    book = None if ledger is None else Ledger.open(ledger)
    with progress_bars():
        listed = None if keys is None else read_table(keys)
        made = private_table(original(data, schema, subject=subject), request, keys=listed, ledger=book, budget=total)
        manifest = made.write(output)
        bound = try_canaries(made.table, runs=canaries) if canaries else None
    if book is None:
        warn("no ledger adds up what is spent: every further table of these people costs its epsilon again")
    left = made.budget
    document = {
        "folder": str(output),
        **manifest,
        "budget": None if left is None else left.as_dict(),
        "canaries": None if bound is None else bound.as_dict(),
    }
    claimed = made.table.spent[-1].cost.epsilon
    disproved = bound is not None and bound.disproves(claimed)

    def show(console: Console) -> None:
        table = made.table
        console.print(
            f"{output}: {table.data.height:,} rows, epsilon = {table.epsilon:.4g}, delta = {table.delta:.4g}",
            style="bold",
        )
        show_table(console, table.data.columns, table.data.head(SHOWN_ROWS).rows())
        rows = [
            [part.what, f"{part.cost.epsilon:.4g}", f"{part.cost.delta:.3g}", f"{part.cost.scale:.4g}", part.largest]
            for part in table.spent
        ]
        show_table(console, ["spent on", "epsilon", "delta", "scale of the noise", "a person changes a cell by"], rows)
        if left is not None:
            console.print(
                f"Budget: epsilon {left.spent_epsilon:.4g} of {left.epsilon:g}, "
                f"delta {left.spent_delta:.3g} of {left.delta:g} are spent."
            )
        if bound is not None:
            told = "disprove it" if disproved else "do not disprove it"
            console.print(
                f"Canaries: epsilon of '{table.spent[-1].what}' is at least {bound.epsilon:.3f} "
                f"({percent(bound.confidence)} sure, {bound.runs:,} runs each); "
                f"{claimed:.4g} is claimed, and they {told}."
            )

    finish(document, json=json, show=show, status=int(disproved))
