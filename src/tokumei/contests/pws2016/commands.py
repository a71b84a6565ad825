"""``tokumei pws2016``: the commands of the PWS Cup 2016 rule set."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokumei.cli.examples import add_examples
from tokumei.cli.output import (
    SHOWN_FINDINGS,
    JsonFlag,
    LanguageOption,
    SeedOption,
    SettingsOption,
    check_language,
    finish,
    progress_bars,
    show_findings,
    show_table,
    tell,
    warn,
    warn_of_seed,
    with_settings,
)
from tokumei.words import percent

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.contests.pws2016.rules import Rules2016

app = typer.Typer(no_args_is_help=True)

MArgument = Annotated[Path, typer.Argument(metavar="M", help="The original master.")]
TArgument = Annotated[Path, typer.Argument(metavar="T", help="The original transactions.")]
M1Argument = Annotated[Path, typer.Argument(metavar="M1", help="The anonymized master M'.")]
T1Argument = Annotated[Path, typer.Argument(metavar="T1", help="The anonymized transactions T'.")]
PArgument = Annotated[Path, typer.Argument(metavar="P", help="The rows of M behind those of M1 (secret).")]
QArgument = Annotated[Path, typer.Argument(metavar="Q", help="The attacker's estimate of P.")]
FolderOption = Annotated[Path, typer.Option("--output", "-o", help="The new folder to write.")]
CellsOption = Annotated[str, typer.Option("--cells", help="Cells of cmae and cmae2: sex-country or sex.")]
OrphansOption = Annotated[
    str, typer.Option("--orphans", help="Transactions without a row in M1: strict (left out) or original (by M).")
]
ThresholdOption = Annotated[
    int | None, typer.Option("--threshold", min=1, help="Rows that make a top item; default: those of the 100th of T.")
]
ComplementFlag = Annotated[bool, typer.Option("--complement", help="Give ham as the share of equal cells.")]


def _rules(cells: str, orphans: str, threshold: int | None, *, complement: bool = False) -> Rules2016:
    from tokumei.contests.pws2016.contest import Pws2016

    return Pws2016(cells=cells, orphans=orphans, threshold=threshold, complement=complement).rules


def _level(option: str, value: str) -> str:
    from tokumei.errors import ParameterError

    if value not in ("warning", "error"):
        raise ParameterError(f"{option} must be warning or error, got '{value}'", code="usage")
    return value


@app.command()
def prepare(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="Online Retail as Parquet or CSV.")],
    output: FolderOption,
    seed: SeedOption = None,
    json: JsonFlag = False,
) -> None:
    """Cleanse Online Retail into M.csv and T.csv; sex and birthday, which it lacks, are drawn at random."""
    from tokumei.contests.pws2016.online_retail import cleansed, contest_2016, read_online_retail
    from tokumei.data import atomic_folder
    from tokumei.flow import seeded

    with progress_bars():
        master, transactions = contest_2016(cleansed(read_online_retail(data)), rng=seeded(seed))
        with atomic_folder(output) as folder:
            master.write_csv(folder / "M.csv", include_header=False, quote_style="never")
            transactions.write_csv(folder / "T.csv", include_header=False, quote_style="never")
    document = {"customers": master.height, "transactions": transactions.height}
    text = f"{output}: {master.height:,} customers, {transactions.height:,} transactions"
    finish(document, json=json, text=text)


@app.command()
def check(
    m: MArgument,
    t: TArgument,
    m1: Annotated[Path | None, typer.Argument(metavar="[M1]", help="The anonymized master M'.")] = None,
    t1: Annotated[Path | None, typer.Argument(metavar="[T1]", help="The anonymized transactions T'.")] = None,
    p: Annotated[Path | None, typer.Argument(metavar="[P]", help="The rows of M behind those of M1.")] = None,
    q: Annotated[Path | None, typer.Argument(metavar="[Q]", help="The attacker's estimate of P.")] = None,
    ids: Annotated[str, typer.Option("--ids", help="Ids of M left in M1 or T1: warning or error.")] = "warning",
    orphans: Annotated[str, typer.Option("--orphans", help="Ids of T1 without row in M1: warning or error.")] = "error",
    language: LanguageOption = "en",
    json: JsonFlag = False,
) -> None:
    """Check the files against each other; exit status 1 if a rule is broken."""
    from tokumei.contests.pws2016.rules import Files, Rules2016

    spoken = check_language(language)
    files = Files(m=m, t=t, m1=m1, t1=t1, p=p, q=q)
    result = Rules2016().check(files, ids=_level("--ids", ids), orphans=_level("--orphans", orphans))
    warn(*dict.fromkeys(result.warnings))
    document = result.as_dict(None if json else SHOWN_FINDINGS, language=spoken)
    show = partial(show_findings, document=document, names=("file", "line", "column", "code"))
    finish(document, json=json, show=show, status=int(not result.valid))


@app.command()
def utility(
    m: MArgument,
    t: TArgument,
    m1: M1Argument,
    t1: T1Argument,
    p: PArgument,
    cells: CellsOption = "sex-country",
    orphans: OrphansOption = "strict",
    threshold: ThresholdOption = None,
    complement: ComplementFlag = False,
    json: JsonFlag = False,
) -> None:
    """Measure cmae, cmae2, rfm (minus RMSE), ham and topitem."""
    from tokumei.contests.pws2016.rules import Files

    rules = _rules(cells, orphans, threshold, complement=complement)
    found = rules.read(Files(m=m, t=t, m1=m1, t1=t1, p=p))
    scores = rules.utility(found.original, found.release, found.secret)
    warnings = [*found.warnings, *(message for score in scores.values() for message in score.warnings)]
    warn(*dict.fromkeys(warnings))
    values = {name: score.value for name, score in scores.items()}
    rows = [[name, score.value, f"{score.goal.value} is better"] for name, score in scores.items()]
    document = {**values, "warnings": list(dict.fromkeys(warnings))}
    other = _rules(cells, "original" if orphans == "strict" else "strict", threshold, complement=complement)
    readings = other.utility(found.original, found.release, found.secret)
    for name in ("cmae", "cmae2"):
        if readings[name].value != scores[name].value:
            # Transactions without a row of the master are left out, or looked up in M (section 3.3 has an example).
            document[f"{name}_orphans_{other.orphans}"] = readings[name].value
            rows.append([f"{name} (orphans: {other.orphans})", readings[name].value, "the other reading"])
    finish(document, json=json, table=(["measure", "value", ""], rows))


@app.command()
def anonymize(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="ano-ya, ano-tya, ano-sampling, ano-shuffle, ano-divt, ano-groups ...")
    ],
    m: MArgument,
    t: TArgument,
    output: FolderOption,
    seed: SeedOption = None,
    settings: SettingsOption = None,
    json: JsonFlag = False,
) -> None:
    """Anonymize M and T into M1.csv, T1.csv and the secret P.csv of a new folder: publish the first two only."""
    from tokumei.contests.pws2016.rules import Files, Rules2016, find_method
    from tokumei.flow import seeded

    rules, method = Rules2016(), with_settings(find_method(name), settings)
    with progress_bars():
        original = rules.read(Files(m=m, t=t))
        result = rules.anonymize(method, original, output, rng=seeded(seed))
    warn_of_seed(seed)
    warn(*dict.fromkeys(result["warnings"]))
    per = result["pseudonyms_per_customer"]
    text = f"{output}: {result['customers']:,} customers, {result['transactions']:,} transactions, "
    text += f"{per['mean']:.2f} pseudonyms per customer (at most {per['max']:,}); keep P.csv secret"
    finish(result, json=json, text=text)


@app.command()
def attack(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="re-sort, re-tnum, re-totprice, re-rfm, re-goods, re-combined")
    ],
    m: MArgument,
    t: TArgument,
    m1: M1Argument,
    t1: T1Argument,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file Q to write.")] = None,
    seed: SeedOption = None,
    settings: SettingsOption = None,
    json: JsonFlag = False,
) -> None:
    """Guess the row of M behind every row of M1; Q goes to a file, or to standard output without one."""
    from tokumei.contests.pws2016.rules import Files, Rules2016, find_attack
    from tokumei.data import write_text
    from tokumei.flow import seeded

    rules, attacking = Rules2016(), with_settings(find_attack(name), settings)
    with progress_bars():
        found = rules.read(Files(m=m, t=t, m1=m1, t1=t1))
        guesses = rules.attack(attacking, found.original, found.release, rng=seeded(seed)).tolist()
    warn(*dict.fromkeys(found.warnings))
    lines = "".join(f"{row}\n" for row in guesses)
    if output is not None:
        write_text(output, lines)

    def show(console: Console) -> None:
        if output is None:
            console.print(lines, end="")
        else:
            console.print(f"{output}: {len(guesses):,} guesses by {name}")

    finish({"guesses": guesses}, json=json, show=show)


@app.command()
def safety(p: PArgument, q: QArgument, json: JsonFlag = False) -> None:
    """Count the rows that Q names right: the re-identification rate."""
    from tokumei.contests.pws2016.rules import Rules2016

    result = Rules2016().safety(p, q)
    text = f"{result.hits:,} of {result.n:,} right: {percent(result.rate)} (by chance {percent(result.control)})"
    finish(result.as_dict(), json=json, text=text)


@app.command()
def evaluate(
    m: MArgument,
    t: TArgument,
    m1: M1Argument,
    t1: T1Argument,
    p: PArgument,
    cells: CellsOption = "sex-country",
    orphans: OrphansOption = "strict",
    threshold: ThresholdOption = None,
    seed: SeedOption = 0,
    json: JsonFlag = False,
) -> None:
    """Measure all utilities and run all attacks; exit status 1 if the release is invalid, inconsistent or unsafe."""
    from tokumei.contests.pws2016.rules import Files
    from tokumei.flow import seeded

    rules = _rules(cells, orphans, threshold)
    with progress_bars():
        found = rules.read(Files(m=m, t=t, m1=m1, t1=t1, p=p))
        result = rules.evaluate(found.original, found.release, found.secret, rng=seeded(seed))
    warn(*dict.fromkeys(found.warnings))
    document = {"valid": found.orphans == 0, **result, "warnings": list(found.warnings)}
    negative = result["unsafe"] or found.orphans > 0
    finish(document, json=json, show=lambda console: _show_evaluation(console, result), status=int(negative))


def _show_evaluation(console: Console, result: dict[str, Any]) -> None:
    show_table(console, ["utility", "value"], list(result["utility"].items()))
    names = list(result["attacks"])
    rows = [
        [name, result["hits"][name], percent(result["attacks"][name]), percent(result["controls"][name])]
        for name in names
    ]
    show_table(console, ["attack", "hits", "rate", "by chance"], rows, title=f"{result['n']:,} customers")
    console.print(
        f"highest rate: {percent(result['reid_max'])}; P consistent: {'yes' if result['consistent'] else 'no'}"
    )
    console.print(result["verdict"].replace("-", " "), style="red" if result["unsafe"] else "green")
    for reason in result["reasons"]:
        console.print(f"{reason['sentence']} {reason['remedy']}".strip())


@app.command()
def audit(
    m: MArgument,
    t: TArgument,
    m1: M1Argument,
    t1: T1Argument,
    p: PArgument,
    sensitive: Annotated[
        list[str] | None,
        typer.Option("--sensitive", metavar="COLUMN", help="A column to be inferred (default: those of the master)."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Two attackers only, on fewer people.")] = False,
    seed: SeedOption = 0,
    language: LanguageOption = "en",
    json: JsonFlag = False,
) -> None:
    """Tell what attackers learn who know little: attributes (risk 2) and linkage with other data (risk 3).

    Every figure stands beside the same attacker's figure on a release without the person.
    """
    from tokumei.audits import Question
    from tokumei.contests.pws2016.files import MASTER_COLUMNS
    from tokumei.contests.pws2016.messages import HOME
    from tokumei.contests.pws2016.rules import Files, Rules2016
    from tokumei.flow import seeded
    from tokumei.words import Words, figure_name

    words = Words(check_language(language))
    rules = Rules2016()
    with progress_bars():
        found = rules.read(Files(m=m, t=t, m1=m1, t1=t1, p=p))
        asked = sensitive or MASTER_COLUMNS[1:]
        original, release, secret = found.original, found.release, found.secret
        answers = rules.audit(original, release, secret, rng=seeded(seed), sensitive=asked, quick=quick)
    warn(*dict.fromkeys(found.warnings))
    told = {question: answers[question] for question in (Question.ATTRIBUTES, Question.CONTENTS)}

    def show(console: Console) -> None:
        headers = words.of(HOME).each("audit", "figure", "value", "interval", "without")
        for question, answer in told.items():
            rows = [
                [
                    figure_name(name, words),
                    percent(score.value),
                    "-"
                    if score.interval is None
                    else f"{percent(score.interval.low)} - {percent(score.interval.high)}",
                    "-" if score.baseline is None else percent(score.baseline),
                ]
                for name, score in answer.figures.items()
            ]
            show_table(console, headers, rows, title=words(f"question.{question.value}"))

    finish({question.value: answer.as_dict() for question, answer in told.items()}, json=json, show=show)


@app.command()
def table(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="Online Retail as Parquet or CSV.")],
    seed: SeedOption = 1,
    into: Annotated[Path | None, typer.Option("--into", help="Renew the table between the marks of this page.")] = None,
    json: JsonFlag = False,
) -> None:
    """Evaluate the five sample anonymizers on the cleansed data: the table of docs/pws2016.md, as Markdown."""
    import sys

    from tokumei.contests.pws2016.online_retail import cleansed, contest_2016, read_online_retail
    from tokumei.contests.pws2016.rules import Rules2016
    from tokumei.contests.pws2016.shop import shop_history
    from tokumei.contests.pws2016.table import markdown, renewed
    from tokumei.data import write_text
    from tokumei.flow import seeded

    with progress_bars():
        original = shop_history(*contest_2016(cleansed(read_online_retail(data)), rng=seeded(seed)))
        rows = Rules2016().sample_table(original, seed=seed or 0)
    text = markdown(rows)
    if into is not None:
        write_text(into, renewed(into, text))
        tell(f"{into}: the table is renewed")

    def show(_console: Console) -> None:
        sys.stdout.write("" if into else text)

    finish({"rows": rows}, json=json, show=show)


add_examples(app, "tokumei.contests.pws2016", "pws2016")
