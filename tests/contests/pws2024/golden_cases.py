"""How the golden cases of PWS Cup 2024 are replayed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.golden import Case, Check, Miss, compare, data_rows

TABLES = 10


def ten(case: Case) -> list[Path]:
    """Return the ten tables that ``inputs`` names, as ``C11_0..9.csv`` or one by one."""
    named = case.expected["inputs"]["C"]
    if isinstance(named, str):
        named = [re.sub(r"0\.\.9", str(number), named) for number in range(TABLES)]
    return [case.file(name) for name in named]


def same_bytes(place: str, wanted: Path, found: Path) -> Iterator[Miss]:
    """Yield a miss if two files differ."""
    if wanted.read_bytes() != found.read_bytes():
        yield Miss(place, wanted.name, f"{found.name} has other content")


def _split_and_utility(case: Case) -> Iterator[Miss]:
    cut = case.run("split", case.input("B"), "-o", case.scratch / "tables", "--json").json
    yield from compare(
        [one["B_sha256"] for one in cut["tables"]], [one["B_sha256"] for one in case.expected["tables"]], "split"
    )
    found = case.run("score", case.input("B"), *ten(case), "--json").json
    yield from compare(found, {key: case.expected[key] for key in ("tables", "U_printed")})


def _utility_edges(case: Case) -> Iterator[Miss]:
    for one in case.expected["files"]:
        ran = case.run("score-table", case.input("B"), case.file(one["C"]), "--json")
        if "error" in one:
            yield from compare(ran.json, {"official": {"error": one["error"]}}, one["C"])
        else:
            yield from compare(ran.json, _without(one, "C", "note"), one["C"])


def _format_check(case: Case) -> Iterator[Miss]:
    rows = re.search(r"\((\d+) rows\)", case.expected["description"])
    counted = re.search(r"valid_num_rows = (\d+)", str(case.expected["generator"]))
    told = rows or counted
    number = int(told[1]) if told else len(data_rows(case.input("B")))
    for one in case.expected["files"]:
        ran = case.run("check-table", case.input("B"), case.file(one["C"]), "--rows", number, "--json")
        official = {key: one[key] for key in ("valid", "codes", "messages", "error") if key in one}
        yield from compare(ran.json, {"valid": one["valid"], "official": official}, one["C"])


def _maketest(case: Case) -> Iterator[Miss]:
    for one in case.expected["tests"]:
        made = case.scratch / str(one["seed"])
        case.run("make-test", case.input("B"), "-o", made, "--seed", one["seed"])
        for name in "absx":
            yield from same_bytes(f"seed {one['seed']} {name}", case.file(one[name]), made / f"{name}.csv")


def _sample_attack(case: Case) -> Iterator[Miss]:
    answers = case.scratch / "E.csv"
    words = ("-o", answers, "--truth", case.input("x"), "--json")
    found = case.run("sample-attack", case.input("a"), case.input("b"), *ten(case), *words).json
    names = ("identified", "reconstructed", "hits", "sample_anonymity", "printed")
    yield from compare(found, {name: case.expected[name] for name in names})
    yield from same_bytes("E", case.file(case.expected["E"]), answers)


def _answer_check(case: Case) -> Iterator[Miss]:
    for one in case.expected["files"]:
        ran = case.run("check-answers", case.input("x"), case.file(one["E"]), "--json")
        yield from compare(ran.json, _without(one, "E", "note"), one["E"])


def _ranking(case: Case) -> Iterator[Miss]:
    files = {key: case.file(text.split()[0]) for key, text in case.expected["inputs"].items()}
    # A round that stands alone has no points of an earlier one.
    before = ("--preliminary", files["pre_attack"]) if "pre_attack" in files else ()
    found = case.run("standings", files["hits"], files["scores"], *before, "--json").json
    wanted = {key: case.expected[key] for key in ("teams", "attackers")}
    yield from compare(found, wanted, tolerances={"total": 0.011, "overall": 0.011})


def _without(one: dict[str, Any], *names: str) -> dict[str, Any]:
    return {key: value for key, value in one.items() if key not in names}


KINDS: dict[str, Check] = {
    "split+utility": _split_and_utility,
    "utility_edges": _utility_edges,
    "format_check": _format_check,
    "maketest": _maketest,
    "sample_attack": _sample_attack,
    "answer_check": _answer_check,
    "ranking": _ranking,
}
