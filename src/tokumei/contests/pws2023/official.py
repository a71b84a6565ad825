"""The official programs of PWS Cup 2023 (later contests, spec 5), each a command of ``tokumei pws2023``."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tokumei.array_types import Ints
from tokumei.contests.findings import Findings
from tokumei.contests.matrices import pairs_of, read_rows
from tokumei.contests.official import Answer, Natural, Positive, Settings, Target, chosen_part, read_json
from tokumei.contests.pws2023 import tables
from tokumei.contests.pws2023.contest import Pws2023
from tokumei.contests.pws2023.samples import ATTACKS, METHODS
from tokumei.contests.pws2023.tables import equal_cells, read_digits
from tokumei.contests.ranking import weighted_ranks, with_shared_ranks
from tokumei.contests.values import Entry, Figures, RoundTable
from tokumei.data import read_bytes, write_bytes
from tokumei.errors import InputError, ParameterError

WEIGHTS = (0.1, 0.9)
TOP = 3


def _written(output: Path, table: Ints) -> Answer:
    text = tables.table_bytes(table)
    write_bytes(output, text)
    lines = text.decode().splitlines()
    hashes = {"sha256": hashlib.sha256(text).hexdigest(), "md5": hashlib.md5(text, usedforsecurity=False).hexdigest()}
    return Answer(document={"rows": len(lines), **hashes, "first": lines[:3], "last": lines[-1]}, text=str(output))


def _number(seed: str) -> int:
    number = tables.seed_of(seed.encode())
    if number is None:
        raise ParameterError(f"'{seed}' is no seed; write a whole number without leading zeros", code="seed")
    return number


def secret(seed: str, *, output: Target, rows: Positive = 100_000) -> Answer:
    """Write R = G(seed)."""
    return _written(output, tables.secret_table(_number(seed), rows))


def public(seed: str, *, output: Target, rows: Positive = 100_000, columns: Positive = 8) -> Answer:
    """Write the public table P of a seed."""
    return _written(output, tables.public_table(_number(seed), rows, columns))


def check_table(file: Path, *, rows: Positive = 100_000, columns: Positive = 10, stars: bool = False) -> Findings:
    """Check a table: all faults, and the first in the words of the official checker; exit status 1 if there is one."""
    return tables.check_table(read_bytes(file, allow_empty=True), file.name, rows=rows, columns=columns, star=stars)[0]


def check_submission(p: Path, r: Path, seed: Path, a: Path, *, strict: bool = False) -> Answer:
    """Judge an anonymization as the official server: R must come from the seed; exit status 1 if it is refused."""
    found, original = tables.check_secret(read_digits(p), r, seed, strict=strict)
    released = None
    if original is not None:
        raw, (rows, columns) = read_bytes(a, allow_empty=True), original.shape
        faults, released = tables.check_table(raw, a.name, rows=rows, columns=columns, star=True)
        found.take(faults)
    document: dict[str, Any] = {"accepted": found.valid, "errors": [note.as_dict() for note in found.notes]}
    if original is None or released is None:
        return Answer(document=document, text=str(found.notes), good=False)
    equal = equal_cells(original, released)
    scores = {"ano_reserved_0": f"{equal / original.size:.4f}", "util_raw_score": str(equal)}
    document |= {"scores": scores, "utility": equal / original.size, "cells": original.size}
    return Answer(document=document, text=str(scores))


def check_attack(folder: Path, *, rows: Positive = 100_000, teams: Positive = 15, strict: bool = False) -> Answer:
    """Check an attack as the official server: one wrong file makes all of it fail; exit status 1 then.

    Files named for other teams are not looked at.
    """
    claimed = tables.first_line(read_bytes(folder / "my_id.txt", allow_empty=True))
    found = Findings(tables.HOME)
    scores = {"atk_info_claimed_id": claimed, "atk_info_my_id_verified": "1"}
    first, known = None, {"my_id.txt"}
    if tables.TEAM.fullmatch(claimed) is None:
        found.add("team-id", "my_id.txt", line=1)
        first, teams, strict = "formatting error in my_id.txt", 0, False
    for team in (f"{number:02d}" for number in range(1, teams + 1)):
        path = folder / f"f_{team}_{claimed}.csv"
        present = path.is_file() and team != claimed
        scores[f"atk_submission_status_{team}"] = str(int(present))
        if present:
            known.add(path.name)
            raw = read_bytes(path, allow_empty=True)
            faults, _answers = tables.check_table(raw, path.name, rows=rows, columns=tables.SECRET_COLUMNS)
            found.take(faults)
            first = first or faults.official["message"]
    for surplus in sorted({path.name for path in folder.iterdir()} - known) if strict else ():
        found.add("surplus", surplus, value=surplus)
    told = {"scores": scores} if found.valid else {"message": first}
    errors = [note.as_dict() for note in found.notes]
    document = {"accepted": found.valid, "errors": errors, **told}
    return Answer(document=document, text=str(scores if found.valid else errors), good=found.valid)


def check_seed(seed: Path, *, strict: bool = False) -> Answer:
    """Check the file of a seed; only its first line is read; exit status 1 if it is refused."""
    raw = read_bytes(seed, allow_empty=True)
    accepted = tables.seed_of(raw) is not None and not (strict and raw.count(b"\n") > 1)
    return Answer(document={"accepted": accepted}, text="accepted" if accepted else "refused", good=accepted)


def sample_method(name: str, p: Path, r: Path, *, output: Target, seed: Natural, settings: Settings = None) -> Answer:
    """Anonymize P and R side by side, draw by draw as the official program."""
    method = chosen_part(Pws2023, METHODS, name, "method", settings)
    return _written(output, method.anonymize(np.hstack([read_digits(p), read_digits(r)]), seed))


def sort(a: Path, *, output: Target) -> Answer:
    """Write B: the rows of A in the order of their bytes."""
    return _written(output, tables.sorted_rows(read_digits(a, star=True)))


def sample_attack(
    name: str, p: Path, b: Path, *, output: Target, seed: Natural = 1, settings: Settings = None
) -> Answer:
    """Guess the secret table of all rows of P, draw by draw as the official program."""
    attack = chosen_part(Pws2023, ATTACKS, name, "attack", settings)
    return _written(output, attack.answers(read_digits(p), read_digits(b, star=True), seed))


def score_attack(r: Path, f: Path) -> Figures:
    """Count the right cells of an attack."""
    truth, answers = read_digits(r), read_digits(f)
    if truth.shape != answers.shape:
        raise InputError(f"{f} has another shape than {r}; give one digit per secret cell", code="shape", file=str(f))
    hits = equal_cells(truth, answers)
    return {"hits": hits, "cells": truth.size, "a": hits / truth.size, "printed": f"{hits / truth.size:.4f}"}


def standings(
    utility: Path, attack: Path, *, preliminary: Path | None = None, invalid: list[str] | None = None
) -> Answer:
    """Compute the official tables of a round from its matrix, and the best three overall."""
    useful = {row["team"]: float(row["u"]) for row in read_rows(utility, ("team", "u"))}
    entries = [Entry(team, None if team in (invalid or ()) else {"u": value}, None) for team, value in useful.items()]
    contest = Pws2023()
    table = contest.rank_round(entries, pairs_of(attack, "attacker", "a"))
    # Who handed in nothing valid is ranked, too: u = s = 0.
    plain = {"u": 0.0, "s": 0.0, "x": 0.0}
    every = [replace(row, figures={**plain, **row.figures}) for row in table.anonymizers]
    table = replace(table, anonymizers=with_shared_ranks(every, lambda row: contest.kept_order(row.figures)))
    document: dict[str, Any] = {
        "anonymizers": {row.team: {**row.figures, "rank": row.rank} for row in table.anonymizers},
        "attackers": {row.team: {"y": row.figures["y"], "rank": row.rank} for row in table.attackers},
    }
    if preliminary is not None:
        document["overall"] = _overall(table, read_json(preliminary))
    rows = [[team, one["rank"] or "-", one["x"], one["u"], one["s"]] for team, one in document["anonymizers"].items()]
    return Answer(document=document, table=(["team", "rank", "x", "u", "s"], rows))


def _overall(table: RoundTable, before: Mapping[str, Mapping[str, int]]) -> dict[str, list[str]]:
    divisions = {}
    for kind, rows in (("anonymizer", table.anonymizers), ("attacker", table.attackers)):
        past = [replace(row, rank=before[kind].get(row.team)) for row in rows]
        divisions[kind] = weighted_ranks([(WEIGHTS[0], past), (WEIGHTS[1], rows)])
    ranks = {kind: {row.team: row.rank or len(rows) for row in rows} for kind, rows in divisions.items()}
    both = {team: rank + ranks["attacker"][team] for team, rank in ranks["anonymizer"].items()}
    total = sorted(both, key=lambda team: (both[team], ranks["anonymizer"][team]))
    told = {f"{kind}_top3": [row.team for row in rows[:TOP]] for kind, rows in divisions.items()}
    return {**told, "grand_total_top3": total[:TOP]}
