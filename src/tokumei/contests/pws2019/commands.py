"""``tokumei pws2019``: the official programs of PWS Cup 2019 as commands, besides the standard ones."""

from __future__ import annotations

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
from tokumei.errors import ParameterError

if TYPE_CHECKING:
    from tokumei.contests.pws2019.samples import Published

app = typer.Typer(no_args_is_help=True)

Org = Annotated[Path, typer.Argument(metavar="ORG", help="The original traces.")]
Ano = Annotated[Path, typer.Argument(metavar="ANO", help="The anonymized cells (reg_id), by user and time.")]
Target = Annotated[Path, typer.Option("--output", "-o", help="The file to write.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of numpy's legacy generator; the official one is 1.")]


def _write(path: Path, header: str, lines: Any, *, secret: bool = False) -> None:
    from tokumei.data import OWNER_ONLY, write_text

    write_text(path, "".join(f"{line}\n" for line in (header, *lines)), mode=OWNER_ONLY if secret else None)


@app.command("check-cells")
def check_file(
    ano: Ano,
    rows: Annotated[int, typer.Option("--rows", min=0, help="The rows it must have.")] = 80_000,
    strict: StrictFlag = False,
    language: LanguageOption = "en",
    json: JsonFlag = False,
) -> None:
    """Check anonymized cells: all faults, and what the official server says; exit status 1 if a rule is broken."""
    from tokumei.contests.pws2019.checker import check_cells
    from tokumei.data import read_bytes

    words = check_language(language)
    notes, count, official = check_cells(read_bytes(ano, allow_empty=True), ano.name, rows=rows, strict=strict)
    errors = [{**note.as_dict(), "message": note.message[words]} for note in notes]
    document: dict[str, Any] = {
        "valid": official["valid"] and not count,
        "error_count": count,
        "errors": errors,
        "official": official,
    }

    def show(console: Any) -> None:
        show_findings(console, document, ("file", "line", "value", "code"))
        console.print(f"official server: {official['message']}")

    finish(document, json=json, show=show, status=1 - document["valid"])


def _scored(document: dict[str, Any], *, json: bool) -> None:
    table = (["measure", "value"], [[name, value] for name, value in document.items() if name != "cells"])
    finish(document, json=json, table=table, status=int("official" in document))


@app.command()
def score(
    org: Org,
    ano: Ano,
    cells: Annotated[bool, typer.Option("--cells", help="Tell the score of every cell.")] = False,
    json: JsonFlag = False,
) -> None:
    """Measure s_U as the deciding program did, and as the R server did; exit status 1 if the program stops."""
    import numpy as np

    from tokumei.contests.pws2019 import traces

    true, lines = traces.read_traces(org).regions.ravel(), traces.cell_lines(ano)
    try:
        found = traces.read_cells(lines, len(true), str(ano))
    except traces.StoppedError as error:
        _scored({"official": {"error": error.exception}, "message": str(error)}, json=json)
    document: dict[str, Any] = {"s_U": traces.utility(true, found), "server_R": traces.server_utility(true, found)}
    if cells:
        told = []
        for row in range(len(true)):
            one = traces.read_cells(lines[row : row + 1], 1, str(ano))
            told.append({"true": int(true[row]), "cell": lines[row], "score": traces.utility(true[row : row + 1], one)})
            if found.counts[row] == 1:
                told[-1]["as_answer_s_T"] = traces.trace_score(true[row : row + 1], np.array(one.members))
        document["cells"] = told
    _scored(document, json=json)


@app.command("score-ids")
def score_ids(
    ptable: Annotated[Path, typer.Argument(metavar="PTABLE", help="The user of every pseudonym.")],
    etable: Annotated[Path, typer.Argument(metavar="ETABLE", help="The user that an attacker names for each.")],
    json: JsonFlag = False,
) -> None:
    """Measure s_I: 1 less the share of pseudonyms whose user was named; exit status 1 if the program stops."""
    from tokumei.contests.pws2019 import traces
    from tokumei.contests.pws2019.contest import read_owners

    owners = read_owners(ptable)
    try:
        named = traces.read_cells(traces.cell_lines(etable), len(owners), str(etable), sets=False, grid=False).members
    except traces.StoppedError as error:
        _scored({"official": {"error": error.exception}, "message": str(error)}, json=json)
    _scored({"s_I": traces.identity_score(owners, named)}, json=json)


@app.command("score-traces")
def score_traces(
    org: Org,
    etraces: Annotated[Path, typer.Argument(metavar="ETRACES", help="The region that an attacker names, by user.")],
    json: JsonFlag = False,
) -> None:
    """Measure s_T: how far answers are from the truth, hospitals ten times; exit status 1 if the program stops."""
    from tokumei.contests.pws2019 import traces

    true = traces.read_traces(org).regions.ravel()
    try:
        named = traces.read_cells(traces.cell_lines(etraces), len(true), str(etraces), sets=False).members
    except traces.StoppedError as error:
        _scored({"official": {"error": error.exception}, "message": str(error)}, json=json)
    _scored({"s_T": traces.trace_score(true, named)}, json=json)


@app.command("sample-method")
def sample_method(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A1-none to A5-YA, or histories.")],
    org: Org,
    output: Target,
    settings: SettingsOption = None,
    seed: Seed = 1,
    json: JsonFlag = False,
) -> None:
    """Anonymize traces by a sample method, draw by draw as the official program; tell s_U too."""
    import numpy as np

    from tokumei.contests.pws2019 import traces
    from tokumei.contests.pws2019.contest import Pws2019
    from tokumei.contests.pws2019.samples import METHODS

    check_targets((output,), org)
    method = with_settings(Pws2019.sample(METHODS, name, "method"), settings)
    true = traces.read_traces(org).regions
    cells = method.cells(true, np.random.RandomState(seed))
    _write(output, "reg_id", cells)
    found = traces.read_cells(cells, len(cells), str(output))
    document = {"method": name, "rows": len(cells), "s_U": traces.utility(true.ravel(), found)}
    finish(document, json=json, text=f"{output}: s_U {document['s_U']:.4f}")


@app.command()
def shuffle(
    org: Org,
    ano: Ano,
    output: Target,
    table: Annotated[Path, typer.Option("--table", help="Where to write the users of the pseudonyms.")],
    seed: Seed = 1,
    json: JsonFlag = False,
) -> None:
    """Publish anonymized cells under pseudonyms, as the official program; only the judge may see the table."""
    import numpy as np

    from tokumei.contests.pws2019 import traces
    from tokumei.contests.pws2019.contest import published_lines
    from tokumei.contests.pws2019.samples import shuffled_ids

    check_targets((output, table), org, ano)
    original = traces.read_traces(org)
    owners = shuffled_ids(len(original.users), np.random.RandomState(seed))
    lines = traces.cell_lines(ano)
    if len(lines) < original.regions.size:
        raise ParameterError(f"{ano} has {len(lines)} cells, but {original.regions.size} are needed", code="rows")
    _write(output, "pse_id,time_id,reg_id", published_lines(original, lines, owners))
    users, first = original.users[owners], len(owners) + 1
    _write(table, "pse_id,user_id", (f"{first + at},{user}" for at, user in enumerate(users)), secret=True)
    finish({"pseudonyms": len(owners)}, json=json, text=f"{output}: {len(owners)} pseudonyms")


@app.command("sample-attack")
def sample_attack(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="I1-rand to I3-HomeProb, T1-rand to T3-HomeProb, replay.")
    ],
    ref: Annotated[Path, typer.Argument(metavar="REF", help="The reference traces.")],
    pub: Annotated[Path, typer.Argument(metavar="PUB", help="The published traces.")],
    output: Target,
    seed: Seed = 1,
    json: JsonFlag = False,
) -> None:
    """Run a sample attack, draw by draw as the official program: write an etable (I) or etraces (T, replay)."""
    import numpy as np

    from tokumei.contests.pws2019 import traces
    from tokumei.contests.pws2019.contest import read_published
    from tokumei.contests.pws2019.samples import IDENTITY_ATTACKS, TRACE_ATTACKS, guessed_traces, guessed_users

    check_targets((output,), ref, pub)
    reference = traces.read_traces(ref)
    seen: Published = read_published(reference.regions, pub)
    draw = np.random.RandomState(seed)
    if name not in (*IDENTITY_ATTACKS, *TRACE_ATTACKS):
        raise ParameterError(
            f"there is no attack {name}; it is one of {IDENTITY_ATTACKS + TRACE_ATTACKS}", code="usage"
        )
    if name in IDENTITY_ATTACKS:
        _write(output, "user_id", reference.users[guessed_users(name, seen, draw)].tolist())
    else:
        _write(output, "reg_id", guessed_traces(name, seen, draw).ravel().tolist())
    finish({"attack": name}, json=json, text=str(output))


@app.command()
def standings(
    s_i: Annotated[Path, typer.Argument(metavar="S_I", help="CSV: pub, then s_I of every attacker; own files empty.")],
    s_t: Annotated[Path, typer.Argument(metavar="S_T", help="The same of s_T.")],
    preliminary: Annotated[
        Path | None, typer.Option("--preliminary", help='JSON: {"anonymizers": ..., "attack_sums": {"I", "T"}}.')
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Compute the official tables of a round from its matrices, and overall with awards."""
    from tokumei.contests.pws2019.ranking import official_tables

    document = official_tables(s_i, s_t, preliminary)
    shown = document.get("overall", document["anonymizers"])
    rows = [[team, *[value or "" for value in one.values()]] for team, one in shown.items()]
    finish(document, json=json, table=(["team", "SecI", "SecT", "Total", ""], rows))


add_examples(app, "tokumei.contests.pws2019", "pws2019")
