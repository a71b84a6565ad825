"""``tokumei pws2021``: the commands of the PWS Cup 2021 rule set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokumei.cli.examples import add_examples
from tokumei.cli.output import JsonFlag, finish, show_table, warn
from tokumei.contests.pws2021 import run_commands as pws2021_runs

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.contests.pws2021.checker import Checked

app = typer.Typer(no_args_is_help=True)
pws2021_runs.register(app)

B = Annotated[Path, typer.Argument(metavar="B", help="The original table.")]
C = Annotated[Path, typer.Argument(metavar="C", help="B without the deleted rows.")]
D = Annotated[Path, typer.Argument(metavar="D", help="The anonymized table.")]
X = Annotated[Path, typer.Argument(metavar="X", help="The deleted rows of B, counted from 0.")]
Table = Annotated[Path, typer.Argument(metavar="TABLE", help="B, C or D.")]
StrictFlag = Annotated[
    bool, typer.Option("--strict", help="Replace oddities of the official programs by the resolution of the spec.")
]
SHOWN = 20


def _finish_check(checked: Checked, *, json: bool) -> None:
    def show(console: Console) -> None:
        found = [*checked.errors, *checked.warnings]
        if found:
            rows = [[file, f.line or "", f.column or "", f.code, f.message] for file, f in found[:SHOWN]]
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
    finish(figures, json=json, show=lambda console: show_table(console, ["measure", "value"], list(figures.items())))


@app.command()
def iloss(c: C, d: D, json: JsonFlag = False) -> None:
    """Measure the information loss of D against C, row by row."""
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021

    figures = Rules2021().iloss(HealthFile.read(c, "C"), HealthFile.read(d, "D")).as_dict()
    finish(figures, json=json, show=lambda console: _show_rows(console, figures))


def _show_rows(console: Console, figures: dict[str, Any]) -> None:
    """Print a table with the rows max and mean."""
    names = list(figures["max"])
    rows = [[row, *(figures[row][name] for name in names)] for row in figures]
    show_table(console, ["", *names], rows)


@app.command()
def umark(b: B, d: D, strict: StrictFlag = False, json: JsonFlag = False) -> None:
    """Measure how far counts, odds ratios and correlations of D are from those of B."""
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021

    found, warnings = Rules2021(strict=strict).umark(HealthFile.read(b, "B"), HealthFile.read(d, "D"))
    for message in warnings:
        warn(message)
    figures: dict[str, Any] = found.as_dict()
    finish({**figures, "warnings": warnings}, json=json, show=lambda console: _show_rows(console, figures))


@app.command()
def ccount(table: Table, json: JsonFlag = False) -> None:
    """Count rows by every explanatory value and dia."""
    from tokumei.contests.pws2021.measures import cross_counts
    from tokumei.contests.pws2021.rules import HealthFile

    rows = cross_counts(HealthFile.read(table, "D").table).listed()
    show = ["value", "dia", "cnt", "rate"]
    finish({"ccount": rows}, json=json, show=lambda console: show_table(console, show, rows))


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
    headers = ["term", "Coef", "OR", "pvalue"]
    document = {"odds": terms, "separated": list(found.separated)}
    finish(document, json=json, show=lambda console: show_table(console, headers, rows))


@app.command()
def cor(table: Table, json: JsonFlag = False) -> None:
    """Correlate all columns, nominal ones as 0/1 columns per value; gh and mets are left out."""
    from tokumei.contests.pws2021.measures import correlations
    from tokumei.contests.pws2021.rules import HealthFile

    names, matrix = correlations(HealthFile.read(table, "D").table)
    rows = [[name, *row] for name, row in zip(names, matrix.tolist(), strict=True)]
    document = {"columns": list(names), "matrix": matrix}
    finish(document, json=json, show=lambda console: show_table(console, ["", *names], rows))


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
    for message in found.warnings:
        warn(message)
    figures = found.as_dict()
    document = {**figures, "warnings": list(found.warnings)}
    finish(document, json=json, show=lambda console: show_table(console, ["measure", "value"], list(figures.items())))


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
    for message in result["warnings"][:SHOWN]:
        warn(message)

    def show(console: Console) -> None:
        rows = [[name, *found.values()] for name, found in result["limits"].items()]
        if rows:
            show_table(console, ["limit", "value", "limit", "kept", "margin"], rows)
        console.print("passes" if result["passes"] else "fails", style="green" if result["passes"] else "red")

    finish(result, json=json, show=show, status=int(not result["passes"]))


EXAMPLES = {
    "pws2021 anonymize": ("pws2021 anonymize team06 B.csv -o D.csv -x X.csv",),
    "pws2021 attack": ("pws2021 attack likelihood CT.csv D.csv -o E.csv",),
    "pws2021 risk": ("pws2021 risk B.csv D.csv X.csv --draws 20",),
    "pws2021 rlink": ("pws2021 rlink CT.csv D.csv -o E.csv",),
    "pws2021 pick": ("pws2021 pick B.csv X.csv -o CT.csv --answers EA.csv",),
    "pws2021 join": ("pws2021 join C.csv D.csv -o joined.csv",),
    "pws2021 exclude": ("pws2021 exclude B.csv X.csv -o C.csv",),
    "pws2021 synth": ("pws2021 synth B.csv -o synthetic.csv",),
    "pws2021 seed-guess": ("pws2021 seed-guess B.csv CT.csv --first 0 --last 1000",),
    "pws2021 check-dx": ("pws2021 check-dx B.csv D.csv X.csv",),
    "pws2021 check-e": ("pws2021 check-e B.csv E.csv",),
    "pws2021 uniqrt": ("pws2021 uniqrt C.csv",),
    "pws2021 iloss": ("pws2021 iloss C.csv D.csv",),
    "pws2021 umark": ("pws2021 umark B.csv D.csv",),
    "pws2021 ccount": ("pws2021 ccount B.csv",),
    "pws2021 odds": ("pws2021 odds B.csv",),
    "pws2021 cor": ("pws2021 cor B.csv",),
    "pws2021 lmark": ("pws2021 lmark EA.csv E.csv",),
    "pws2021 evaluate": ("pws2021 evaluate B.csv D.csv X.csv",),
}
add_examples(app, "pws2021 ", EXAMPLES)
