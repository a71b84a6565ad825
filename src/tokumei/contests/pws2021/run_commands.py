"""``tokumei pws2021 anonymize``, ``attack``, ``pick``, ``rlink`` and other commands that write files."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import typer

from tokumei.cli.output import (
    JsonFlag,
    SeedOption,
    SettingsOption,
    check_targets,
    finish,
    progress_bars,
    show_table,
    warn_of_seed,
    with_settings,
)

OutputOption = Annotated[Path | None, typer.Option("--output", "-o", help="The file to write.")]
B = Annotated[Path, typer.Argument(metavar="B", help="The original table.")]
D = Annotated[Path, typer.Argument(metavar="D", help="The anonymized table.")]
X = Annotated[Path, typer.Argument(metavar="X", help="The deleted rows of B, counted from 0.")]
SEEDS_PER_SAVE = 200
ATTACK_NAMES = "rlink, attack, team06, odds-penalty, likelihood or order."
ShuffleOption = Annotated[
    bool, typer.Option("--shuffle", help="Test rows in random order (in 2021 they had the order of B).")
]
CT = Annotated[Path, typer.Argument(metavar="CT", help="The test rows.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (anonymize, attack, risk, rlink, pick, join, exclude, synth):
        app.command()(command)
    app.command("seed-guess")(seed_guess)


def _write(path: Path | None, lines: Iterable[object], *, secret: bool = False) -> None:
    from tokumei.data import OWNER_ONLY, write_text

    if path is not None:
        write_text(path, "".join(f"{line}\n" for line in lines), mode=OWNER_ONLY if secret else None)


def anonymize(
    name: Annotated[str, typer.Argument(metavar="NAME", help="team06, top, bottom, kanony, rr or dp.")],
    b: B,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="D", help="Where to write D.")] = None,
    excluded: Annotated[Path | None, typer.Option("--excluded", "-x", metavar="X", help="Where to write X.")] = None,
    seed: SeedOption = None,
    settings: SettingsOption = None,
    json: JsonFlag = False,
) -> None:
    """Anonymize B: write D (-o) and the deleted rows X (-x)."""
    from tokumei.contests.pws2021.rows import kept_rows
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021, release_lines
    from tokumei.errors import ParameterError
    from tokumei.flow import seeded

    if output is None and excluded is None:
        raise ParameterError("name the file D to write with -o, the file X with -x, or both", code="usage")
    check_targets((output, excluded), b)
    rules = Rules2021()
    method = with_settings(rules.anonymizer(name), settings)
    original = HealthFile.read(b, "B")
    with progress_bars():
        release, secret = rules.anonymize(method, original, rng=seeded(seed))
    warn_of_seed(seed)
    deleted = kept_rows(original.frame.height, secret.rows)
    _write(output, release_lines(release, original))
    _write(excluded, deleted.tolist(), secret=True)
    result = {"method": name, "rows": len(release), "deleted": len(deleted), "report": dict(secret.report)}

    def show(console: Any) -> None:
        console.print(f"{name}: D has {len(release):,} rows, {len(deleted):,} rows of B deleted")
        steps = secret.report.get("steps", [])
        if steps:
            headers = list(dict.fromkeys(key for step in steps for key in step))
            show_table(console, headers, [[step.get(key, "") for key in headers] for step in steps])

    finish(result, json=json, show=show)


def attack(
    name: Annotated[str, typer.Argument(metavar="NAME", help=ATTACK_NAMES)],
    ct: CT,
    d: D,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="E", help="Where to write the guesses.")],
    seed: SeedOption = None,
    settings: SettingsOption = None,
    json: JsonFlag = False,
) -> None:
    """Attack D as someone who holds the test rows CT; write three guesses per row."""
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021
    from tokumei.flow import seeded

    check_targets((output,), ct, d)
    part = with_settings(Rules2021().find_attack(name), settings)
    test, release = HealthFile.read(ct, "CT").history, HealthFile.read(d, "D").table.release()
    with progress_bars():
        answers = part.guess(test, release, rng=seeded(seed))
    guesses = answers.choices(release.pseudonyms).tolist()
    _write(output, (",".join(map(str, row)) for row in guesses))
    members = sum(row[0] >= 0 for row in guesses)
    text = f"{output}: {members} of {len(guesses)} rows answered as members by {name}"
    finish({"attack": name, "rows": guesses, "members": members}, json=json, text=text)


def rlink(ct: CT, d: D, output: OutputOption = None, json: JsonFlag = False) -> None:
    """Link every test row to the three nearest rows of D; far ones are answered as deleted."""
    from tokumei.contests.pws2021.attacks.nearest_linkage import NearestLinkage
    from tokumei.contests.pws2021.rules import HealthFile

    check_targets((output,), ct, d)
    guesses, distances, median = NearestLinkage().link(HealthFile.read(ct, "CT").table, HealthFile.read(d, "D").table)
    rows = guesses.tolist()
    _write(output, (",".join(map(str, row)) for row in rows))
    finish(
        {"rows": rows, "median": median, "median_nearest_distance": median, "distances": distances},
        json=json,
        show=lambda console: show_table(console, ["first", "second", "third"], rows, title=f"median {median:.6f}"),
    )


def pick(
    b: B,
    x: X,
    output: Annotated[Path | None, typer.Option("--output", "-o", metavar="CT", help="Where to write CT.")] = None,
    answers: Annotated[Path | None, typer.Option("--answers", metavar="EA", help="Where to write EA.")] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="100 is the published draw; a contest needs its own.")
    ] = 100,
    shuffle: ShuffleOption = False,
    json: JsonFlag = False,
) -> None:
    """Draw 50 deleted and 50 kept rows of B as test rows CT, with their true rows EA."""
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021

    check_targets((output, answers), b, x)
    lines, truth = Rules2021().pick(HealthFile.read(b, "B"), x, seed=seed, shuffle=shuffle)
    _write(output, lines)
    _write(answers, truth.tolist(), secret=True)
    rows = list(zip(lines, truth.tolist(), strict=True))
    finish({"ct": lines, "ea": truth}, json=json, table=(["test row", "row of D"], rows))


def join(
    files: Annotated[list[Path], typer.Argument(metavar="X...", help="Files of row numbers.")],
    output: OutputOption = None,
    json: JsonFlag = False,
) -> None:
    """Join files of row numbers into their sorted union."""
    from tokumei.contests.pws2021.rules import joined_rows

    check_targets((output,), *files)
    rows = joined_rows(files).tolist()
    _write(output, rows, secret=True)
    finish({"rows": rows}, json=json, text="\n".join(map(str, rows)))


def exclude(
    b: B,
    x: X,
    output: OutputOption = None,
    index: Annotated[Path | None, typer.Option("--index", help="Where to write the kept row numbers.")] = None,
    json: JsonFlag = False,
) -> None:
    """Write C: B without the rows X, in the order of B."""
    from tokumei.contests.pws2021.rows import kept_rows
    from tokumei.contests.pws2021.rules import HealthFile, read_rows

    check_targets((output, index), b, x)
    original = HealthFile.read(b, "B")
    kept = kept_rows(original.frame.height, read_rows(x, count=original.frame.height))
    _write(output, original.lines(kept))
    _write(index, kept.tolist(), secret=True)
    finish({"rows": len(kept), "kept": kept}, json=json, text=f"C has {len(kept):,} rows")


def synth(
    b: B,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the synthetic table.")],
    seed: SeedOption = None,
    rows: Annotated[int | None, typer.Option("--rows", min=1, help="How many rows; default as many as B.")] = None,
    json: JsonFlag = False,
) -> None:
    """Draw a synthetic table with the means and covariances of B."""
    from tokumei.contests.pws2021.rules import HealthFile
    from tokumei.contests.pws2021.synthesizer import HealthSynthesizer
    from tokumei.flow import seeded

    check_targets((output,), b)
    table = HealthFile.read(b, "B").table
    drawn = HealthSynthesizer.of(table).draw(rows or table.height, rng=seeded(seed))
    lines = drawn.lines()
    _write(output, lines)
    checksum = sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    finish({"rows": drawn.height, "sha256": checksum}, json=json, text=f"{output}: {drawn.height:,} rows")


def risk(
    b: B,
    d: D,
    x: X,
    name: Annotated[str, typer.Option("--attack", help=ATTACK_NAMES)] = "rlink",
    draws: Annotated[int, typer.Option("--draws", min=2, help="How many sets of test rows to draw.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The seed of the first draw.")] = 0,
    shuffle: ShuffleOption = False,
    settings: SettingsOption = None,
    json: JsonFlag = False,
) -> None:
    """Measure the mean risk of an attack over many draws of test rows, with its interval."""
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021

    rules = Rules2021()
    part = with_settings(rules.find_attack(name), settings)
    with progress_bars():
        score, marks = rules.risk(part, HealthFile.read(b, "B"), d, x, draws=draws, seed=seed, shuffle=shuffle)
    low, high = (score.interval.low, score.interval.high) if score.interval else (score.value, score.value)
    sentence = f"{name}: risk {score.value:.4f} ({low:.4f} to {high:.4f}) over {draws} draws"
    document = {"attack": name, **score.as_dict(), "draws": [mark.as_dict() for mark in marks]}
    finish(document, json=json, text=sentence)


def seed_guess(
    b: B,
    ct: CT,
    first: Annotated[int, typer.Option("--first", min=0, help="The first seed.")] = 0,
    last: Annotated[int, typer.Option("--last", min=0, help="The last seed.")] = 9999,
    state: Annotated[
        Path | None, typer.Option("--state", help="Where the search is kept; it goes on from there if it exists.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Look for the seed with which the public synthesizer made the table of these test rows; exit status 1 if found."""
    from tokumei.contests.pws2021.attacks.seed_search import SeedSearch, SeedState
    from tokumei.contests.pws2021.rules import HealthFile, Rules2021
    from tokumei.data import write_text

    check_targets([state])
    known = SeedState.from_json(state.read_text(encoding="utf-8")) if state is not None and state.exists() else None
    result = known or SeedState(first)
    search = SeedSearch(first=first, last=last, most=SEEDS_PER_SAVE)
    original, rows = HealthFile.read(b, "B"), HealthFile.read(ct, "CT")
    with progress_bars():
        while result.found is None and result.next_seed <= last:
            result = Rules2021().seed_search(search, original, rows, result)
            if state is not None:
                write_text(state, result.to_json())
    sentence = f"seeds {first} to {result.next_seed - 1}: best {result.best_seed} with {result.best_rows} known rows; "
    sentence += f"found {result.found}" if result.found is not None else "none holds them all"
    finish(result.as_dict(), json=json, text=sentence, status=int(result.found is not None))
