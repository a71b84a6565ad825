"""``tokumei pws2018``: the commands of the PWS Cup 2018 rule set."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokumei.cli.examples import add_examples
from tokumei.cli.join import JoinFlag, finish_joined, inputs
from tokumei.cli.output import (
    SHOWN_FINDINGS,
    JsonFlag,
    LanguageOption,
    SeedOption,
    SettingsOption,
    StrictFlag,
    ThreadsOption,
    check_language,
    check_targets,
    finish,
    progress_bars,
    registered,
    show_findings,
    show_table,
    show_verdict,
    warn,
    with_settings,
)
from tokumei.contests.pws2018 import figure_commands, report_commands
from tokumei.errors import ParameterError
from tokumei.words import Words

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.contests.check_result import CheckResult
    from tokumei.contests.pws2018.use_cases import UseCases

app = typer.Typer(no_args_is_help=True)
figure_commands.register(app)
report_commands.register(app)

TArgument = Annotated[Path | None, typer.Argument(metavar="T", help="The original transactions.")]
AArgument = Annotated[Path | None, typer.Argument(metavar="A", help="The anonymized transactions, aligned with T.")]
A1Argument = Annotated[Path | None, typer.Argument(metavar="A1", help="The published transactions.")]
F1Argument = Annotated[Path | None, typer.Argument(metavar="F1", help="The guesses: pseudonym,customer.")]
OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="The file to write.")]
DrawsOption = Annotated[int, typer.Option("--draws", min=1, help="How many plain tables to draw from A.")]
TableOption = Annotated[
    Path | None, typer.Option("--table", metavar="R.csv", help="Threshold table; it wins over the formula.")
]


def _output(path: Path | None, *read: Path | None, join: bool) -> Path | None:
    """Return the file to write; say at once if that cannot be done."""
    if path is None and not join:
        raise ParameterError("name the file to write with -o", code="usage")
    check_targets([path], *read)
    return path


def _finish_check(result: CheckResult, language: str, *, json: bool) -> None:
    document = result.as_dict(None if json else SHOWN_FINDINGS, language=check_language(language))
    show = partial(show_findings, document=document, names=("line", "cell", "code"))
    finish(document, json=json, show=show, status=int(not result.valid))


@app.command()
def check(t: TArgument = None, a: AArgument = None, language: LanguageOption = "en", json: JsonFlag = False) -> None:
    """Check A against T by the official rules; exit status 1 if a rule is broken."""
    from tokumei.contests.pws2018.rules import Original, Rules2018

    with inputs([t, a], "T A", join=False) as (t_file, a_file):
        original = Original.read(t_file)
        result = Rules2018().check(original, a_file)
        other = Rules2018().other_text(original, a_file) if result.valid else None
    if other is not None and len(other):
        # Valid by the official rules: a warning, not a finding.
        warn(other.reason(str(a_file)).message(Words(language, "tokumei.contests.pws2018"), "reason"))
    _finish_check(result, language, json=json)


@app.command("check-guesses")
def check_guesses(
    t: TArgument = None,
    a1: A1Argument = None,
    f1: F1Argument = None,
    language: LanguageOption = "en",
    json: JsonFlag = False,
) -> None:
    """Check guesses F1 against T and A1; exit status 1 if a rule is broken."""
    from tokumei.contests.pws2018.rules import Anonymized, Original, Rules2018

    with inputs([t, a1, f1], "T A1 F1", join=False) as (t_file, a1_file, f1_file):
        published = Anonymized.read(a1_file, published=True)
        result = Rules2018().check_guesses(Original.read(t_file), published, f1_file)
    _finish_check(result, language, json=json)


@app.command()
def publish(a: AArgument = None, output: OutputOption = None, join: JoinFlag = False, json: JsonFlag = False) -> None:
    """Write the published form of A: deleted rows dropped, the rest sorted."""
    from tokumei.contests.pws2018.publishing import published_bytes
    from tokumei.contests.pws2018.rules import Rules2018
    from tokumei.data import read_bytes

    target = _output(output, a, join=join)
    with inputs([a], "A", join=join) as (a_file,):
        if target is None:
            data, _ = published_bytes(read_bytes(a_file, allow_empty=True))
            finish_joined(data.decode().split("\n")[:-1])
        result = Rules2018().publish(a_file, target)
    finish(result, json=json, text=f"{target}: {result['rows']:,} rows")


@app.command()
def utility(
    t: TArgument = None, a: AArgument = None, strict: StrictFlag = False, join: JoinFlag = False, json: JsonFlag = False
) -> None:
    """Measure the information loss U of A; 0 is identical to T."""
    from tokumei.contests.pws2018.rules import Anonymized, Original, Rules2018

    with inputs([t, a], "T A", join=join) as (t_file, a_file):
        score = Rules2018(strict=strict).utility(Original.read(t_file), Anonymized.read(a_file))
    warn(*score.warnings)
    if join:
        finish_joined([repr(score.value)])
    document = {"U": score.value, **{f"il_{name}": value for name, value in score.parts.items()}}
    table = (["measure", "value"], list(document.items()))
    finish({**document, "warnings": list(score.warnings)}, json=json, table=table)


@app.command()
def safety(
    t: TArgument = None,
    a: AArgument = None,
    f1: F1Argument = None,
    table: TableOption = None,
    strict: StrictFlag = False,
    join: JoinFlag = False,
    json: JsonFlag = False,
) -> None:
    """Judge guesses F1: is A shown unsafe, by the official and by the sharp threshold? Exit status 1 if so."""
    from tokumei.contests.pws2018.rules import Anonymized, Original, Rules2018

    files = [table, t, a, f1] if join else [t, a, f1]
    with inputs(files, "R T A F1" if join else "T A F1", join=join) as found:
        if join:
            table = found[0]
        t_file, a_file, f1_file = found[-3:]
        rules = Rules2018(strict=strict)
        test = rules.safety_test(table)
        result = rules.safety(Original.read(t_file), Anonymized.read(a_file), f1_file, test=test)
    warn(*result.warnings)
    if join:
        finish_joined([str(int(result.unsafe))], status=int(result.unsafe))

    def show(console: Console) -> None:
        console.print("unsafe" if result.unsafe else "not shown unsafe", style="red" if result.unsafe else "green")
        for reason in result.verdict().reasons:
            console.print(reason.sentence)

    finish(result.as_dict(), json=json, show=show, status=int(result.unsafe))


@app.command()
def anonymize(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="See 'tokumei methods'.", autocompletion=registered("anonymizers"))
    ],
    t: TArgument = None,
    output: OutputOption = None,
    k: Annotated[int | None, typer.Option("--k", help="How many customers must look alike.")] = None,
    seed: SeedOption = None,
    settings: SettingsOption = None,
    threads: ThreadsOption = None,
    bound: Annotated[
        bool, typer.Option("--bound", help="Also prove how low U can be under any strict k-anonymity.")
    ] = False,
    join: JoinFlag = False,
    json: JsonFlag = False,
) -> None:
    """Anonymize T into a valid A (row i of A belongs to row i of T: keep A secret, publish A1)."""
    from tokumei.contests.pws2018.rules import Original, Rules2018
    from tokumei.flow import make_method, seeded
    from tokumei.parts import find_part, parse_settings

    target = _output(output, t, join=join)
    method = make_method(name, parse_settings(find_part("anonymizer", name), settings or []), k=k, threads=threads)
    with inputs([t], "T", join=join) as (t_file,), progress_bars():
        history = Original.read(t_file).history
        result = Rules2018().anonymize(method, history, target or t_file.with_name("A"), rng=seeded(seed))
        if bound:
            floor = Rules2018().bound(history)
            result |= {"bound": floor.value, "gap": result["U"] / floor.value - 1 if floor.value else None}
            warn(*floor.warnings)
        if target is None:
            finish_joined(t_file.with_name("A").read_text(encoding="utf-8").split("\n")[:-1])
    text = f"{target}: U = {result['U']:.6f}, {result['deleted']:,} of {result['rows']:,} rows deleted, "
    text += f"{result['pseudonyms']:,} pseudonyms"
    text += f"; no strict k-anonymity is below U = {result['bound']:.6f}" if bound else ""
    finish(result, json=json, text=text)


@app.command()
def attack(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="See 'tokumei attacks'.", autocompletion=registered("attacks"))
    ],
    t: TArgument = None,
    a1: A1Argument = None,
    output: OutputOption = None,
    seed: SeedOption = None,
    settings: SettingsOption = None,
    join: JoinFlag = False,
    json: JsonFlag = False,
) -> None:
    """Attack A1 as someone who holds T; write the guesses F1."""
    from tokumei.contests.pws2018.rules import Anonymized, Original, Rules2018
    from tokumei.data import write_text
    from tokumei.flow import seeded
    from tokumei.parts import find_part

    target = _output(output, t, a1, join=join)
    part = with_settings(find_part("attack", name), settings)
    with inputs([t, a1], "T A1", join=join) as (t_file, a1_file), progress_bars():
        published = Anonymized.read(a1_file, published=True)
        guesses = Rules2018().attack(part, Original.read(t_file), published, rng=seeded(seed))
    pairs = [list(pair) for pair in guesses.pairs().rows()]
    lines = [",".join(pair) for pair in pairs]
    if target is None:
        finish_joined(lines)
    write_text(target, "".join(line + "\n" for line in lines))
    finish({"attack": name, "guesses": pairs}, json=json, text=f"{target}: {len(pairs):,} guesses by {name}")


@app.command("use-cases")
def use_cases(
    t: TArgument = None,
    a: AArgument = None,
    draws: DrawsOption = 100,
    seed: SeedOption = 0,
    support: Annotated[int, typer.Option("--support", min=1, help="Baskets in which a frequent set must be.")] = 100,
    largest_set: Annotated[
        int | None, typer.Option("--largest-set", min=1, help="Goods of a frequent set at most (default: any).")
    ] = None,
    dozens: Annotated[int, typer.Option("--dozens", min=0, help="Cap of the wholesale score in dozens (0: none).")] = 6,
    rfm_divisor: Annotated[
        str, typer.Option("--rfm-divisor", help="RFM distance by the largest possible one, or by cells as in 2016.")
    ] = "largest",
    fill_goods: Annotated[
        bool, typer.Option("--fill-goods", help="Draw suppressed goods in baskets too instead of leaving them out.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Measure what A is worth in the use cases of the report: item sets, RFM, item similarity, statistics."""
    from tokumei.contests.pws2018.rules import Anonymized, Original, Rules2018
    from tokumei.contests.pws2018.use_cases import UseCaseOptions
    from tokumei.flow import seeded

    options = UseCaseOptions(
        min_support=support,
        max_set_size=largest_set,
        fill_suppressed_goods=fill_goods,
        rfm_divisor=rfm_divisor,
        dozen_cap=dozens or None,
    )
    with inputs([t, a], "T A", join=False) as (t_file, a_file), progress_bars():
        result = Rules2018().use_cases(
            Original.read(t_file), Anonymized.read(a_file), draws=draws, rng=seeded(seed), options=options
        )
    warn(*result.warnings)

    finish(result.as_dict(), json=json, show=lambda console: _show_use_cases(console, result))


def _show_use_cases(console: Console, result: UseCases) -> None:
    show_table(console, ["use case", "error"], list(result.errors().items()))
    measures = ["sum", "mean", "variance", "sd", "max", "min", "median"]
    rows = [[column, *(found[name] for name in measures)] for column, found in result.statistics.items()]
    show_table(console, ["column", *measures], rows, title="mean absolute differences")


@app.command()
def evaluate(
    t: TArgument = None,
    a: AArgument = None,
    guesses: Annotated[list[Path] | None, typer.Argument(metavar="[F1]...", help="Files of guesses.")] = None,
    table: TableOption = None,
    strict: StrictFlag = False,
    full: Annotated[bool, typer.Option("--full", help="Also the use cases and the audit.")] = False,
    draws: DrawsOption = 100,
    seed: SeedOption = 0,
    json: JsonFlag = False,
) -> None:
    """Check and measure A and judge all files of guesses; exit status 1 if A is invalid or shown unsafe.

    With --full the use cases and the audit are a part of it, and an unsafe audit gives exit status 1 too.
    """
    from tokumei.contests.pws2018.rules import Anonymized, Original, Rules2018
    from tokumei.data import Outcome
    from tokumei.flow import seeded

    rules = Rules2018(strict=strict)
    with inputs([t, a], "T A", join=False) as (t_file, a_file), progress_bars():
        original = Original.read(t_file)
        result = rules.evaluate(original, a_file, guesses or [], test=rules.safety_test(table))
        cases = audited = None
        if full and result["valid"]:
            cases = rules.use_cases(original, Anonymized.read(a_file), draws=draws, rng=seeded(seed))
            audited = rules.audit(original, a_file)
            result |= {"use_cases": cases.as_dict(), "audit": audited.as_dict()}
    warn(*result["warnings"], *(cases.warnings if cases else ()))
    negative = (
        not result["valid"]
        or bool(result["unsafe"])
        or (audited is not None and audited.verdict.outcome is Outcome.UNSAFE)
    )

    def show(console: Console) -> None:
        _show_evaluation(console, result)
        if cases is not None and audited is not None:
            _show_use_cases(console, cases)
            show_verdict(console, audited.verdict, audited.k, contest=True)

    finish(result, json=json, show=show, status=int(negative))


def _show_evaluation(console: Console, result: dict[str, Any]) -> None:
    console.print("valid" if result["valid"] else f"invalid: {result['error_count']:,} findings")
    if result["utility"]:
        show_table(console, ["measure", "value"], list(result["utility"].items()))
    if result["safety"]:
        names = ["file", "n", "hits", "threshold", "sharp_threshold", "unsafe", "sharp_unsafe"]
        show_table(console, names, [[found[name] for name in names] for found in result["safety"]])
        console.print("unsafe" if result["unsafe"] else "not shown unsafe")
        combined = result["combined"]
        sentence = "all attackers together: mean e-value {mean:.4g}, {needed:g} would show it unsafe"
        console.print(sentence.format(**combined))


add_examples(app, "tokumei.contests.pws2018", "pws2018")
