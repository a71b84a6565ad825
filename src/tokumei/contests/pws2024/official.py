"""The official programs of PWS Cup 2024 (later contests, spec 3), each a command of ``tokumei pws2024``."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokumei.contests import linkage_task
from tokumei.contests.cohorts import opens
from tokumei.contests.findings import Findings
from tokumei.contests.matrices import pairs_of, read_rows
from tokumei.contests.official import Answer, Folder, Natural, Positive, StoppedError, Target
from tokumei.contests.pandas_table import as_written, parse_table, read_strictly, read_table, refuse_unread, table_text
from tokumei.contests.pws2024 import attack_task, checker, utility
from tokumei.contests.pws2024.contest import Pws2024, read_original
from tokumei.contests.pws2024.files import TABLES
from tokumei.contests.pws2024.utility import TableScore, view_texts
from tokumei.contests.ranking import by_team, over_rounds, places
from tokumei.contests.values import Entry, Figures
from tokumei.data import OWNER_ONLY, atomic_folder, read_bytes, write_bytes
from tokumei.errors import InfeasibleError, InputError

# Lines of the official test files end as Python's csv module ends them.
LINE_END = "\r\n"


def _ten(paths: list[Path]) -> list[Path]:
    if len(paths) != len(TABLES):
        raise InputError(f"{len(paths)} tables are named; name the ten tables in their order", code="usage")
    return paths


def split(b: Path, *, output: Folder, team: str = "00") -> Answer:
    """Write the ten tables of B, without the names."""
    texts = view_texts(read_original(b).frame)
    with atomic_folder(output) as folder:
        for number, text in enumerate(texts):
            (folder / f"B{team}_{number}.csv").write_bytes(text)
    tables = [
        {"table": number, "B_sha256": hashlib.sha256(text).hexdigest(), "file": f"B{team}_{number}.csv"}
        for number, text in enumerate(texts)
    ]
    return Answer(document={"tables": tables}, text=f"{output}: {len(tables)} tables")


def score(b: Path, tables: list[Path]) -> Answer:
    """Measure ten tables against B as the official program: the utility of each, and of the worst."""
    found = []
    for number, (text, path) in enumerate(zip(view_texts(read_original(b).frame), _ten(tables), strict=True)):
        raw = read_bytes(path)
        scored = utility.score_table(parse_table(text, str(b)), refuse_unread(parse_table(raw, str(path)), path))
        hashes = {"B_sha256": hashlib.sha256(text).hexdigest(), "C_sha256": hashlib.sha256(raw).hexdigest()}
        found.append({"table": number, **_told(scored), "error_printed": f"{scored.error:.5f}", **hashes})
    worst = min(one["utility"] for one in found)
    # The official summary begins at 100.0 and takes over only what is smaller.
    printed = f"{worst:.3f}" if worst < 100 else "100.0"
    rows = [[one["table"], one["L1"], one["U_printed"], " ".join(one["worst_pairs"])] for one in found]
    document = {"tables": found, "utility": worst, "U_printed": printed}
    return Answer(document=document, table=(["table", "L1", "utility", "worst pairs"], rows))


def _told(scored: TableScore) -> dict[str, Any]:
    pairs, printed = list(scored.worst_pairs), f"{scored.utility:.3f}"
    return {"L1": scored.l1, "utility": scored.utility, "U_printed": printed, "worst_pairs": pairs}


def score_table(b: Path, c: Path) -> Figures:
    """Measure one table against the original as the official program; columns of only one file are left out."""
    original, released = refuse_unread(read_table(b), b), read_strictly(c)
    if released.error is not None:
        message = f"{c} is no table that can be read (official: {released.error}); give a CSV file with a header"
        raise StoppedError(message, released.error, code="no-table")
    try:
        scored = utility.score_table(original, released)
    except InfeasibleError as error:
        raise StoppedError(str(error), "ValueError", code=error.code) from error
    return {**_told(scored), "max_mae_printed": f"{scored.error:.5f}"}


def check_table(b: Path, c: Path, *, rows: Natural | None = None, strict: bool = False) -> Findings:
    """Check one table: all faults, and what the official checker says; exit status 1 if a rule is broken."""
    original = refuse_unread(read_table(b), b)
    return checker.check_file(original, c, rows=original.rows if rows is None else rows, strict=strict)


def make_test(b: Path, *, output: Folder, seed: int, same_column: bool = False) -> Answer:
    """Draw the attack files a, b, x (answers) and s (drawn rows) from B as the official program."""
    made = attack_task.make_test(read_original(b).frame, seed, same_column=same_column)
    with atomic_folder(output) as folder:
        for name in "absx":
            text = table_text(getattr(made, name), line_end=LINE_END, header=name != "x")
            write_bytes(folder / f"{name}.csv", text, mode=OWNER_ONLY if name in "sx" else None)
    files = [f"{output}/{name}.csv" for name in "absx"]
    return Answer(document={"files": files}, text=f"{output}: a, b, s and x")


def sample_attack(a: Path, b: Path, tables: list[Path], *, output: Target, truth: Path | None = None) -> Figures:
    """Run the official sample attack; with the true answers its hits are counted too."""
    read = (refuse_unread(read_table(path), path) for path in (a, b, *_ten(tables)))
    known, ratings, *released = (replace(table, frame=as_written(table.frame)) for table in read)
    answers = attack_task.sample_attack(known.frame, ratings.frame, released)
    text = "".join(f"{row},{value}\n" for row, value in answers).encode()
    write_bytes(output, text)
    if truth is None:
        return {"rows": len(answers)}
    found = linkage_task.count_hits(read_table(truth, header=False), parse_table(text, "E", header=False))
    return {"rows": len(answers), **_hits(found)}


def _hits(found: tuple[int, int] | None, error: str | None = None) -> dict[str, Any]:
    if found is None:
        message = None if error else "do not have the same shape"
        return {"hits": None, "official": {"error": error, "message": message}}
    hits, printed = sum(found), f"Number of matching cells: {sum(found)}"
    figures = {"identified": found[0], "reconstructed": found[1], "hits": hits}
    return {**figures, "sample_anonymity": 100 - hits, "printed": printed}


def check_answers(x: Path, e: Path, *, team: Positive | None = None, strict: bool = False) -> Findings:
    """Count the hits of an answer file as the official program; exit status 1 if it cannot be counted."""
    answers = read_strictly(e, header=False)
    if team is not None and answers.error is None:
        answers = replace(answers, frame=answers.frame.select(answers.columns[2 * team - 2 : 2 * team]))
    found = checker.check_answers(answers, e.name, strict=strict)
    found.figures = _hits(linkage_task.count_hits(read_table(x, header=False), answers), answers.error)
    found.official = found.figures.get("official")
    return found


def standings(hits: Path, scores: Path, *, preliminary: Path | None = None) -> Answer:
    """Compute the official tables from a matrix of hits: totals, ranks and, with the preliminary round, overall.

    Who handed in nothing (0 everywhere) has rank 0 in the round, as there.
    """
    given = read_rows(scores, ("team", "sample_anonymity", "utility"))
    entries = []
    for line in given:
        figures = {name: float(line[name] or 0) for name in ("sample_anonymity", "utility")}
        entries.append(Entry(line["team"], figures if any(figures.values()) else None, None))
    table = Pws2024().rank_round(entries, pairs_of(hits, "target", "hits"))
    teams = by_team(table.anonymizers, ("anonymity", "utility", "total"))
    attackers = by_team(table.attackers, ("top5", "sum"))
    if preliminary is not None:
        totals = {line["team"]: float(line.get("pre_total") or 0) for line in given}
        points = {line["team"]: float(line["points"] or 0) for line in read_rows(preliminary, ("team", "points"))}
        _add_overall(teams, totals, "total")
        _add_overall(attackers, points, "top5")
    rows = [[team, *figures.values()] for team, figures in teams.items()]
    headers = ["team", *next(iter(teams.values()), {})]
    return Answer(document={"teams": teams, "attackers": attackers}, table=(headers, rows))


def _add_overall(found: dict[str, Any], before: Mapping[str, float], figure: str) -> None:
    """Add the weighted sums; here teams without a release in the last round are ranked too."""
    sums = over_rounds({team: one[figure] for team, one in found.items()}, before)
    ranks = places({team: round(score, 9) for team, score in sums.items()})
    for team, score in sums.items():
        found[team] |= {"overall": score, "overall_rank": ranks[team]}


def verify_opening(commitment: Path, opening: Path) -> Answer:
    """Verify that the answers were fixed when the tables were published; exit status 1 if they were changed."""
    kept = opens(read_bytes(commitment), read_bytes(opening))
    return Answer(document={"kept": kept}, text="kept" if kept else "changed", good=kept)
