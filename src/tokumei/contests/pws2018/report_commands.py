"""``tokumei pws2018 results``, ``survival`` and ``correlations``: the report's findings by experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tokumei.cli.output import ChartLanguage, JsonFlag, SeedOption, check_language, finish, progress_bars

T = Annotated[Path, typer.Argument(metavar="T", help="The original transactions.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (results, survival, correlations):
        app.command()(command)


def results(json: JsonFlag = False) -> None:
    """Rank the teams of the final by the rule of the contest: table 3 of the report."""
    from tokumei.contests.pws2018.printed_figures import published_result

    ranked = published_result().sort("hit", "U", "team", maintain_order=True)
    rows = [
        {"rank": None if row["hit"] else place, "team": row["team"], "U": row["U"], "effective": row["hit"]}
        for place, row in enumerate(ranked.to_dicts(), 1)
    ]
    shown = [
        ["-" if row["rank"] is None else row["rank"], row["team"], row["U"], "yes" if row["effective"] else "no"]
        for row in rows
    ]
    finish({"results": rows}, json=json, table=(["rank", "team", "U", "effectively re-identified"], shown))


def survival(
    t: T,
    attacks: Annotated[int, typer.Option("--attacks", min=1, help="How many teams attack a file.")] = 12,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="How often each file goes through that.")] = 1000,
    seed: SeedOption = 0,
    json: JsonFlag = False,
) -> None:
    """Make the five kinds of files of table 5, attack each as in the contest, and show how many survive."""
    from tokumei.contests.pws2018.printed_figures import published_kinds
    from tokumei.contests.pws2018.rules import Original
    from tokumei.contests.pws2018.survival import survival_rows
    from tokumei.flow import seeded

    with progress_bars():
        history = Original.read(t).history
        rows = survival_rows(history, published_kinds(), attacks=attacks, rounds=rounds, rng=seeded(seed))
    names = ["kind", "guesses", "expected", "survives", "low", "high", "files", "survived"]
    finish({"survival": rows}, json=json, table=(names, [[row[name] for name in names] for row in rows]))


def correlations(
    t: T,
    releases: Annotated[int, typer.Option("--releases", min=5, help="How many releases to make.")] = 300,
    customers: Annotated[
        int, typer.Option("--customers", min=10, help="Customers drawn from T, the same for all releases.")
    ] = 100,
    whole: Annotated[bool, typer.Option("--whole", help="Delete and suppress nothing.")] = False,
    support: Annotated[
        int | None, typer.Option("--support", min=1, help="Baskets of a frequent set (default: the report's share).")
    ] = None,
    chart: Annotated[
        Path | None, typer.Option("--chart", metavar="FILE.svg", help="Draw U against three use cases.")
    ] = None,
    language: ChartLanguage = "en",
    seed: SeedOption = 0,
    json: JsonFlag = False,
) -> None:
    """Correlate U with the use cases over releases of unlike methods and strengths, beside the report's 13 teams."""
    from tokumei.contests.pws2018.messages import HOME
    from tokumei.contests.pws2018.printed_figures import printed_correlations
    from tokumei.contests.pws2018.rules import Original
    from tokumei.contests.pws2018.utility_correlations import ALL, correlate_utility
    from tokumei.contests.pws2018.utility_correlations_chart import correlations_chart
    from tokumei.data import write_text
    from tokumei.flow import seeded
    from tokumei.words import Words

    words = Words(check_language(language), HOME)
    with progress_bars():
        history = Original.read(t).history
        rows, figures = correlate_utility(
            history, releases=releases, deletion=not whole, rng=seeded(seed), support=support, customers=customers
        )
    if chart is not None:
        write_text(chart, correlations_chart(figures, words))
    printed = {name: value for (table, name), value in printed_correlations().items() if table in (6, 7)}
    means = {"mean_date": 8, "mean_price": 9, "mean_quantity": 10}
    printed |= {name: printed_correlations()[table, "mean"] for name, table in means.items()}
    rows = [{**row, "report": printed.get(row["measure"]) if row["method"] == ALL else None} for row in rows]
    shown = [["-" if value is None else value for value in row.values()] for row in rows]
    finish({"correlations": rows, "releases": figures}, json=json, table=(list(rows[0]), shown))
