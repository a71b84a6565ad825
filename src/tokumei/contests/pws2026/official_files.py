"""The organisers' folders of PWS Cup 2026 (pool_ids, B, aia_truth, aia_floor): a whole defence or attack scored."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from tokumei.array_types import Floats
from tokumei.contests.pws2026.attacks import density_ratio
from tokumei.contests.pws2026.csv_cells import Cells
from tokumei.contests.pws2026.scores import Answer, score_membership
from tokumei.contests.pws2026.table import Reference, World, read_table
from tokumei.contests.pws2026.utility import measure_utility
from tokumei.data import read_bytes
from tokumei.errors import InputError


def _cells(path: Path) -> Cells:
    return Cells.read(read_bytes(path))


def read_answers(truth: Path, mia: Path, aia: Path, team: int) -> dict[str, Answer]:
    """Return the answers of a team about all other teams with the truth beside them."""
    own, confidences, times = _cells(truth / f"pool_ids_{team}.csv"), _cells(mia), _cells(aia)
    floors = _floors(truth / "aia_floor.csv")
    given = _by_key(confidences, "record_id")
    order = [given[one] for one in own.numbers("record_id").tolist()]
    people, rare = own.numbers("pool_id"), own.flags("is_rare") if "is_rare" in own.columns else None
    target, row, guessed = (times.numbers(name) for name in ("target_k", "challenge_row_id", "time_hat"))
    found = {}
    for name in _targets(truth):
        number = int(name)
        if number == team:
            continue
        if name not in confidences.columns:
            message = f"{mia} lacks the column {number}; answer about every target"
            raise InputError(message, code="target-missing", file=str(mia))
        answers = _cells(truth / f"aia_truth_{number}.csv").of("label", ("member", "control"))
        about = target == number
        by_row = dict(zip(row[about].tolist(), guessed[about].tolist(), strict=True))
        asked = answers.numbers("challenge_row_id").tolist()
        if any(one not in by_row for one in asked):
            message = f"{aia} lacks challenge rows of target {number}; answer each"
            raise InputError(message, code="challenge-set", file=str(aia))
        found[name] = Answer(
            confidence=confidences.numbers(name)[order],
            member=np.isin(people, _cells(truth / f"pool_ids_{name}.csv").numbers("pool_id")),
            rare=rare,
            guessed=np.array([by_row[one] for one in asked]),
            time=answers.numbers("time"),
            challenged=(answers.frame["label"] == "member").to_numpy(),
            challenge_rare=answers.flags("is_rare"),
            floor=floors.get(number, 0.0),
        )
    return found


def _targets(truth: Path) -> list[str]:
    """Return who is attacked: the columns that were asked for, else every team with a cohort."""
    asked = truth / "mia_columns.json"
    if asked.exists():
        return [str(int(name)) for name in json.loads(asked.read_text(encoding="utf-8"))["target_columns"]]
    found = (re.fullmatch(r"pool_ids_(\d+)", path.stem) for path in sorted(truth.glob("pool_ids_*.csv")))
    return [match[1] for match in found if match]


def _by_key(cells: Cells, key: str) -> dict[float, int]:
    return {one: at for at, one in enumerate(cells.numbers(key).tolist())}


def _floors(path: Path) -> dict[int, float]:
    if not path.exists():
        return {}
    cells = _cells(path)
    return dict(zip(cells.numbers("team_id").astype(int).tolist(), cells.numbers("aia_floor").tolist(), strict=True))


def score_process(truth: Path, made: Path, team: int) -> dict[str, Any]:
    """Return utility and protection of a submission: 1 - score of the reference attack on the unused cohort."""
    people, reference = truth / f"B_{team}.csv", Reference.read(truth / f"utility_ref_{team}.json")
    background, table = read_table(truth / "A_bg.csv"), read_table(made)
    own, cohort = _cells(truth / f"pool_ids_{team}.csv"), read_table(people)
    if reference.rare is None:
        rare: Floats = own.numbers("is_rare")
        cohort = cohort.with_columns(is_rare=rare)
    measured = measure_utility(World.of(cohort, background, reference, file=people), table)
    unused = _cells(truth / "pool_ids_ref.csv")
    candidates = read_table(truth / "B_ref.csv")
    attacked = score_membership(
        density_ratio(table, background, candidates),
        np.isin(unused.numbers("pool_id"), own.numbers("pool_id")),
        unused.flags("is_rare") if "is_rare" in unused.columns else None,
    )
    rare_part = measured["detail"]["U_rare"]
    return {
        "utility": measured["U"],
        **measured["facets"],
        "protection": 1.0 - attacked["score"],
        "reference_attack": attacked,
        "u_rare_gate": {
            **{name: rare_part[name] for name in ("rare_detected_C", "rare_gate", "rare_true_B")},
            "gated_axes": rare_part["u_rare_gated"],
        },
    }
