"""``tokumei pws2021``: the commands of the PWS Cup 2021 rule set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokumei.cli.examples import add_examples
from tokumei.cli.output import SHOWN_FINDINGS, JsonFlag, StrictFlag, finish, show_table, warn
from tokumei.contests.pws2021 import poster_commands, run_commands
from tokumei.contests.pws2021.run_commands import B, D, X

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.contests.pws2021.checker import Checked

app = typer.Typer(no_args_is_help=True)
run_commands.register(app)
poster_commands.register(app)

C = Annotated[Path, typer.Argument(metavar="C", help="B without the deleted rows.")]
Table = Annotated[Path, typer.Argument(metavar="TABLE", help="B, C or D.")]


def _finish_check(checked: Checked, *, json: bool) -> None:
    def show(console: Console) -> None:
        found = [*checked.errors, *checked.warnings]
        if found:
            rows = [[file, f.line or "", f.column or "", f.code, f.message] for file, f in found[:SHOWN_FINDINGS]]
            show_table(console, ["file", "line", "column", "code", "what is wrong"], rows)
        counts = f"{len(checked.errors):,} errors, {len(checked.warnings):,} warnings"
        console.print(f"{'valid' if checked.valid else 'invalid'}: {counts}", style="green" if checked.valid else "red")

    finish(checked.as_dict(), json=json, show=show, status=int(not checked.valid))


@app.command("check-dx")
def check_dx(b: B, d: D, x: X, strict: StrictFlag = False, json: JsonFlag = False) -> None:
    """Check D and X against B by the official rules; exit status 1 if a rule is broken."""
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021

    _finish_check(Rules2021(strict=strict).check_dx(HealthFile.read(b, "B"), d, x), json=json)


@app.command("check-e")
def check_e(
    b: B,
    e: Annotated[Path, typer.Argument(metavar="E", help="The guesses, three per test row.")],
    json: JsonFlag = False,
) -> None:
    """Check the guesses E by the official rules; exit status 1 if a rule is broken."""
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021

    _finish_check(Rules2021().check_e(HealthFile.read(b, "B"), e), json=json)


@app.command()
def uniqrt(
    c: C,
    population: Annotated[int, typer.Option("--population", min=1, help="The number of rows of B.")] = 4190,
    json: JsonFlag = False,
) -> None:
    """Count the rows that are alone with their rounded attributes."""
    from tokumei.contests.pws2021.metrics.uniqueness_rate import uniqueness_rate
    from tokumei.contests.pws2021.rules import HealthFile

    figures = uniqueness_rate(HealthFile.read(c, "C").table, population=population).as_dict()
    # Named as in the figures of the official program.
    named = {"rate_rows": figures["of_rows"], f"rate_{population}": figures["of_population"]}
    finish({**figures, **named}, json=json, table=(["measure", "value"], list(figures.items())))


@app.command()
def iloss(c: C, d: D, json: JsonFlag = False) -> None:
    """Measure the information loss of D against C, row by row."""
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021

    figures = Rules2021().iloss(HealthFile.read(c, "C"), HealthFile.read(d, "D")).as_dict()
    # The official program names columns by their number.
    numbered = {row: {**parts, "1": parts["age"], "5": parts["bmi"]} for row, parts in figures.items()}
    finish(numbered, json=json, table=_by_row(figures))


def _by_row(figures: dict[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """Return a table with the rows max and mean."""
    names = list(figures["max"])
    return ["", *names], [[row, *(figures[row][name] for name in names)] for row in figures]


@app.command()
def umark(b: B, d: D, strict: StrictFlag = False, json: JsonFlag = False) -> None:
    """Measure how far counts, odds ratios and correlations of D are from those of B."""
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021

    found, warnings = Rules2021(strict=strict).umark(HealthFile.read(b, "B"), HealthFile.read(d, "D"))
    warn(*warnings)
    figures: dict[str, Any] = found.as_dict()
    finish({**figures, "warnings": warnings}, json=json, table=_by_row(figures))


@app.command()
def ccount(table: Table, json: JsonFlag = False) -> None:
    """Count rows by every explanatory value and dia."""
    from tokumei.contests.pws2021.measures import cross_counts
    from tokumei.contests.pws2021.rules import HealthFile

    rows = cross_counts(HealthFile.read(table, "D").table).listed()
    finish({"ccount": rows}, json=json, table=(["value", "dia", "cnt", "rate"], rows))


@app.command()
def odds(table: Table, json: JsonFlag = False) -> None:
    """Fit the logistic regression of dia."""
    from tokumei.contests.pws2021.measures import fit_odds
    from tokumei.contests.pws2021.rules import HealthFile

    found = fit_odds(HealthFile.read(table, "D").table, file=str(table))
    if found.separated:
        warn(f"no finite odds ratio for {', '.join(found.separated)} (a value with no or only positives)")
    terms = found.as_dict()
    rows = [[term, *figures.values()] for term, figures in terms.items()]
    document = {"odds": terms, "separated": list(found.separated)}
    finish(document, json=json, table=(["term", "Coef", "OR", "pvalue"], rows))


@app.command()
def cor(table: Table, json: JsonFlag = False) -> None:
    """Correlate all columns, nominal ones as 0/1 columns per value; gh and mets are left out."""
    from tokumei.contests.pws2021.measures import correlations
    from tokumei.contests.pws2021.rules import HealthFile

    names, matrix = correlations(HealthFile.read(table, "D").table)
    rows = [[name, *row] for name, row in zip(names, matrix.tolist(), strict=True)]
    finish({"columns": list(names), "matrix": matrix}, json=json, table=(["", *names], rows))


@app.command()
def lmark(
    ea: Annotated[Path, typer.Argument(metavar="EA", help="The true row in D of every test row, -1 if deleted.")],
    e: Annotated[Path, typer.Argument(metavar="E", help="The guesses, three per test row.")],
    strict: StrictFlag = False,
    json: JsonFlag = False,
) -> None:
    """Judge guesses: recall and precision of membership, top-3 linkage, and the risk, their product."""
    from tokumei.contests.pws2021.rules import Rules2021

    found = Rules2021(strict=strict).lmark(ea, e)
    warn(*found.warnings)
    figures = found.as_dict()
    table = (["measure", "value"], list(figures.items()))
    finish({**figures, "warnings": list(found.warnings)}, json=json, table=table)


@app.command()
def evaluate(
    b: B,
    d: D,
    x: X,
    strict: StrictFlag = False,
    contest_round: Annotated[str, typer.Option("--round", help="Whose limits apply: preliminary or final.")] = "final",
    json: JsonFlag = False,
) -> None:
    """Check D and X and compare every figure with its limit; exit status 1 if one is broken."""
    from tokumei.contests.pws2021.contest import Pws2021
    from tokumei.contests.pws2021.rules import HealthFile

    result = Pws2021(strict=strict, round=contest_round).rules.evaluate(HealthFile.read(b, "B"), d, x)
    warn(*result["warnings"][:SHOWN_FINDINGS])

    def show(console: Console) -> None:
        rows = [[name, *found.values()] for name, found in result["limits"].items()]
        if rows:
            show_table(console, ["limit", "value", "limit", "kept", "margin"], rows)
        console.print("passes" if result["passes"] else "fails", style="green" if result["passes"] else "red")

    finish(result, json=json, show=show, status=int(not result["passes"]))


add_examples(app, "tokumei.contests.pws2021", "pws2021")
