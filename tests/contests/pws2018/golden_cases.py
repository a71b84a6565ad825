"""How the golden cases of PWS Cup 2018 are replayed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from tests.golden import Case, Check, Miss, compare

# What check-f1.rb says, and our codes; whatever else it says is about the form of a line.
GUESS_CODES = {
    "duplicated pid": "DUPLICATE_PSEUDONYM",
    "unknown pid": "UNKNOWN_PSEUDONYM",
    "unknown id": "UNKNOWN_CUSTOMER",
}
ATTACKS = {"re_1": ("re-1",), "re_uniq": ("re-uniq",), "re_item_deterministic": ("re-item", "--set", "choice=smallest")}


def _places(errors: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: one[key] for key in ("line", "cell", "code")} for one in errors]


def _utility_and_publish(case: Case) -> Iterator[Miss]:
    t, a = case.input("T"), case.input("A")
    utility, wanted = case.run("utility", t, a, "--json"), case.expected["utility"]
    if "error" in wanted:
        yield from compare([utility.status, utility.json["error"]["code"]], [2, "zero-spread"], "utility.error")
    else:
        figures = {name: value for name, value in wanted.items() if name != "U_printed"}
        yield from compare(utility.json, figures, "utility")
    yield from _publish(case)
    checked, checker = case.run("check", t, a, "--json"), case.expected["checker"]
    listed = _places(checker["errors"])
    yield from compare(checked.status, checker["exit_code"], "checker.exit_code")
    yield from compare(checked.json["valid"], checker["valid"], "checker.valid")
    yield from compare(_places(checked.json["errors"])[: len(listed)], listed, "checker.errors")
    yield from compare(checked.json["error_count"], checker.get("error_count", len(listed)), "checker.error_count")


def _publish(case: Case) -> Iterator[Miss]:
    made, wanted = case.scratch / "A1.csv", case.expected["publish"]
    ran = case.run("publish", case.input("A"), "-o", made, "--json")
    yield from compare(ran.json["rows"], wanted["rows"], "publish.rows")
    if made.read_bytes() != case.file(wanted["file"]).read_bytes():
        yield Miss("publish.file", wanted["file"], "other bytes")


def _check_cells(case: Case) -> Iterator[Miss]:
    ran = case.run("check", case.input("T"), case.input("A"), "--json")
    errors = [{"line": line["line"], **error} for line in case.expected["lines"] for error in line["errors"]]
    yield from compare(_places(ran.json["errors"]), _places(errors), "lines")
    yield from compare(ran.json["valid"], case.expected["valid"], "valid")


def _check_files(case: Case) -> Iterator[Miss]:
    for one in case.expected["files"]:
        t = case.file(one["T"]) if "T" in one else case.input("T")
        ran = case.run("check", t, case.file(one["A"]), "--json")
        yield from compare([ran.json["valid"], ran.status], [one["valid"], int(not one["valid"])], f"{one['A']}.valid")
        yield from compare(_places(ran.json["errors"]), _places(one["errors"]), one["A"])


def _check_guesses(case: Case) -> Iterator[Miss]:
    for one in case.expected["files"]:
        ran = case.run("check-guesses", case.input("T"), case.input("A1"), case.file(one["F1"]), "--json")
        yield from compare(ran.json["valid"], one["valid"], f"{one['F1']}.valid")
        if not one["valid"]:
            code = GUESS_CODES.get(one["message"], "INVALID_FORMAT")
            yield from compare(ran.json["errors"][0], {"line": one["line0"] + 1, "code": code}, one["F1"])


def _safety(case: Case) -> Iterator[Miss]:
    guesses = case.scratch / "F1.csv"
    for number, answer in enumerate(case.expected["safety"]):
        guesses.write_text("".join(line + "\n" for line in answer["F1_rows"]), encoding="utf-8")
        words = (case.input("T"), case.input("A"), guesses, "--table", case.input("R"), "--json")
        ran, place = case.run("safety", *words), f"safety[{number}]"
        if "error" in answer:
            yield from compare([ran.status, ran.json["error"]["code"]], [2, "UNKNOWN_PSEUDONYM"], f"{place}.error")
            continue
        yield from compare(ran.json, {key: answer[key] for key in ("n", "threshold", "hits") if key in answer}, place)
        yield from compare([ran.json["unsafe"], ran.status], [bool(answer["S"]), answer["S"]], f"{place}.S")


def _attack(case: Case) -> Iterator[Miss]:
    for key, (name, *options) in ATTACKS.items():
        guesses = case.scratch / f"{key}.csv"
        case.run("attack", name, case.input("T"), case.input("A1"), "-o", guesses, *options, "--json")
        yield from compare(guesses.read_text(encoding="utf-8").split(), case.expected[key]["F1"], key)


def _quotient(text: str) -> Fraction:
    """Return the number that a text such as ``1.0/50`` is."""
    number, *divisors = map(Fraction, text.split("/"))
    return number / math.prod(divisors)


def _thresholds(case: Case) -> Iterator[Miss]:
    for one in case.expected["tables"]:
        p, alpha = (one[name].replace(" ", "") for name in ("p", "alpha"))
        found = case.run("threshold", "--max-n", one["N"], "--p", p, "--alpha", alpha, "--json").json["r"]
        rows = [tuple(map(int, line.split(","))) for line in case.file(one["file"]).read_text().split()]
        # The definition wins over the generator, which writes 0 where already one hit is below the level (README, known
        # defects of the official programs): the sum of C(n, k) p^k from 1 to n is (1 + p)^n - 1.
        wanted = [told or int(n > 0 and (1 + _quotient(p)) ** n - 1 < _quotient(alpha)) for n, told in rows]
        yield from compare(found, wanted, one["file"])


KINDS: dict[str, Check] = {
    "utility+publish": _utility_and_publish,
    "publish": _publish,
    "checker_cells": _check_cells,
    "checker_files": _check_files,
    "checker_f1": _check_guesses,
    "safety": _safety,
    "attack": _attack,
    "threshold_table": _thresholds,
}
