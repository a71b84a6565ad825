"""The official programs of PWS Cup 2025 (later contests, spec 2), each a command of ``tokumei pws2025``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tokumei.contests.findings import Findings
from tokumei.contests.matrices import read_matrix, read_rows
from tokumei.contests.official import Answer, Folder, Positive, Target, read_json
from tokumei.contests.pws2025 import attacks, checker
from tokumei.contests.pws2025.contest import BEST_TEAMS, anonymity_of
from tokumei.contests.pws2025.model import TARGET, right_predictions
from tokumei.contests.pws2025.model import predict as predicted
from tokumei.contests.pws2025.model import train_model as trained
from tokumei.contests.pws2025.table import Patients
from tokumei.contests.pws2025.utility import measure_table
from tokumei.contests.ranking import Board, over_rounds, places
from tokumei.contests.values import Entry, Pair
from tokumei.data import atomic_folder, read_bytes, write_bytes
from tokumei.errors import InputError


def _rows(path: Path) -> checker.Rows:
    return checker.Rows.read(read_bytes(path), str(path))


def table_utility(b: Path, c: Path) -> Answer:
    """Measure a table: statistics, logistic regression and Kruskal-Wallis figures, with every term."""
    names = (
        "C_utility_80",
        "stats_diff_max",
        "LR_diff_max",
        "KW_diff_max",
        "stats_worst_terms",
        "LR_worst",
        "KW_worst",
    )
    return Answer(document=measure_table(Patients.read(b), Patients.read(c)), shown=names)


def check_values(table: Path) -> Findings:
    """Check every value of a table (check_csv); exit status 1 if one is wrong."""
    return checker.check_values(_rows(table), table.name)


def repair(table: Path, *, output: Target) -> Answer:
    """Repair numbers (check_and_fix_csv): clip, round half up; exit status 1 if a category is wrong."""
    raw, said = checker.repair(_rows(table))
    if raw is not None:
        write_bytes(output, raw)
    text = f"{output}: {said['corrections']} corrections" if raw is not None else "not repaired: see check-values"
    return Answer(document={**said, "official": {"exit_code": said["exit_code"]}}, text=text, good=raw is not None)


def check_table(table: Path, *, rows: Positive = 10_000, strict: bool = False) -> Findings:
    """Check columns, order, rows and values of a table (pws_data_format); --strict looks at decimals too."""
    return checker.check_table(_rows(table), table.name, rows=rows, decimals=strict)


def check_model(model: Path) -> Findings:
    """Check a model (validate_model_json); exit status 1 if a rule is broken."""
    return checker.check_model(read_bytes(model), model.name)


def train_model(table: Path, *, output: Target, trees: Positive = 600, depth: Positive = 6) -> Answer:
    """Train a model that predicts a stroke (xgbt_train)."""
    raw, found = trained(Patients.read(table), trees=trees, depth=depth)
    write_bytes(output, raw)
    text = f"{output}: accuracy {found['validation_accuracy']:.4f} on the held-out tenth"
    return Answer(document=found, text=text)


def predict(model: Path, tables: list[Path]) -> Answer:
    """Predict strokes by a model (xgbt_pred): the accuracy on each table, and the chances of the last."""
    raw, accuracy, chances = read_bytes(model), {}, []
    for path in tables:
        table = Patients.read(path)
        found = predicted(raw, table)
        accuracy[path.name] = float(right_predictions(found, table.answers(TARGET)).mean())
        chances = found.tolist()
    rows = [list(one) for one in accuracy.items()]
    return Answer(document={"accuracy": accuracy, "probabilities": chances}, table=(["table", "accuracy"], rows))


def sample_attacks(a: Path, c: Path, model: Path, *, output: Folder, count: Positive = 10_000) -> Answer:
    """Run the sample attacks Pred, Conf, TopConf, NN and Mix; write a file of marks for each."""
    made = attacks.sample_attacks(Patients.read(a), Patients.read(c), read_bytes(model), count)
    with atomic_folder(output) as folder:
        for name, marks in made.items():
            # Conf writes True and False, which the official count does not see.
            words = marks.astype(bool) if name == "conf" else marks.astype(int)
            (folder / f"F_{name}.csv").write_text("".join(f"{word}\n" for word in words.tolist()), encoding="utf-8")
    marked = {name: {"marked": int(marks.sum())} for name, marks in made.items()}
    rows = [[name, found["marked"]] for name, found in marked.items()]
    return Answer(document={"attacks": marked}, table=(["attack", "marked"], rows))


def members(a: Path, b: Path, *, output: Target) -> Answer:
    """Write which rows of A are, as text, also in B (gen_ans)."""
    people, inside = _rows(a), _rows(b)
    lacking = [name for name in people.header if name not in inside.header]
    if lacking:
        message = f"{b} has no column {', '.join(lacking)}, which {a} has; give tables with the same columns"
        raise InputError(message, code="columns", file=str(b))
    places = [inside.header.index(name) for name in people.header]
    known = {tuple(row[place] for place in places) for row in inside.rows}
    marks = [int(tuple(row) in known) for row in people.rows]
    write_bytes(output, "".join(f"{mark}\n" for mark in marks).encode())
    text = f"{output}: {sum(marks)} of {len(marks)} rows"
    return Answer(document={"ones": sum(marks), "rows": len(marks)}, text=text)


def hits(z: Path, f: Path, *, skip_header: bool = False, zero_based: bool = False) -> Answer:
    """Count the members that were marked (check_ans)."""
    found = checker.count_hits(z, f, skip=skip_header, first=0 if zero_based else 1)
    return Answer(document=found, text=f"{found['total']} hits")


def totals(
    hits: Path, scores: Path, *, top: Positive = BEST_TEAMS, members: Positive = 10_000, preliminary: Path | None = None
) -> Answer:
    """Compute anonymity, totals, attack points and ranks from the hits of all attackers."""
    matrix = read_matrix(hits, "target")
    names = list(next(iter(matrix.values()), {}))
    pairs = [
        Pair(attacker, owner, {"hits": int(count or 0)})
        for owner, row in matrix.items()
        for attacker, count in row.items()
    ]
    given = {row["team"]: row for row in read_rows(scores, ("team", "utility", "penalty"))}
    useful = {team: float(row["utility"] or 0) for team, row in given.items()}
    board = Board([Entry(team, {}, None) for team in useful], pairs)
    safe = {
        team: anonymity_of(board.most(team, "hits"), members, int(row["penalty"] or 0)) for team, row in given.items()
    }
    # Who handed nothing in has no utility, and nothing that could be anonymous.
    safe = {team: value if useful[team] > 0 else 0.0 for team, value in safe.items()}
    total = {team: useful[team] + safe[team] for team in useful}
    best = tuple(sorted(total, key=lambda team: (-total[team], team)))
    board = Board(board.entries, pairs, best)
    points = {name: board.on_best(name, "hits", top) for name in names}
    ranks, attacking = places(total), places(points)
    document: dict[str, Any] = {
        "teams": {
            team: {
                "max_hits": int(board.most(team, "hits")),
                "anonymity": safe[team],
                "total": total[team],
                "rank": ranks[team],
            }
            for team in total
        },
        "attackers": {
            name: {
                "all": sum(int(row.get(name) or 0) for row in matrix.values()),
                "top": int(points[name]),
                "rank": attacking[name],
            }
            for name in names
        },
    }
    if preliminary is not None:
        before = read_json(preliminary)
        attack = over_rounds(points, before["attack_top5"], 2.0)
        best_attack = max(attack, key=lambda name: attack[name])
        document["overall"] = {"ranks": places(over_rounds(total, before["total"])), "best_attack": best_attack}
    rows = [[team, *row.values()] for team, row in sorted(document["teams"].items(), key=lambda one: one[1]["rank"])]
    return Answer(document=document, table=(["team", "most hits", "anonymity", "total", "rank"], rows))
