"""The official programs of PWS Cup 2026 (later contests, spec 1), each a command of ``tokumei pws2026``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.contests import cohorts as drawing
from tokumei.contests.findings import Findings
from tokumei.contests.folders import attacked_by_samples
from tokumei.contests.official import Answer, Natural, Positive, Target
from tokumei.contests.pws2026 import checker, official_files, scores
from tokumei.contests.pws2026.attacks import density_ratio, nearest_time
from tokumei.contests.pws2026.contest import Pws2026
from tokumei.contests.pws2026.csv_cells import Cells
from tokumei.contests.pws2026.general import curve_floor, curve_signal
from tokumei.contests.pws2026.table import World, read_table
from tokumei.contests.pws2026.utility import measure_utility
from tokumei.contests.values import Figures
from tokumei.data import atomic_path, read_bytes
from tokumei.errors import InputError


def _table(path: Path) -> Path:
    return path / "C.csv" if path.is_dir() else path


def utility(data: Path, c: Path) -> Answer:
    """Measure a synthetic cohort: U, its four facets and every part of them."""
    measured = measure_utility(World.read(data), read_table(_table(c)))
    parts = [
        [f"{facet}: {name}", value]
        for facet, figures in measured["detail"].items()
        for name, value in figures.items()
        if isinstance(value, int | float)
    ]
    rows = [["U", measured["U"]], *map(list, measured["facets"].items()), *parts]
    return Answer(document={**measured, **measured["facets"]}, table=(["measure", "value"], rows))


def check_zip(dist: Path, submission: Path, *, strict: bool = False) -> Findings:
    """Check a submission with its token; exit status 1 if a rule is broken."""
    if not submission.is_file():
        raise InputError(f"{submission} is no file; name a zip", code="no-file", file=str(submission))
    return checker.check_submission(submission, dist, strict=strict)


def tpr(answers: Path) -> Answer:
    """Score confidences: true positives at 1 % false positives, over all rows and over the rare ones."""
    cells = Cells.read(read_bytes(answers))
    rare = cells.numbers("rare") == 1 if "rare" in cells.columns else None
    found = scores.score_membership(cells.numbers("confidence"), cells.numbers("truth") == 1, rare)
    return Answer(document=found, shown=("score", "tpr_at_low_fpr", "tpr_rare", "auc"))


def aia(answers: Path) -> Answer:
    """Score guessed times of members against those of controls."""
    cells = Cells.read(read_bytes(answers))
    rare = cells.numbers("rare") == 1 if "rare" in cells.columns else None
    members = cells.numbers("member") == 1
    found = scores.score_attribute(cells.numbers("time_hat"), cells.numbers("time"), members, rare)
    return Answer(document=found, shown=("score", "r_time_all", "r_time_rare"))


def attack_rows(c: Path, a_bg: Path, candidates: Path, *, output: Target) -> Answer:
    """Run both reference attacks on candidates; write a confidence, a time and an onset confidence for each."""
    made, base, people = read_table(_table(c)), read_table(a_bg), read_table(candidates)
    document: dict[str, Any] = {"rows": people.height, "official": None}
    try:
        confidence = density_ratio(made, base, people)
    except ValueError:
        # Fewer rows than columns have no density: our answer is that nothing is known.
        confidence = np.full(people.height, 0.5)
        document["official"] = {"error": "ValueError"}
    times, onset = nearest_time(made, base, people)
    document["confidence"] = sorted({round(float(one), 12) for one in confidence})[:10]
    guessed = {"mia_confidence": confidence, "aia_time_hat": times, "aia_onset_conf": onset}
    with atomic_path(output) as path:
        pl.DataFrame({"record_id": people["record_id"].cast(pl.Int64), **guessed}).write_csv(path)
    return Answer(document=document, text=f"{output}: {people.height} answers")


def score_attack(truth: Path, f_mia: Path, f_aia: Path, *, team: int) -> Answer:
    """Score the answers of one team about all others: attack power, bands, and everything behind them."""
    found = scores.score_attack(official_files.read_answers(truth, f_mia, f_aia, team))
    return Answer(document=found, shown=("attack_power", "mia_power", "aia_power", "mia_all", "mia_rare", "aia_all"))


def score_defence(truth: Path, c: Path, *, team: int) -> Answer:
    """Score a synthetic cohort as the board did: utility, and protection from the reference attack."""
    found = official_files.score_process(truth, _table(c), team)
    return Answer(document=found, shown=("utility", "U_gen", "U_spec", "U_rare", "U_valid", "protection"))


def selfscore(data: Path, release: Path, *, seed: str = "") -> Answer:
    """Score an own release before it is handed in: the judge's utility, and all our attacks on drawn candidates."""
    contest = Pws2026()
    checked = contest.check_release(data, release)
    if not checked.valid:
        message = f"{release} is invalid: {checked.notes[0].message['en']}; see 'tokumei pws2026 check'"
        raise InputError(message, code=checked.notes[0].code, file=str(release))
    attacks = attacked_by_samples(contest, data, release, seed=seed)
    best = [max(found[name] for found in attacks.values()) for name in ("beyond_chance", "aia")]
    safe = scores.anonymity(*best)
    document = {**checked.figures, **safe, "total": min(checked.figures["U"], safe["Anon"]), "attacks": attacks}
    return Answer(
        document=document, shown=("total", "U", "U_gen", "U_spec", "U_rare", "U_valid", "Anon", "a_MIA", "a_AIA")
    )


def km(b: Path, *, seed: Natural = 0) -> Figures:
    """Return the signal and the noise floor of a cohort's Kaplan-Meier curve."""
    table = read_table(b)
    return {"km_signal_D": curve_signal(table), "km_floor": curve_floor(table, np.random.default_rng(seed))}


def cohorts(names: Path, *, salt: str, commitment: str = "", cohorts: Positive = 30) -> Answer:
    """Assign cohorts to teams by SHA-256, and verify the commitment; exit status 1 if the salt is not that one."""
    teams = read_bytes(names).decode("utf-8-sig").splitlines()
    if len(teams) > cohorts:
        message = f"{names} has {len(teams)} teams, more than the {cohorts} cohorts"
        raise InputError(message, code="too-many-teams", file=str(names))
    found, known = drawing.assign_cohorts(teams, salt, cohorts=cohorts), drawing.commitment(salt)
    holds = not commitment or known == commitment.strip().lower()
    rows = [{"registration": at, "name": name, "cohort": found[at - 1]} for at, name in enumerate(teams, 1)]
    table = (["team", "cohort"], [[row["name"], row["cohort"]] for row in rows])
    document = {"commitment_sha256": known, "commitment_holds": holds, "teams": rows}
    return Answer(document=document, table=table, good=holds)


def total(
    *, utility: float = 1.0, beta: float = 0.0, p_m: float | None = None, p_c: float = 0.0, floor: float = 0.0
) -> Answer:
    """Return anonymity and total from the best attacks: min(U, 1 - max(a_MIA, a_AIA))."""
    reached = 0.0 if p_m is None else scores.beyond_controls(p_m, p_c)
    safe = scores.anonymity(beta, reached - floor)
    document = {"U": utility, "beta": beta, "R": reached, **safe, "total": min(utility, safe["Anon"])}
    return Answer(document=document, shown=("total", "U", "Anon", "a_MIA", "a_AIA", "R"))
