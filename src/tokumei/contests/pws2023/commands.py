"""``tokumei pws2023``: the official programs of PWS Cup 2023 as commands, besides the standard ones."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokumei.cli.examples import add_examples
from tokumei.cli.output import (
    JsonFlag,
    LanguageOption,
    SettingsOption,
    StrictFlag,
    check_language,
    check_targets,
    finish,
    show_findings,
    with_settings,
)
from tokumei.errors import InputError, ParameterError

if TYPE_CHECKING:
    from tokumei.array_types import Ints

app = typer.Typer(no_args_is_help=True)

P = Annotated[Path, typer.Argument(metavar="P", help="The public table.")]
R = Annotated[Path, typer.Argument(metavar="R", help="The secret table.")]
A = Annotated[Path, typer.Argument(metavar="A", help="The anonymized table.")]
Target = Annotated[Path, typer.Option("--output", "-o", help="The file to write.")]
Seed = Annotated[str, typer.Argument(metavar="SEED", help="A whole number without leading zeros.")]
RubySeed = Annotated[int, typer.Option("--seed", min=0, help="Seed of Ruby's generator.")]
Rows = Annotated[int, typer.Option("--rows", min=1, help="The number of rows.")]


def _written(output: Path, table: Ints, *, json: bool) -> None:
    from tokumei.contests.pws2023.tables import table_bytes
    from tokumei.data import write_bytes

    text = table_bytes(table)
    write_bytes(output, text)
    lines = text.decode().splitlines()
    hashes = {"sha256": hashlib.sha256(text).hexdigest(), "md5": hashlib.md5(text, usedforsecurity=False).hexdigest()}
    finish({"rows": len(lines), **hashes, "first": lines[:3], "last": lines[-1]}, json=json, text=str(output))


def _number(seed: str) -> int:
    from tokumei.contests.pws2023.tables import seed_of

    number = seed_of(seed.encode())
    if number is None:
        raise ParameterError(f"'{seed}' is no seed; write a whole number without leading zeros", code="seed")
    return number


@app.command()
def secret(seed: Seed, output: Target, rows: Rows = 100_000, json: JsonFlag = False) -> None:
    """Write R = G(seed)."""
    from tokumei.contests.pws2023.ruby_random import secret_table

    _written(output, secret_table(_number(seed), rows), json=json)


@app.command()
def public(
    seed: Seed,
    output: Target,
    rows: Rows = 100_000,
    columns: Annotated[
        int, typer.Option("--columns", min=1, help="6 in the preliminary round, 8 in the main one.")
    ] = 8,
    json: JsonFlag = False,
) -> None:
    """Write the public table P of a seed."""
    from tokumei.contests.pws2023.ruby_random import public_table

    _written(output, public_table(_number(seed), rows, columns), json=json)


@app.command("check-table")
def check_one(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A, F or R.")],
    rows: Rows = 100_000,
    columns: Annotated[int, typer.Option("--columns", min=1, help="The number of cells of a line.")] = 10,
    stars: Annotated[bool, typer.Option("--stars", help="Cells may be * (in A).")] = False,
    language: LanguageOption = "en",
    json: JsonFlag = False,
) -> None:
    """Check a table: all faults, and the first in the words of the official checker; exit status 1 if there is one."""
    from tokumei.contests.pws2023.tables import check_table
    from tokumei.data import read_bytes

    words = check_language(language)
    checked = check_table(read_bytes(file, allow_empty=True), file.name, rows=rows, columns=columns, star=stars)
    document: dict[str, Any] = {
        "valid": checked.count == 0,
        "error_count": checked.count,
        "errors": [{**note.as_dict(), "message": note.message[words]} for note in checked.notes],
        "official": {"valid": checked.message is None, "message": checked.message},
    }
    finish(
        document,
        json=json,
        show=lambda console: show_findings(console, document, ("file", "line", "column", "code")),
        status=1 - document["valid"],
    )


@app.command("check-submission")
def check_submission(
    p: P,
    r: R,
    seed: Annotated[Path, typer.Argument(metavar="SEED.txt", help="The file with the seed.")],
    a: A,
    strict: StrictFlag = False,
    json: JsonFlag = False,
) -> None:
    """Judge an anonymization as the official server: R must come from the seed; exit status 1 if it is refused."""
    from tokumei.contests.pws2023.contest import judged_release
    from tokumei.contests.pws2023.tables import equal_cells, read_digits

    checked = judged_release(read_digits(p), r, seed, strict=strict)
    released = _readable(a, checked.original.shape) if checked.original is not None else None
    notes = [*checked.notes, *(released.notes if released else ())]
    document: dict[str, Any] = {"accepted": not notes, "errors": [note.as_dict() for note in notes]}
    if not notes and released is not None and checked.original is not None:
        raw = equal_cells(checked.original, released.table)
        scores = {"ano_reserved_0": f"{raw / checked.original.size:.4f}", "util_raw_score": str(raw)}
        document |= {"scores": scores, "utility": raw / checked.original.size, "cells": checked.original.size}
    finish(document, json=json, text=str(document.get("scores", notes)), status=int(bool(notes)))


def _readable(path: Path, shape: tuple[int, ...]) -> Any:
    from tokumei.contests.pws2023.tables import check_table
    from tokumei.data import read_bytes

    return check_table(read_bytes(path, allow_empty=True), path.name, rows=shape[0], columns=shape[1], star=True)


@app.command("check-attack")
def check_attack(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="my_id.txt and f_II_JJ.csv about team II by JJ.")],
    rows: Rows = 100_000,
    teams: Annotated[int, typer.Option("--teams", min=1, help="The number of teams.")] = 15,
    strict: StrictFlag = False,
    json: JsonFlag = False,
) -> None:
    """Check an attack as the official server: one wrong file makes all of it fail; exit status 1 then."""
    from tokumei.contests.pws2023.contest import judged_attack

    document = judged_attack(folder, rows=rows, teams=teams, strict=strict)
    finish(document, json=json, text=str(document.get("scores", document["errors"])), status=1 - document["accepted"])


@app.command("check-seed")
def check_seed(
    seed: Annotated[Path, typer.Argument(metavar="SEED.txt", help="The file with the seed.")],
    strict: StrictFlag = False,
    json: JsonFlag = False,
) -> None:
    """Check the file of a seed; only its first line is read; exit status 1 if it is refused."""
    from tokumei.contests.pws2023.tables import seed_of
    from tokumei.data import read_bytes

    raw = read_bytes(seed, allow_empty=True)
    accepted = seed_of(raw) is not None and not (strict and raw.count(b"\n") > 1)
    finish({"accepted": accepted}, json=json, text="accepted" if accepted else "refused", status=1 - accepted)


@app.command("sample-method")
def sample_method(
    name: Annotated[str, typer.Argument(metavar="NAME", help="rand (official) or neighbours.")],
    p: P,
    r: R,
    output: Target,
    seed: RubySeed,
    settings: SettingsOption = None,
    json: JsonFlag = False,
) -> None:
    """Anonymize P and R side by side, draw by draw as the official program."""
    import numpy as np

    from tokumei.contests.pws2023.contest import Pws2023
    from tokumei.contests.pws2023.samples import METHODS
    from tokumei.contests.pws2023.tables import read_digits

    check_targets((output,), p, r)
    part = with_settings(Pws2023.sample(METHODS, name, "method"), settings)
    _written(output, part.anonymize(np.hstack([read_digits(p), read_digits(r)]), seed), json=json)


@app.command("sort")
def sort_rows(a: A, output: Target, json: JsonFlag = False) -> None:
    """Write B: the rows of A in the order of their bytes."""
    from tokumei.contests.pws2023.tables import read_digits, sorted_bytes
    from tokumei.data import write_bytes

    check_targets((output,), a)
    write_bytes(output, sorted_bytes(read_digits(a, star=True)))
    finish({"file": str(output)}, json=json, text=str(output))


@app.command("sample-attack")
def sample_attack(
    name: Annotated[str, typer.Argument(metavar="NAME", help="sort (official) or vote.")],
    p: P,
    b: Annotated[Path, typer.Argument(metavar="B", help="The published rows.")],
    output: Target,
    seed: RubySeed = 1,
    settings: SettingsOption = None,
    json: JsonFlag = False,
) -> None:
    """Guess the secret table of all rows of P, draw by draw as the official program."""
    from tokumei.contests.pws2023.contest import Pws2023
    from tokumei.contests.pws2023.samples import ATTACKS
    from tokumei.contests.pws2023.tables import read_digits

    check_targets((output,), p, b)
    part = with_settings(Pws2023.sample(ATTACKS, name, "attack"), settings)
    _written(output, part.answers(read_digits(p), read_digits(b, star=True), seed), json=json)


@app.command("score-attack")
def score_attack(
    r: R, f: Annotated[Path, typer.Argument(metavar="F", help="The answers.")], json: JsonFlag = False
) -> None:
    """Count the right cells of an attack."""
    from tokumei.contests.pws2023.tables import equal_cells, read_digits

    truth, answers = read_digits(r), read_digits(f)
    if truth.shape != answers.shape:
        raise InputError(f"{f} has another shape than {r}; give one digit per secret cell", code="shape", file=str(f))
    hits = equal_cells(truth, answers)
    document = {"hits": hits, "cells": truth.size, "a": hits / truth.size, "printed": f"{hits / truth.size:.4f}"}
    finish(document, json=json, table=(["measure", "value"], list(document.items())))


@app.command()
def standings(
    utility: Annotated[Path, typer.Argument(metavar="UTILITY", help="CSV: team,u.")],
    attack: Annotated[Path, typer.Argument(metavar="ATTACK", help="CSV: attacker, then its share of right cells.")],
    preliminary: Annotated[
        Path | None, typer.Option("--preliminary", help='JSON of ranks: {"anonymizer": {...}, "attacker": {...}}.')
    ] = None,
    invalid: Annotated[list[str] | None, typer.Option("--invalid", help="A team whose A was invalid.")] = None,
    json: JsonFlag = False,
) -> None:
    """Compute the official tables of a round from its matrix, and the best three overall."""
    from tokumei.contests.pws2023.ranking import official_tables

    document = official_tables(utility, attack, preliminary, invalid or ())
    rows = [[team, one["rank"] or "-", one["x"], one["u"], one["s"]] for team, one in document["anonymizers"].items()]
    finish(document, json=json, table=(["team", "rank", "x", "u", "s"], rows))


add_examples(app, "tokumei.contests.pws2023", "pws2023")
