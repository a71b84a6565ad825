"""``tokumei pws2024``: the official programs of PWS Cup 2024 as commands, besides the standard ones."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Any

import typer

from tokumei.cli.examples import add_examples
from tokumei.cli.output import (
    JsonFlag,
    LanguageOption,
    StrictFlag,
    check_language,
    check_targets,
    finish,
    show_findings,
)
from tokumei.errors import InfeasibleError, InputError

app = typer.Typer(no_args_is_help=True)

Original = Annotated[Path, typer.Argument(metavar="B", help="The original table with names and all ratings.")]
OneTable = Annotated[Path, typer.Argument(metavar="B_J", help="One of the ten tables of B.")]
OneRelease = Annotated[Path, typer.Argument(metavar="C_J", help="The anonymized table.")]
TenTables = Annotated[list[Path], typer.Argument(metavar="C_0 ... C_9", help="The ten anonymized tables in order.")]
FolderOption = Annotated[Path, typer.Option("--output", "-o", help="The new folder to write.")]
TABLE_COUNT = 10


def _ten(paths: list[Path]) -> list[Path]:
    if len(paths) != TABLE_COUNT:
        raise InputError(f"{len(paths)} tables are named; name the ten tables in their order", code="usage")
    return paths


@app.command()
def split(
    b: Original,
    output: FolderOption,
    team: Annotated[str, typer.Option("--team", help="Two digits for the names of the files.")] = "00",
    json: JsonFlag = False,
) -> None:
    """Write the ten tables of B, without the names."""
    from tokumei.contests.pws2024.contest import read_original
    from tokumei.contests.pws2024.utility import view_texts
    from tokumei.data import atomic_folder

    texts = view_texts(read_original(b).frame)
    with atomic_folder(output) as folder:
        for number, text in enumerate(texts):
            (folder / f"B{team}_{number}.csv").write_bytes(text)
    tables = [
        {"table": number, "B_sha256": hashlib.sha256(text).hexdigest(), "file": f"B{team}_{number}.csv"}
        for number, text in enumerate(texts)
    ]
    finish({"tables": tables}, json=json, text=f"{output}: {len(tables)} tables")


@app.command()
def score(b: Original, tables: TenTables, json: JsonFlag = False) -> None:
    """Measure ten tables against B as the official program: the utility of each, and of the worst."""
    from tokumei.contests.pws2024.contest import read_original
    from tokumei.contests.pws2024.table import parse_table, refuse_unread
    from tokumei.contests.pws2024.utility import score_table, view_texts
    from tokumei.data import read_bytes

    found = []
    for number, (text, path) in enumerate(zip(view_texts(read_original(b).frame), _ten(tables), strict=True)):
        raw = read_bytes(path)
        scored = score_table(parse_table(text, str(b)), refuse_unread(parse_table(raw, str(path)), path))
        hashes = {"B_sha256": hashlib.sha256(text).hexdigest(), "C_sha256": hashlib.sha256(raw).hexdigest()}
        found.append({"table": number, **_told(scored), "error_printed": f"{scored.error:.5f}", **hashes})
    utility = min(one["utility"] for one in found)
    # The official summary begins at 100.0 and takes over only what is smaller.
    printed = f"{utility:.3f}" if utility < 100 else "100.0"
    rows = [[one["table"], one["L1"], one["U_printed"], " ".join(one["worst_pairs"])] for one in found]
    document = {"tables": found, "utility": utility, "U_printed": printed}
    finish(document, json=json, table=(["table", "L1", "utility", "worst pairs"], rows))


def _told(scored: Any) -> dict[str, Any]:
    return {
        "L1": scored.l1,
        "utility": scored.utility,
        "U_printed": scored.printed,
        "worst_pairs": list(scored.worst_pairs),
    }


@app.command("score-table")
def score_one(b: OneTable, c: OneRelease, json: JsonFlag = False) -> None:
    """Measure one table against the original as the official program; columns of only one file are left out."""
    from tokumei.contests.pws2024.table import read_table, refuse_unread
    from tokumei.contests.pws2024.utility import score_table

    original, released = (refuse_unread(read_table(path), path) for path in (b, c))
    try:
        scored = score_table(original, released)
    except InfeasibleError as error:
        document: dict[str, Any] = {"official": {"error": "ValueError"}, "message": str(error)}
        finish(document, json=json, text=str(error), status=1)
    figures = {**_told(scored), "max_mae_printed": f"{scored.error:.5f}"}
    finish(figures, json=json, table=(["measure", "value"], list(figures.items())))


@app.command("check-table")
def check_one(
    b: OneTable,
    c: OneRelease,
    rows: Annotated[
        int | None, typer.Option("--rows", min=0, help="The rows it must have (default: those of B).")
    ] = None,
    strict: StrictFlag = False,
    language: LanguageOption = "en",
    json: JsonFlag = False,
) -> None:
    """Check one table: all faults, and what the official checker says; exit status 1 if a rule is broken."""
    from tokumei.contests.pws2024.checker import check_file
    from tokumei.contests.pws2024.table import read_table, refuse_unread

    original = refuse_unread(read_table(b), b)
    checked = check_file(original, c, rows=original.rows if rows is None else rows, strict=strict)
    document = checked.as_dict(check_language(language))

    def show(console: Any) -> None:
        show_findings(console, document, ("file", "line", "name", "code"))
        for message in (*checked.official["messages"], checked.official["error"] or ""):
            if message:
                console.print(f"official checker: {message}")

    finish(document, json=json, show=show, status=1 - checked.valid)


@app.command("make-test")
def make_test_files(
    b: Original,
    output: FolderOption,
    seed: Annotated[
        int, typer.Option("--seed", help="The seed of the official program; a contest needs a secret one.")
    ],
    same_column: Annotated[bool, typer.Option("--same-column", help="Hide one column in all rows (final).")] = False,
    json: JsonFlag = False,
) -> None:
    """Draw the attack files a, b, x (answers) and s (drawn rows) from B as the official program."""
    from tokumei.contests.pws2024.attack_task import LINE_END, make_test
    from tokumei.contests.pws2024.contest import read_original
    from tokumei.contests.pws2024.table import table_text
    from tokumei.data import OWNER_ONLY, atomic_folder, write_bytes

    made = make_test(read_original(b).frame, seed, same_column=same_column)
    with atomic_folder(output) as folder:
        for name in "absx":
            text = table_text(getattr(made, name), line_end=LINE_END, header=name != "x")
            write_bytes(folder / f"{name}.csv", text, mode=OWNER_ONLY if name in "sx" else None)
    finish({"files": [f"{output}/{name}.csv" for name in "absx"]}, json=json, text=f"{output}: a, b, s and x")


@app.command("sample-attack")
def run_sample_attack(
    a: Annotated[Path, typer.Argument(metavar="A", help="The known columns of the drawn rows.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Their ratings in another order, with hidden cells.")],
    tables: TenTables,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="E", help="Where to write the answers.")],
    truth: Annotated[Path | None, typer.Option("--truth", metavar="X", help="The answers, to count the hits.")] = None,
    json: JsonFlag = False,
) -> None:
    """Run the official sample attack; with the true answers its hits are counted too."""
    from tokumei.contests.pws2024.attack_task import count_hits, sample_attack
    from tokumei.contests.pws2024.table import parse_table, read_table, refuse_unread
    from tokumei.data import write_bytes

    check_targets((output,), a, b, *tables)
    known, ratings, *released = (refuse_unread(read_table(path), path) for path in (a, b, *_ten(tables)))
    answers = sample_attack(known.frame, ratings.frame, released)
    text = "".join(f"{row},{value}\n" for row, value in answers).encode()
    write_bytes(output, text)
    document: dict[str, Any] = {"rows": len(answers)}
    if truth is not None:
        found = count_hits(read_table(truth, header=False), parse_table(text, "E", header=False))
        document |= _hits(found)
    finish(document, json=json, table=(["measure", "value"], list(document.items())))


def _hits(found: tuple[int, int] | None, error: str | None = None) -> dict[str, Any]:
    if found is None:
        message = None if error else "do not have the same shape"
        return {"hits": None, "official": {"error": error, "message": message}}
    hits = sum(found)
    return {
        "identified": found[0],
        "reconstructed": found[1],
        "hits": hits,
        "sample_anonymity": 100 - hits,
        "printed": f"Number of matching cells: {hits}",
    }


@app.command("check-answers")
def check_answer_file(
    x: Annotated[Path, typer.Argument(metavar="X", help="The true answers.")],
    e: Annotated[Path, typer.Argument(metavar="E", help="The answers that were handed in.")],
    team: Annotated[int | None, typer.Option("--team", min=1, help="Its columns in a file about all teams.")] = None,
    strict: StrictFlag = False,
    language: LanguageOption = "en",
    json: JsonFlag = False,
) -> None:
    """Count the hits of an answer file as the official program; exit status 1 if it cannot be counted."""
    from tokumei.contests.pws2024.attack_task import count_hits
    from tokumei.contests.pws2024.checker import check_answers
    from tokumei.contests.pws2024.table import read_table

    answers, words = read_table(e, header=False), check_language(language)
    findings = check_answers(answers, e.name, strict=strict)
    found = count_hits(read_table(x, header=False), answers, team)
    errors = [{**note.as_dict(), "message": note.message[words]} for note in findings.notes] if team is None else []
    document = {
        **_hits(found, answers.error),
        "valid": found is not None and not errors,
        "error_count": len(errors),
        "errors": errors,
    }

    def show(console: Any) -> None:
        if found is not None:
            console.print(f"{document['hits']} hits: {found[0]} rows and {found[1]} hidden cells")
        show_findings(console, document, ("file", "line", "column", "code"))

    finish(document, json=json, show=show, status=1 - document["valid"])


@app.command()
def standings(
    hits: Annotated[Path, typer.Argument(metavar="HITS", help="CSV: target, then the hits of every attacker.")],
    scores: Annotated[Path, typer.Argument(metavar="SCORES", help="CSV: team,sample_anonymity,utility,pre_total.")],
    preliminary: Annotated[
        Path | None, typer.Option("--preliminary", help="CSV: team,points of attackers in the preliminary round.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Compute the official tables from a matrix of hits: totals, ranks and, with the preliminary round, overall."""
    from tokumei.contests.pws2024.official_tables import official_tables

    document = official_tables(hits, scores, preliminary)
    rows = [[team, *figures.values()] for team, figures in document["teams"].items()]
    headers = ["team", *next(iter(document["teams"].values()), {})]
    finish(document, json=json, table=(headers, rows))


@app.command("verify-opening")
def verify_opening(
    commitment: Annotated[Path, typer.Argument(metavar="COMMITMENT", help="What was published with the tables.")],
    opening: Annotated[Path, typer.Argument(metavar="OPENING", help="What the judge shows after the round.")],
    json: JsonFlag = False,
) -> None:
    """Verify that the answers were fixed when the tables were published; exit status 1 if they were changed."""
    from tokumei.data import read_bytes

    kept = hashlib.sha256(read_bytes(opening)).hexdigest() == read_bytes(commitment).decode("ascii", "replace").strip()
    finish({"kept": kept}, json=json, text="kept" if kept else "changed", status=1 - kept)


add_examples(app, "tokumei.contests.pws2024", "pws2024")
