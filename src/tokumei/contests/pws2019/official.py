"""The official programs of PWS Cup 2019 (later contests, spec 4), each a command of ``tokumei pws2019``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tokumei.contests.findings import Findings
from tokumei.contests.matrices import read_matrix
from tokumei.contests.official import Answer, Natural, Settings, Target, chosen_part, read_json
from tokumei.contests.pws2019 import checker, samples, traces
from tokumei.contests.pws2019.contest import Pws2019, published_lines, read_published
from tokumei.contests.values import Figures
from tokumei.data import OWNER_ONLY, read_bytes, read_region_traces, write_text
from tokumei.errors import ParameterError

FINAL_WEIGHT = 9
# Sums that are equal on paper differ by their rounding far behind this digit.
DIGITS = 9
PLACES = ("1st", "2nd", "3rd")


def _write(path: Path, header: str, lines: Iterable[object], *, secret: bool = False) -> None:
    write_text(path, "".join(f"{line}\n" for line in (header, *lines)), mode=OWNER_ONLY if secret else None)


def check_cells(ano: Path, *, rows: Natural = 80_000, strict: bool = False) -> Findings:
    """Check anonymized cells: all faults, and what the official server says; exit status 1 if a rule is broken."""
    return checker.check_cells(read_bytes(ano, allow_empty=True), ano.name, rows=rows, strict=strict)


def score(org: Path, ano: Path, *, cells: bool = False) -> Figures:
    """Measure s_U as the deciding program did, and as the R server did; exit status 1 if the program stops."""
    true, lines = read_region_traces(org).regions.ravel(), traces.cell_lines(ano)
    found = traces.read_cells(lines, len(true), str(ano))
    document: dict[str, Any] = {"s_U": traces.utility(true, found), "server_R": traces.server_utility(true, found)}
    if cells:
        told = []
        for row in range(len(true)):
            one, own = traces.read_cells(lines[row : row + 1], 1, str(ano)), true[row : row + 1]
            told.append({"true": int(own[0]), "cell": lines[row], "score": traces.utility(own, one)})
            if found.counts[row] == 1:
                told[-1]["as_answer_s_T"] = traces.trace_score(own, np.array(one.members))
        document["cells"] = told
    return document


def score_ids(ptable: Path, etable: Path) -> Figures:
    """Measure s_I: 1 less the share of pseudonyms whose user was named; exit status 1 if the program stops."""
    owners = traces.read_owners(ptable)
    named = traces.read_cells(traces.cell_lines(etable), len(owners), str(etable), sets=False, grid=False).members
    return {"s_I": traces.identity_score(owners, named)}


def score_traces(org: Path, etraces: Path) -> Figures:
    """Measure s_T: how far answers are from the truth, hospitals ten times; exit status 1 if the program stops."""
    true = read_region_traces(org).regions.ravel()
    named = traces.read_cells(traces.cell_lines(etraces), len(true), str(etraces), sets=False).members
    return {"s_T": traces.trace_score(true, named)}


def sample_method(name: str, org: Path, *, output: Target, settings: Settings = None, seed: Natural = 1) -> Answer:
    """Anonymize traces by a sample method, draw by draw as the official program; tell s_U too."""
    method, true = chosen_part(Pws2019, samples.METHODS, name, "method", settings), read_region_traces(org).regions
    cells = method.cells(true, traces.GRID, np.random.RandomState(seed))
    _write(output, "reg_id", cells)
    kept = traces.utility(true.ravel(), traces.read_cells(cells, len(cells), str(output)))
    return Answer(document={"method": name, "rows": len(cells), "s_U": kept}, text=f"{output}: s_U {kept:.4f}")


def shuffle(org: Path, ano: Path, *, output: Target, table: Target, seed: Natural = 1) -> Answer:
    """Publish anonymized cells under pseudonyms, as the official program; only the judge may see the table."""
    original, lines = read_region_traces(org), traces.cell_lines(ano)
    owners = samples.shuffled_ids(len(original.users), np.random.RandomState(seed))
    if len(lines) < original.regions.size:
        raise ParameterError(f"{ano} has {len(lines)} cells, but {original.regions.size} are needed", code="rows")
    shown, owned = published_lines(original, lines, owners)
    _write(output, *shown)
    _write(table, *owned, secret=True)
    return Answer(document={"pseudonyms": len(owners)}, text=f"{output}: {len(owners)} pseudonyms")


def sample_attack(name: str, ref: Path, pub: Path, *, output: Target, seed: Natural = 1) -> Answer:
    """Run a sample attack, draw by draw as the official program: write an etable (I) or etraces (T, replay)."""
    reference = read_region_traces(ref)
    seen, draw = read_published(reference.regions, pub), np.random.RandomState(seed)
    known = samples.IDENTITY_ATTACKS + samples.TRACE_ATTACKS
    if name not in known:
        raise ParameterError(f"there is no attack {name}; it is one of {known}", code="usage")
    if name in samples.IDENTITY_ATTACKS:
        _write(output, "user_id", reference.users[samples.guessed_users(name, seen, draw)].tolist())
    else:
        _write(output, "reg_id", samples.guessed_traces(name, seen, draw).ravel().tolist())
    return Answer(document={"attack": name}, text=str(output))


def standings(s_i: Path, s_t: Path, *, preliminary: Path | None = None) -> Answer:
    """Compute the official tables of a round from its matrices, and overall with awards."""
    matrices = {kind: read_matrix(path, "pub") for kind, path in (("I", s_i), ("T", s_t))}
    teams = [name.removeprefix("team") for name in next(iter(matrices["I"].values()), {}) if name.startswith("team")]
    figures = {}
    for team in teams:
        least = [
            min((value for value in row.values() if value is not None), default=0)
            for row in (
                matrices["I"].get(f"team{team}_data01_IDP", {}),
                matrices["T"].get(f"team{team}_data02_TRP", {}),
            )
        ]
        figures[team] = {"SecI": least[0], "SecT": least[1], "Total": sum(least)}
    sums = {
        kind: {name: sum(row[name] or 0.0 for row in matrix.values()) for name in next(iter(matrix.values()), {})}
        for kind, matrix in matrices.items()
    }
    _remark(figures)
    document: dict[str, Any] = {"anonymizers": figures, "attack_sums": sums}
    if preliminary is not None:
        document |= _overall(document, read_json(preliminary))
    shown = document.get("overall", figures)
    rows = [[team, *[value or "" for value in one.values()]] for team, one in shown.items()]
    return Answer(document=document, table=(["team", "SecI", "SecT", "Total", ""], rows))


def _remark(figures: dict[str, Any], awards: Mapping[str, str] | None = None) -> None:
    best = sorted(figures, key=lambda team: (-round(figures[team]["Total"], DIGITS), team))[: len(PLACES)]
    for team, one in figures.items():
        told = [PLACES[best.index(team)]] if team in best else []
        one["remark"] = ", ".join([*told, *[title for title, name in (awards or {}).items() if name == team]]) or None


def _overall(document: dict[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return preliminary + 9 final, the awards, and the best assessor of each attack."""
    kinds = ("SecI", "SecT", "Total")
    figures = {
        team: {key: float(before["anonymizers"][team][key]) + FINAL_WEIGHT * one[key] for key in kinds}
        for team, one in document["anonymizers"].items()
    }
    best = {key: max(figures, key=lambda team: round(figures[team][key], DIGITS)) for key in kinds}
    _remark(figures, {"Best IDP": best["SecI"], "Best TRP": best["SecT"]})
    told: dict[str, Any] = {"overall": figures}
    for kind, key in (("I", "SecI"), ("T", "SecT")):
        sums = {
            name: float(before["attack_sums"][kind][name]) + FINAL_WEIGHT * value
            for name, value in document["attack_sums"][kind].items()
        }
        out = {f"team{best['Total']}", f"team{best[key]}"}
        open_to = {name: value for name, value in sums.items() if name.startswith("team") and name not in out}
        least = round(min(open_to.values(), default=0.0), DIGITS)
        told[f"overall_attack_sums_{kind}"] = sums
        told[f"best_risk_assessor_{kind}"] = [name for name, value in open_to.items() if round(value, DIGITS) == least]
    return told
