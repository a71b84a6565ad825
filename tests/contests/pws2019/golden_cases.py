"""How the golden cases of PWS Cup 2019 are replayed."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.golden import Case, Check, Miss, compare, data_rows

# The parameters of the official programs in the order of their command lines.
PARAMETERS = {
    "A1-none": (),
    "A2-MRLH": ("bits_x", "bits_y", "hide"),
    "A3-kRR": ("epsilon",),
    "A4-PL": ("level", "radius"),
    "A5-YA": ("share",),
}

# What is told of both attacks over all rounds.
OVERALL = ("best_risk_assessor", "overall_attack_sums")


def plain(path: Path) -> bytes:
    """Return the content of a file, unpacked."""
    raw = path.read_bytes()
    return gzip.decompress(raw) if path.suffix == ".gz" else raw


def same(place: str, wanted: Path, found: Path) -> Iterator[Miss]:
    """Yield a miss if two files differ."""
    one, other = plain(wanted).splitlines(), found.read_bytes().splitlines()
    if one != other:
        at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
        yield Miss(f"{place} line {at + 1}", one[at : at + 1], other[at : at + 1])


def _anonymized(case: Case, name: str, values: list[float], output: Path) -> dict[str, Any]:
    settings = [
        word for key, value in zip(PARAMETERS[name], values, strict=False) for word in ("--set", f"{key}={value}")
    ]
    found: dict[str, Any] = case.run("sample-method", name, case.input("org"), "-o", output, *settings, "--json").json
    return found


def _methods(case: Case) -> Iterator[Miss]:
    for number, one in enumerate(case.expected["methods"]):
        output = case.scratch / f"{number}.csv"
        found = _anonymized(case, one["method"], one["parameters"], output)
        yield from compare(found, {"s_U": one["s_U"], "rows": one["rows"]}, one["file"])
        yield from same(one["file"], case.file(one["file"]), output)


def _cells(case: Case) -> Iterator[Miss]:
    found = case.run("score", case.input("org"), case.input("ano"), "--cells", "--json").json
    yield from compare(found, {"s_U": case.expected["s_U"], "cells": case.expected["cells"]})


def _two_programs(case: Case) -> Iterator[Miss]:
    for one in case.expected["files"]:
        found = case.run("score", case.input("org"), case.file(one["file"]), "--json").json
        yield from compare(found, {"s_U": one["s_U"], "server_R": one["server_R"]}, one["file"])


def _trace_score(case: Case) -> Iterator[Miss]:
    for one in case.expected["answers"]:
        found = case.run("score-traces", case.input("org"), case.file(one["file"]), "--json").json
        yield from compare(found, {"s_T": one["s_T"]}, one["file"])


def _odd_files(case: Case) -> Iterator[Miss]:
    programs = {
        "EvalUtil": ("score", "org", "s_U"),
        "EvalSecI": ("score-ids", "ptable", "s_I"),
        "EvalSecT": ("score-traces", "org", "s_T"),
    }
    for one in case.expected["files"]:
        command, given, score = programs[one["program"]]
        found = case.run(command, case.input(given), case.file(one["file"]), "--json").json
        wanted = {"official": one["result"]} if isinstance(one["result"], dict) else {score: one["result"]}
        yield from compare(found, wanted, one["file"])


def _format_check(case: Case) -> Iterator[Miss]:
    rows = re.search(r"files of (\d+) rows|ANONDATA_ROW_NUM = (\d+)", str(case.expected))
    good = next((one["file"] for one in case.expected["files"] if one["valid"]), None)
    number: object = 80_000 if good is None else len(data_rows(case.file(good)))
    if rows:
        number = next(filter(None, rows.groups()))
    for one in case.expected["files"]:
        found = case.run("check-cells", case.file(one["file"]), "--rows", number, "--json").json
        official = {key: one[key] for key in ("code", "rows", "message", "valid") if key in one}
        yield from compare(found, {"valid": one["valid"], "official": official}, one["file"])


def _attacks(case: Case) -> Iterator[Miss]:
    for one in case.expected["variants"]:
        name, here = one["variant"], case.scratch
        ano, pub, table = here / f"ano_{name}.csv", here / f"pub_{name}.csv", here / f"ptable_{name}.csv"
        found = _anonymized(case, one["method"], one["parameters"], ano)
        yield from compare(found, {"s_U": one["s_U"]}, name)
        case.run("shuffle", case.input("org"), ano, "-o", pub, "--table", table)
        yield from same(one["pub"], case.file(one["pub"]), pub)
        yield from same(one["ptable"], case.file(one["ptable"]), table)
        answers = here / "answers.csv"
        for attack in [*one["attacks"], {"attack": "replay", "s_T": one["replay_s_T"]}]:
            case.run("sample-attack", attack["attack"], case.input("ref"), pub, "-o", answers)
            words = ("score-ids", table, answers) if "s_I" in attack else ("score-traces", case.input("org"), answers)
            score = "s_I" if "s_I" in attack else "s_T"
            place = f"{name} {attack['attack']}"
            yield from compare(case.run(*words, "--json").json, {score: attack[score]}, place)
            if "file" in attack:
                yield from same(place, case.file(attack["file"]), answers)


def _ranking(case: Case) -> Iterator[Miss]:
    words: list[object] = [case.input("s_I"), case.input("s_T")]
    names = ["anonymizers", "attack_sums"]
    # A round that stands alone has nothing of an earlier one.
    if "preliminary_given" in case.expected:
        sums = {kind: case.expected[f"preliminary_attack_sums_{kind}"] for kind in "IT"}
        before = case.scratch / "preliminary.json"
        before.write_text(json.dumps({"anonymizers": case.expected["preliminary_given"], "attack_sums": sums}))
        words += ["--preliminary", before]
        names += ["overall", *(f"{name}_{kind}" for name in OVERALL for kind in "IT")]
    found = case.run("standings", *words, "--json").json
    yield from compare(found, {name: case.expected[name] for name in names})


KINDS: dict[str, Check] = {
    "anonymizers+utility": _methods,
    "utility_cells": _cells,
    "utility_two_programs": _two_programs,
    "trace_score": _trace_score,
    "evaluators_odd_files": _odd_files,
    "format_check": _format_check,
    "publish+attacks": _attacks,
    "ranking": _ranking,
}
