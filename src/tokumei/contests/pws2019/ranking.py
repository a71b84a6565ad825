"""The rankings of PWS Cup 2019 (later contests, spec 4): both sheets of both rounds, totals and awards."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tokumei.contests import ranking
from tokumei.contests.values import Both, Column, Entry, Figures, Pair, RoundTable
from tokumei.data import read_bytes
from tokumei.errors import InputError

FINAL_WEIGHT = 9
PLACES = ("1st", "2nd", "3rd")
_SCORE: Both = {"en": "total", "ja": "合計"}
_SUM: Both = {"en": "sum of s over all files", "ja": "全ファイルのsの合計"}
_RULE: Both = {
    "en": "Anonymizers: highest s_I of file 1 plus s_T of file 2, each the least that an attacker or sample attack "
    "left. Attackers: least sum of s_I and s_T over both files of all others, 1 where nothing valid came. Equal "
    "teams share a rank.",
    "ja": "匿名加工：ファイル1のs_Iとファイル2のs_T（攻撃者とサンプル攻撃の中の最小値）の和が大きい順。攻撃：他チームの"
    "両ファイルに対するs_Iとs_Tの合計（提出がなければ1）が小さい順。等しいチームは同順位です。",
}


def round_table(entries: Sequence[Entry], pairs: Sequence[Pair]) -> RoundTable:
    """Return both tables of a round."""
    counted = ranking.counted_pairs(entries, pairs)
    released = [entry.team for entry in entries if entry.figures is not None and not entry.disqualified]

    def kept(entry: Entry) -> Figures:
        own = entry.figures or {}
        against = [pair.figures for pair in counted if pair.owner == entry.team]
        identity = min([float(own["s_I"]), *(float(figures["s_I1"]) for figures in against)])
        trace = min([float(own["s_T"]), *(float(figures["s_T2"]) for figures in against)])
        return {"total": identity + trace, "s_I": identity, "s_T": trace}

    def reached(entry: Entry) -> Figures:
        own = {pair.owner: pair.figures for pair in counted if pair.attacker == entry.team}
        names = ("s_I1", "s_I2", "s_T1", "s_T2")
        aims = [team for team in released if team != entry.team]
        return {"sum": sum(float(own[team][name]) if team in own else 1.0 for team in aims for name in names)}

    anonymizers = ranking.rank_entries(entries, kept, lambda row: -row.figures["total"], released=True)
    attackers = ranking.rank_entries(entries, reached, lambda row: row.figures["sum"])
    columns = (
        Column("total", _SCORE, "higher", 4),
        Column("s_I", {"en": "s_I of file 1", "ja": "ファイル1のs_I"}, "higher", 4),
        Column("s_T", {"en": "s_T of file 2", "ja": "ファイル2のs_T"}, "higher", 4),
    )
    return RoundTable(anonymizers, attackers, columns, (Column("sum", _SUM, "lower", 4),), _RULE, _RULE)


def overall_table(rounds: Sequence[tuple[float, RoundTable]]) -> RoundTable:
    """Return the weighted sums."""
    high = ranking.Weighing(figure="total", missing=0.0, better="higher", title=_SCORE, digits=4)
    low = ranking.Weighing(figure="sum", missing=1e3, better="lower", title=_SUM, digits=4)
    return ranking.weighted_table(rounds, anonymizers=high, attackers=low, rule=_RULE)


def _matrix(path: Path) -> dict[str, dict[str, float | None]]:
    """Return the score of every attacker by published file; None where it is the team's own."""
    rows = list(csv.DictReader(io.StringIO(read_bytes(path).decode("utf-8-sig"))))
    try:
        return {
            row["pub"]: {name: float(cell) if cell else None for name, cell in row.items() if name != "pub"}
            for row in rows
        }
    except (KeyError, ValueError) as error:
        message = f"{path} is no table of scores ({error}); its header is pub and the attackers, its cells numbers"
        raise InputError(message, code="matrix", file=str(path)) from error


def official_tables(identity: Path, trace: Path, preliminary: Path | None = None) -> dict[str, Any]:
    """Return the tables of a round from its two matrices and, with the preliminary round, overall and awards."""
    matrices = {"I": _matrix(identity), "T": _matrix(trace)}
    attackers = {kind: list(next(iter(matrix.values()), {})) for kind, matrix in matrices.items()}
    teams = [name.removeprefix("team") for name in attackers["I"] if name.startswith("team")]
    figures = {}
    for team in teams:
        least = [
            min(
                (value for value in matrices[kind].get(f"team{team}_{file}", {}).values() if value is not None),
                default=0,
            )
            for kind, file in (("I", "data01_IDP"), ("T", "data02_TRP"))
        ]
        figures[team] = {"SecI": least[0], "SecT": least[1], "Total": sum(least)}
    sums = {
        kind: {name: sum(row[name] or 0.0 for row in matrices[kind].values()) for name in attackers[kind]}
        for kind in matrices
    }
    _remark(figures)
    document: dict[str, Any] = {"anonymizers": figures, "attack_sums": sums}
    if preliminary is not None:
        document |= _overall(document, json.loads(read_bytes(preliminary)))
    return document


def _remark(figures: dict[str, Any], awards: Mapping[str, str] | None = None) -> None:
    best = sorted(figures, key=lambda team: (-figures[team]["Total"], team))[: len(PLACES)]
    for team, one in figures.items():
        told = [PLACES[best.index(team)]] if team in best else []
        one["remark"] = ", ".join([*told, *[title for title, name in (awards or {}).items() if name == team]]) or None


def _overall(document: dict[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return preliminary + 9 final, the awards, and the best assessor of each attack."""
    figures = {
        team: {
            key: float(before["anonymizers"][team][key]) + FINAL_WEIGHT * one[key] for key in ("SecI", "SecT", "Total")
        }
        for team, one in document["anonymizers"].items()
    }
    best = {key: max(figures, key=lambda team: figures[team][key]) for key in ("SecI", "SecT", "Total")}
    _remark(figures, {"Best IDP": best["SecI"], "Best TRP": best["SecT"]})
    told: dict[str, Any] = {"overall": figures}
    for kind, key in (("I", "SecI"), ("T", "SecT")):
        sums = {
            name: float(before["attack_sums"][kind][name]) + FINAL_WEIGHT * value
            for name, value in document["attack_sums"][kind].items()
        }
        out = {f"team{best['Total']}", f"team{best[key]}"}
        open_to = {name: value for name, value in sums.items() if name.startswith("team") and name not in out}
        least = min(open_to.values(), default=0.0)
        told[f"overall_attack_sums_{kind}"] = sums
        told[f"best_risk_assessor_{kind}"] = [name for name, value in open_to.items() if value == least]
    return told
