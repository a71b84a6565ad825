"""``tokumei pws2018 audit``, ``threshold``, ``power`` and ``tables``: the figures behind the contest and its report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tokumei.cli.audit import GuessOption, KOption, LimitOption, finish_audit
from tokumei.cli.audit import SeedOption as ChainSeedOption
from tokumei.cli.output import (
    ChartLanguage,
    JsonFlag,
    SeedOption,
    check_language,
    finish,
    progress_bars,
    show_table,
    warn,
)

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.contests.pws2018.report_tables import ReportTables

POption = Annotated[str, typer.Option("--p", help="Allowed probability per person, exact: 1/3 or 0.25.")]
AlphaOption = Annotated[str, typer.Option("--alpha", help="Level of the test, exact: 0.01/20 or 0.0005.")]
SHOWN = 30
LARGEST_CLASS = 100


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (audit, threshold, power, tables):
        app.command()(command)
    app.command("class-size")(class_size)


def audit(
    t: Annotated[Path, typer.Argument(metavar="T", help="The original transactions.")],
    a: Annotated[Path, typer.Argument(metavar="A", help="The anonymized transactions; A1 works without true hits.")],
    k: KOption = None,
    time_limit: LimitOption = None,
    guess_seeds: GuessOption = 0,
    seed: ChainSeedOption = 0,
    json: JsonFlag = False,
) -> None:
    """Audit A (aligned with T) or A1 as its strongest attacker; exit status 1 if it is unsafe."""
    from tokumei.contests.pws2018.rules import Original, Rules2018

    with progress_bars():
        result = Rules2018().audit(Original.read(t), a, k=k, time_limit=time_limit, seed=seed, guess_seeds=guess_seeds)
    finish_audit(result, json=json, contest=True)


def threshold(
    max_n: Annotated[int, typer.Option("--max-n", min=0, max=1_000_000, help="The largest number of guesses.")],
    p: POption = "1/3",
    alpha: AlphaOption = "0.01/20",
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="R.csv", help="Write lines n,r(n).")] = None,
    json: JsonFlag = False,
) -> None:
    """Compute the thresholds r(n) and the sharp ones: how many right guesses show a file unsafe."""
    from tokumei.audits import generator_defects, official_thresholds, parse_rational, sharp_thresholds
    from tokumei.data import write_text

    probability, level = parse_rational(p, name="--p"), parse_rational(alpha, name="--alpha")
    official = official_thresholds(max_n, p=probability, alpha=level)
    sharp = sharp_thresholds(max_n, p=probability, alpha=level)
    if defects := generator_defects(official):
        warn(f"the official generator writes 0 for n = {defects[0]}..{defects[-1]}; the definition gives 1, used here")
    if output is not None:
        write_text(output, "".join(f"{n},{value}\n" for n, value in enumerate(official)))

    def show(console: Console) -> None:
        step = max(max_n // SHOWN, 1)
        rows = [[n, official[n], sharp[n]] for n in range(0, max_n + 1, step)]
        show_table(console, ["guesses", "official r", "sharp r"], rows)

    finish({"p": str(probability), "alpha": str(level), "r": official, "sharp": sharp}, json=json, show=show)


def power(
    k: Annotated[str, typer.Option("--k", help="Class sizes, separated by commas.")] = "2,3,4,5",
    max_n: Annotated[int, typer.Option("--max-n", min=1, max=1000, help="The largest number of guesses.")] = 100,
    attempts: Annotated[int, typer.Option("--attempts", min=1, help="How many teams attack.")] = 13,
    untouched: Annotated[
        str, typer.Option("--untouched", help="Customers left as they are beside k-anonymity of the rest; commas.")
    ] = "0",
    p: POption = "1/3",
    alpha: AlphaOption = "0.01/20",
    chart: Annotated[Path | None, typer.Option("--chart", metavar="FILE.svg", help="Draw the curves.")] = None,
    language: ChartLanguage = "en",
    json: JsonFlag = False,
) -> None:
    """Show how likely k-anonymized data is caught by an attacker who knows the classes, for both tests."""
    from tokumei.audits import parse_rational
    from tokumei.contests.pws2018.messages import HOME
    from tokumei.contests.pws2018.power import best_attempts, power_table
    from tokumei.errors import ParameterError
    from tokumei.words import Words

    words = Words(check_language(language), HOME)
    sizes, alone = _numbers("--k", k), _numbers("--untouched", untouched)
    if not all(1 <= size <= LARGEST_CLASS for size in sizes):
        raise ParameterError(f"--k takes class sizes from 1 to {LARGEST_CLASS}, got '{k}'", code="usage")
    probability, level = parse_rational(p, name="--p"), parse_rational(alpha, name="--alpha")
    table = power_table(sizes, max_n, p=probability, alpha=level, attempts=attempts, untouched=alone)
    best = best_attempts(table)
    if chart is not None:
        from tokumei.data import write_text
        from tokumei.reports import curves

        titles = (words("chart.guesses"), words("chart.caught"))
        series = (
            table["k"].cast(str) if len(alone) == 1 else table["k"].cast(str) + ", a = " + table["untouched"].cast(str)
        )
        rows = table.select("n", "caught", "test", k=series).to_dicts()
        write_text(chart, curves(rows, x="n", y="caught", series="k", dash="test", titles=titles))

    def show(console: Console) -> None:
        names = ["untouched", "k", "test", "n", "threshold", "caught", "survives"]
        title = f"the best number of guesses up to {max_n}, and surviving {attempts} attempts"
        show_table(console, names, [[row[name] for name in names] for row in best.to_dicts()], title=title)

    finish({"power": table.to_dicts(), "best": best.to_dicts()}, json=json, show=show)


def _numbers(option: str, text: str) -> list[int]:
    """Return whole numbers separated by commas."""
    from tokumei.errors import ParameterError

    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise ParameterError(f"{option} takes whole numbers separated by commas, got '{text}'", code="usage") from None


def class_size(
    largest: Annotated[int, typer.Option("--largest", min=1, max=LARGEST_CLASS, help="The largest class.")] = 10,
    p: POption = "1/3",
    json: JsonFlag = False,
) -> None:
    """Show from which k on k-anonymity keeps to the hypothesis H0: 1/k! against p^k."""
    from tokumei.audits import parse_rational
    from tokumei.contests.pws2018.power import class_against_hypothesis

    rows = class_against_hypothesis(largest, p=parse_rational(p, name="--p")).to_dicts()
    table = [[row["k"], row["named"], row["allowed"], "yes" if row["holds"] else "no", row["hardest"]] for row in rows]
    headers = ["k", "whole class named", "H0 allows", "keeps to H0", "hardest set"]
    finish({"class_sizes": rows}, json=json, table=(headers, table))


def tables(
    t_final: Annotated[Path, typer.Argument(metavar="T_FINAL", help="The original of the final round.")],
    submissions: Annotated[Path, typer.Argument(metavar="SUBMISSIONS.parquet", help="The teams' drawn data.")],
    seed: SeedOption = 0,
    fillings: Annotated[
        int, typer.Option("--fillings", min=1, help="How often suppressed cells are drawn for tables 8 to 10.")
    ] = 100,
    dates: Annotated[
        bool, typer.Option("--correct-dates/--dates-as-drawn", help="Take a drawn date as itself or the next day.")
    ] = True,
    json: JsonFlag = False,
) -> None:
    """Reproduce tables 6 to 10 of the contest's report: published and computed values side by side.

    Tables 6 and 7 use one filling of suppressed cells, tables 8 to 10 the mean over --fillings.
    """
    from tokumei.contests.pws2018.report_tables import reproduce_tables
    from tokumei.contests.pws2018.rules import Original
    from tokumei.data import read_table
    from tokumei.flow import seeded

    with progress_bars():
        original = Original.read(t_final)
        found = reproduce_tables(
            original.history, read_table(submissions), rng=seeded(seed), fillings=fillings, correct_dates=dates
        )

    def show(console: Console) -> None:
        for number in sorted(found.figures["table"].unique().to_list()):
            _show_report_table(console, found, number, "one filling" if number < 8 else f"mean of {fillings} fillings")
        correlations = found.correlations
        names = ["table", "measure", "published", "reproduced", "significant", "reproduced_significant"]
        shown = [[_shown(row[name]) for name in names] for row in correlations.to_dicts()]
        headers = ["table", "measure", "printed r", "our r", "printed: significant", "ours: significant"]
        show_table(console, headers, shown, title="correlation with U (section 6.4)")
        rows = found.agreement().rows()
        headers = ["table", "measure", "mean difference", "largest", "mean relative"]
        show_table(console, headers, [[*map(_shown, row)] for row in rows], title="agreement over the teams")
        console.print(f"least significant correlation for 13 teams at 0.05: {found.critical:.4f}")

    document = {
        "figures": found.figures.to_dicts(),
        "correlations": found.correlations.to_dicts(),
        "agreement": found.agreement().to_dicts(),
        "critical_correlation": found.critical,
        "fillings": {"6": 1, "7": 1, "8": fillings, "9": fillings, "10": fillings},
        "dates_corrected": dates,
    }
    finish(document, json=json, show=show)


def _show_report_table(console: Console, found: ReportTables, number: int, filling: str) -> None:
    """Print one table, a block of three columns (published, reproduced, difference) per measure."""
    frame = found.side_by_side(number)
    measures = [name.removesuffix("_published") for name in frame.columns if name.endswith("_published")]
    chosen = found.figures.filter(found.figures["table"] == number)
    comparable = set(chosen.filter(chosen["comparable"])["measure"])
    for measure in measures:
        columns = ["team", f"{measure}_published", f"{measure}_reproduced", f"{measure}_difference"]
        rows = [[*map(_shown, row)] for row in frame.select(columns).rows()]
        if measure not in comparable:
            rows = [[*row[:3], "not comparable"] for row in rows]
        headers = ["team", "published", "reproduced", "difference"]
        show_table(console, headers, rows, title=f"table {number}: {measure} ({filling})")


def _shown(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else value
