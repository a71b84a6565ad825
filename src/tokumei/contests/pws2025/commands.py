"""``tokumei pws2025``: commands beside the standard ones, after the official programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokumei.cli.examples import add_examples
from tokumei.cli.output import JsonFlag, LanguageOption, StrictFlag, check_language, finish, show_findings, show_table
from tokumei.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from tokumei.contests.findings import Findings

app = typer.Typer(no_args_is_help=True)
PLACE = ("file", "line", "column", "code")

Table = Annotated[Path, typer.Argument(metavar="TABLE", help="A table of patients.")]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model of XGBoost as JSON.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="The new file to write.")]


def _finish_check(found: Findings, language: str, *, json: bool) -> None:
    document = found.as_dict(check_language(language))

    def show(console: Console) -> None:
        show_findings(console, document, PLACE)

    finish(document, json=json, show=show, status=1 - found.valid)


def _rows(path: Path) -> Any:
    from tokumei.contests.pws2025.checker import Rows
    from tokumei.data import read_bytes

    return Rows.read(read_bytes(path), str(path))


@app.command("table-utility")
def table_utility(
    b: Annotated[Path, typer.Argument(metavar="B", help="The original table.")],
    c: Annotated[Path, typer.Argument(metavar="C", help="The anonymized table.")],
    json: JsonFlag = False,
) -> None:
    """Measure a table: statistics, logistic regression and Kruskal-Wallis figures, with every term."""
    from tokumei.contests.pws2025.table import Patients
    from tokumei.contests.pws2025.utility import measure_table

    found = measure_table(Patients.read(b), Patients.read(c))
    names = (
        "C_utility_80",
        "stats_diff_max",
        "LR_diff_max",
        "KW_diff_max",
        "stats_worst_terms",
        "LR_worst",
        "KW_worst",
    )
    rows = [[name, found[name]] for name in names]
    finish(found, json=json, show=lambda console: show_table(console, ["measure", "value"], rows))


@app.command("check-values")
def check_values(table: Table, language: LanguageOption = "en", json: JsonFlag = False) -> None:
    """Check every value of a table (check_csv); exit status 1 if one is wrong."""
    from tokumei.contests.pws2025 import checker

    _finish_check(checker.check_values(_rows(table), table.name), language, json=json)


@app.command()
def repair(table: Table, output: Output, json: JsonFlag = False) -> None:
    """Repair numbers (check_and_fix_csv): clip, round half up; exit status 1 if a category is wrong."""
    from tokumei.contests.pws2025 import checker
    from tokumei.data import write_bytes

    raw, said = checker.repair(_rows(table))
    if raw is not None:
        write_bytes(output, raw)
    text = f"{output}: {said['corrections']} corrections" if raw is not None else "not repaired: see check-values"
    finish({**said, "official": {"exit_code": said["exit_code"]}}, json=json, text=text, status=int(raw is None))


@app.command("check-table")
def check_table(
    table: Table,
    rows: Annotated[int, typer.Option("--rows", min=1, help="How many rows there must be.")] = 10_000,
    strict: StrictFlag = False,
    language: LanguageOption = "en",
    json: JsonFlag = False,
) -> None:
    """Check columns, order, rows and values of a table (pws_data_format); --strict looks at decimals too."""
    from tokumei.contests.pws2025 import checker

    found = checker.check_table(_rows(table), table.name, rows=rows, decimals=strict)
    _finish_check(found, language, json=json)


@app.command("check-model")
def check_model(model: Model, language: LanguageOption = "en", json: JsonFlag = False) -> None:
    """Check a model (validate_model_json); exit status 1 if a rule is broken."""
    from tokumei.contests.pws2025 import checker
    from tokumei.data import read_bytes

    _finish_check(checker.check_model(read_bytes(model), model.name), language, json=json)


@app.command("train-model")
def train_model(
    table: Table,
    output: Output,
    trees: Annotated[int, typer.Option("--trees", min=1, help="At most so many trees.")] = 600,
    depth: Annotated[int, typer.Option("--depth", min=1, help="How deep they are.")] = 6,
    json: JsonFlag = False,
) -> None:
    """Train a model that predicts a stroke (xgbt_train)."""
    from tokumei.contests.pws2025 import model
    from tokumei.contests.pws2025.table import Patients
    from tokumei.data import write_bytes

    raw, found = model.train_model(Patients.read(table), trees=trees, depth=depth)
    write_bytes(output, raw)
    finish(found, json=json, text=f"{output}: accuracy {found['validation_accuracy']:.4f} on the held-out tenth")


@app.command()
def predict(
    model: Model,
    tables: Annotated[list[Path], typer.Argument(metavar="TABLE...", help="Tables of patients to predict for.")],
    json: JsonFlag = False,
) -> None:
    """Predict strokes by a model (xgbt_pred): the accuracy on each table, and the chances of the last."""
    from tokumei.contests.pws2025.model import TARGET, right_predictions
    from tokumei.contests.pws2025.model import predict as chances_of
    from tokumei.contests.pws2025.table import Patients
    from tokumei.data import read_bytes

    raw, accuracy, chances = read_bytes(model), {}, []
    for path in tables:
        table = Patients.read(path)
        found = chances_of(raw, table)
        accuracy[path.name] = float(right_predictions(found, table.answers(TARGET)).mean())
        chances = found.tolist()
    rows = [list(one) for one in accuracy.items()]
    document = {"accuracy": accuracy, "probabilities": chances}
    finish(document, json=json, show=lambda console: show_table(console, ["table", "accuracy"], rows))


@app.command("sample-attacks")
def sample_attacks(
    a: Annotated[Path, typer.Argument(metavar="A", help="All people.")],
    c: Annotated[Path, typer.Argument(metavar="C", help="The anonymized table.")],
    model: Model,
    output: Annotated[Path, typer.Option("--output", "-o", help="The new folder for the marks.")],
    count: Annotated[int, typer.Option("--count", min=1, help="How many rows TopConf marks.")] = 10_000,
    json: JsonFlag = False,
) -> None:
    """Run the sample attacks Pred, Conf, TopConf, NN and Mix; write a file of marks for each."""
    from tokumei.contests.pws2025 import attacks
    from tokumei.contests.pws2025.table import Patients
    from tokumei.data import atomic_folder, read_bytes

    made = attacks.sample_attacks(Patients.read(a), Patients.read(c), read_bytes(model), count)
    with atomic_folder(output) as folder:
        for name, marks in made.items():
            # Conf writes True and False, which the official count does not see.
            words = marks.astype(bool) if name == "conf" else marks.astype(int)
            (folder / f"F_{name}.csv").write_text("".join(f"{word}\n" for word in words.tolist()), encoding="utf-8")
    document = {name: {"marked": int(marks.sum())} for name, marks in made.items()}
    table = ["attack", "marked"], [[name, found["marked"]] for name, found in document.items()]
    finish({"attacks": document}, json=json, show=lambda console: show_table(console, *table))


@app.command()
def members(
    a: Annotated[Path, typer.Argument(metavar="A", help="All people.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="The members.")],
    output: Output,
    json: JsonFlag = False,
) -> None:
    """Write which rows of A are, as text, also in B (gen_ans)."""
    from tokumei.data import read_bytes, write_bytes

    people, inside = (read_bytes(path).decode("utf-8-sig").splitlines()[1:] for path in (a, b))
    known = set(inside)
    marks = [int(line in known) for line in people]
    write_bytes(output, "".join(f"{mark}\n" for mark in marks).encode())
    document = {"ones": sum(marks), "rows": len(marks)}
    finish(document, json=json, text=f"{output}: {document['ones']} of {document['rows']} rows")


@app.command()
def hits(
    truth: Annotated[Path, typer.Argument(metavar="Z", help="Which rows of A are members.")],
    answer: Annotated[Path, typer.Argument(metavar="F", help="Which rows were marked.")],
    skip: Annotated[bool, typer.Option("--skip-header", help="Drop the first row of both files.")] = False,
    zero: Annotated[bool, typer.Option("--zero-based", help="Count lines from 0.")] = False,
    json: JsonFlag = False,
) -> None:
    """Count the members that were marked (check_ans)."""
    from tokumei.contests.pws2025.checker import count_hits

    found = count_hits(truth, answer, skip=skip, first=0 if zero else 1)
    finish(found, json=json, text=f"{found['total']} hits")


@app.command()
def totals(
    matrix: Annotated[Path, typer.Argument(metavar="HITS", help="CSV: target, then the hits of every attacker.")],
    scores: Annotated[Path, typer.Argument(metavar="SCORES", help="CSV: team,...,utility,penalty.")],
    top: Annotated[int, typer.Option("--top", min=1, help="How many best teams count for attackers.")] = 10,
    members: Annotated[int, typer.Option("--members", min=1, help="How many people B has.")] = 10_000,
    preliminary: Annotated[
        Path | None, typer.Option("--preliminary", help='JSON: {"total": {...}, "attack_top5": {...}}.')
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Compute anonymity, totals, attack points and ranks from the hits of all attackers."""
    from json import loads

    import polars as pl

    from tokumei.contests.pws2025.ranking import Scores, overall, ranks
    from tokumei.data import read_bytes

    table, entries = (pl.read_csv(read_bytes(path), infer_schema=False) for path in (matrix, scores))
    if "target" not in table.columns or not {"team", "utility", "penalty"} <= set(entries.columns):
        message = f"{matrix} needs the column target, {scores} the columns team, utility and penalty"
        raise InputError(message, code="columns-missing", file=str(scores))
    found = Scores(
        hits={row["target"]: {name: int(row[name] or 0) for name in table.columns[1:]} for row in table.to_dicts()},
        utility={row["team"]: float(row["utility"] or 0) for row in entries.to_dicts()},
        penalty={row["team"]: int(row["penalty"] or 0) for row in entries.to_dicts()},
        members=members,
        top=top,
    )
    # Who handed nothing in has no utility, and nothing that could be anonymous.
    total = {team: found.total(team) if found.utility[team] > 0 else 0.0 for team in found.utility}
    points = {name: float(found.attack_points(name)) for name in table.columns[1:]}
    places, attacking = ranks(total), ranks(points)
    document: dict[str, Any] = {
        "teams": {
            team: {
                "max_hits": found.most(team),
                "anonymity": found.anonymity(team) if found.utility[team] > 0 else 0.0,
                "total": total[team],
                "rank": places[team],
            }
            for team in total
        },
        "attackers": {
            name: {
                "all": sum(row.get(name, 0) for row in found.hits.values()),
                "top": int(points[name]),
                "rank": attacking[name],
            }
            for name in points
        },
    }
    if preliminary is not None:
        given = loads(read_bytes(preliminary))
        both = ranks(overall(total, given["total"]))
        attack = overall(points, given["attack_top5"], 2.0)
        document["overall"] = {"ranks": both, "best_attack": max(attack, key=lambda name: attack[name])}
    rows = [[team, *row.values()] for team, row in sorted(document["teams"].items(), key=lambda one: one[1]["rank"])]
    headers = ["team", "most hits", "anonymity", "total", "rank"]
    finish(document, json=json, show=lambda console: show_table(console, headers, rows))


add_examples(app, "tokumei.contests.pws2025", "pws2025")
