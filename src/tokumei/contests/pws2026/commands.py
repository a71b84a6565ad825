"""``tokumei pws2026``: commands beside the standard ones, under the names of the official programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tokumei.cli.examples import add_examples
from tokumei.cli.output import JsonFlag, LanguageOption, StrictFlag, check_language, finish, show_findings, show_table
from tokumei.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(no_args_is_help=True)
PLACE = ("file", "line", "column", "code")

Data = Annotated[Path, typer.Argument(metavar="DATA", help="Folder with B_self.csv, A_bg.csv and utility_ref.json.")]
Truth = Annotated[Path, typer.Argument(metavar="TRUTH", help="Folder of the organisers (pool_ids, aia_truth, ...).")]
Table = Annotated[Path, typer.Argument(metavar="C", help="The synthetic cohort: C.csv, or a folder with it.")]
Team = Annotated[int, typer.Option("--team", help="The number of the team.")]


def _finish(document: dict[str, Any], *, json: bool, names: tuple[str, ...], status: int = 0) -> None:
    rows = [[name, document.get(name)] for name in names]
    finish(document, json=json, show=lambda console: show_table(console, ["measure", "value"], rows), status=status)


def _table(path: Path) -> Path:
    return path / "C.csv" if path.is_dir() else path


@app.command()
def utility(data: Data, release: Table, json: JsonFlag = False) -> None:
    """Measure a synthetic cohort: U, its four facets and every part of them."""
    from tokumei.contests.pws2026.table import World, read_table
    from tokumei.contests.pws2026.utility import measure_utility

    measured = measure_utility(World.read(data), read_table(_table(release)))
    rows = [["U", measured["U"]], *measured["facets"].items(), *_plain(measured["detail"])]
    show = lambda console: show_table(console, ["measure", "value"], rows)  # noqa: E731
    finish({**measured, **measured["facets"]}, json=json, show=show)


def _plain(detail: dict[str, Any]) -> list[list[object]]:
    """Return the single figures below the facets, without their tables."""
    return [
        [f"{facet}: {name}", value]
        for facet, parts in detail.items()
        for name, value in parts.items()
        if isinstance(value, int | float)
    ]


@app.command("check-zip")
def check_zip(
    dist: Annotated[Path, typer.Argument(metavar="DIST", help="Folder of the organisers' files.")],
    submission: Annotated[Path, typer.Argument(metavar="ZIP", help="Defence (C.csv) or attack (F_mia, F_aia).")],
    strict: StrictFlag = False,
    language: LanguageOption = "en",
    json: JsonFlag = False,
) -> None:
    """Check a submission with its token; exit status 1 if a rule is broken."""
    from tokumei.contests.pws2026.checker import check_submission

    if not submission.is_file():
        raise InputError(f"{submission} is no file; name a zip", code="no-file", file=str(submission))
    found = check_submission(submission, dist, strict=strict)
    document = found.as_dict(check_language(language))

    def show(console: Console) -> None:
        show_findings(console, document, PLACE)

    finish(document, json=json, show=show, status=1 - found.valid)


@app.command()
def tpr(
    answers: Annotated[Path, typer.Argument(metavar="ANSWERS", help="CSV: confidence,truth[,rare].")],
    json: JsonFlag = False,
) -> None:
    """Score confidences: true positives at 1 % false positives, over all rows and over the rare ones."""
    from tokumei.contests.pws2026.csv_cells import Cells
    from tokumei.contests.pws2026.scores import score_membership
    from tokumei.data import read_bytes

    cells = Cells.read(read_bytes(answers))
    rare = cells.numbers("rare") == 1 if "rare" in cells.columns else None
    found = score_membership(cells.numbers("confidence"), cells.numbers("truth") == 1, rare)
    _finish(found, json=json, names=("score", "tpr_at_low_fpr", "tpr_rare", "auc"))


@app.command()
def aia(
    answers: Annotated[Path, typer.Argument(metavar="ANSWERS", help="CSV: time_hat,time,member[,rare].")],
    json: JsonFlag = False,
) -> None:
    """Score guessed times of members against those of controls."""
    from tokumei.contests.pws2026.csv_cells import Cells
    from tokumei.contests.pws2026.scores import score_attribute
    from tokumei.data import read_bytes

    cells = Cells.read(read_bytes(answers))
    rare = cells.numbers("rare") == 1 if "rare" in cells.columns else None
    found = score_attribute(cells.numbers("time_hat"), cells.numbers("time"), cells.numbers("member") == 1, rare)
    _finish(found, json=json, names=("score", "r_time_all", "r_time_rare"))


@app.command("attack-rows")
def attack_rows(
    made: Table,
    background: Annotated[Path, typer.Argument(metavar="A_BG", help="The background table.")],
    candidates: Annotated[Path, typer.Argument(metavar="CANDIDATES", help="People with record_id.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The new CSV of answers.")],
    json: JsonFlag = False,
) -> None:
    """Run both reference attacks on candidates; write a confidence, a time and an onset confidence for each."""
    import numpy as np
    import polars as pl

    from tokumei.contests.pws2026.attacks import density_ratio, nearest_time
    from tokumei.contests.pws2026.table import read_table
    from tokumei.data import atomic_path

    c, base, people = read_table(_table(made)), read_table(background), read_table(candidates)
    document: dict[str, Any] = {"rows": people.height, "official": None}
    try:
        confidence = density_ratio(c, base, people)
    except ValueError:
        # Fewer rows than columns have no density: our answer is that nothing is known.
        confidence = np.full(people.height, 0.5)
        document["official"] = {"error": "ValueError"}
    times, onset = nearest_time(c, base, people)
    document["confidence"] = sorted({round(float(one), 12) for one in confidence})[:10]
    answers = pl.DataFrame(
        {
            "record_id": people["record_id"].cast(pl.Int64),
            "mia_confidence": confidence,
            "aia_time_hat": times,
            "aia_onset_conf": onset,
        }
    )
    with atomic_path(output) as path:
        answers.write_csv(path)
    finish(document, json=json, text=f"{output}: {people.height} answers")


@app.command("score-attack")
def score_attack(
    truth: Truth,
    mia: Annotated[Path, typer.Argument(metavar="F_MIA", help="Confidences, one column per target.")],
    aia: Annotated[Path, typer.Argument(metavar="F_AIA", help="Times of the challenge rows of every target.")],
    team: Team,
    json: JsonFlag = False,
) -> None:
    """Score the answers of one team about all others: attack power, bands, and everything behind them."""
    from tokumei.contests.pws2026 import official_files, scores

    found = scores.score_attack(official_files.read_answers(truth, mia, aia, team))
    _finish(found, json=json, names=("attack_power", "mia_power", "aia_power", "mia_all", "mia_rare", "aia_all"))


@app.command("score-defence")
def score_defence(truth: Truth, made: Table, team: Team, json: JsonFlag = False) -> None:
    """Score a synthetic cohort as the board did: utility, and protection from the reference attack."""
    from tokumei.contests.pws2026.official_files import score_process

    found = score_process(truth, _table(made), team)
    _finish(found, json=json, names=("utility", "U_gen", "U_spec", "U_rare", "U_valid", "protection"))


@app.command()
def selfscore(
    data: Data,
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="Folder with C.csv.")],
    seed: Annotated[str, typer.Option("--seed", help="What candidates and challenge rows are drawn from.")] = "",
    json: JsonFlag = False,
) -> None:
    """Score an own release before it is handed in: the judge's utility, and all our attacks on drawn candidates."""
    from tokumei.cli.contest_folders import attacked_by_samples
    from tokumei.contests.pws2026.contest import Pws2026
    from tokumei.contests.pws2026.scores import anonymity

    contest = Pws2026()
    checked = contest.check_release(data, release)
    if not checked.valid:
        message = f"{release} is invalid: {checked.notes[0].message['en']}; see 'tokumei pws2026 check'"
        raise InputError(message, code=checked.notes[0].code, file=str(release))
    attacks = attacked_by_samples(contest, data, release, seed=seed)
    best = {name: max(found[name] for found in attacks.values()) for name in ("beyond_chance", "aia")}
    safe = anonymity(best["beyond_chance"], best["aia"])
    document = {**checked.figures, **safe, "total": min(checked.figures["U"], safe["Anon"]), "attacks": attacks}
    _finish(document, json=json, names=("total", "U", "U_gen", "U_spec", "U_rare", "U_valid", "Anon", "a_MIA", "a_AIA"))


@app.command()
def km(
    cohort: Annotated[Path, typer.Argument(metavar="B", help="A cohort with time and onset.")],
    seed: Annotated[int, typer.Option("--seed", min=0, help="Draws the bootstrap samples.")] = 0,
    json: JsonFlag = False,
) -> None:
    """Return the signal and the noise floor of a cohort's Kaplan-Meier curve."""
    import numpy as np

    from tokumei.contests.pws2026.general import curve_floor, curve_signal
    from tokumei.contests.pws2026.table import read_table

    table = read_table(cohort)
    document = {"km_signal_D": curve_signal(table), "km_floor": curve_floor(table, np.random.default_rng(seed))}
    _finish(document, json=json, names=("km_signal_D", "km_floor"))


@app.command()
def cohorts(
    names: Annotated[Path, typer.Argument(metavar="NAMES", help="Names of the teams, one per line, as registered.")],
    salt: Annotated[str, typer.Option("--salt", help="The salt, published after registration.")],
    committed: Annotated[str, typer.Option("--commitment", help="The SHA-256 that was published before.")] = "",
    count: Annotated[int, typer.Option("--cohorts", min=1, help="How many cohorts there are.")] = 30,
    json: JsonFlag = False,
) -> None:
    """Assign cohorts to teams by SHA-256, and verify the commitment; exit status 1 if the salt is not that one."""
    from tokumei.contests.cohorts import assign_cohorts, commitment

    teams = names.read_text(encoding="utf-8-sig").splitlines()
    if len(teams) > count:
        message = f"{names} has {len(teams)} teams, more than the {count} cohorts"
        raise InputError(message, code="too-many-teams", file=str(names))
    found = assign_cohorts(teams, salt, cohorts=count)
    holds = not committed or commitment(salt) == committed.strip().lower()
    rows = [{"registration": at, "name": name, "cohort": found[at - 1]} for at, name in enumerate(teams, 1)]
    document = {"commitment_sha256": commitment(salt), "commitment_holds": holds, "teams": rows}
    table = ["team", "cohort"], [[row["name"], row["cohort"]] for row in rows]
    finish(document, json=json, show=lambda console: show_table(console, *table), status=1 - holds)


@app.command()
def total(
    utility: Annotated[float, typer.Option("--utility", help="U.")] = 1.0,
    beta: Annotated[float, typer.Option("--beta", help="Best membership rate beyond chance.")] = 0.0,
    members: Annotated[float | None, typer.Option("--p-m", help="Share of members guessed right.")] = None,
    controls: Annotated[float, typer.Option("--p-c", help="Share of controls guessed right.")] = 0.0,
    floor: Annotated[float, typer.Option("--floor", help="The organisers' floor φ.")] = 0.0,
    json: JsonFlag = False,
) -> None:
    """Return anonymity and total from the best attacks: min(U, 1 - max(a_MIA, a_AIA))."""
    from tokumei.contests.pws2026.scores import anonymity, beyond_controls

    reached = 0.0 if members is None else beyond_controls(members, controls)
    safe = anonymity(beta, reached - floor)
    document = {"U": utility, "beta": beta, "R": reached, **safe, "total": min(utility, safe["Anon"])}
    _finish(document, json=json, names=("total", "U", "Anon", "a_MIA", "a_AIA", "R"))


add_examples(app, "tokumei.contests.pws2026", "pws2026")
