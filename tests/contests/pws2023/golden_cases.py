"""How the golden cases of PWS Cup 2023 are replayed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from tests.golden import Case, Check, Miss, compare

SECRET_COLUMNS = 10


def _generator_r(case: Case) -> Iterator[Miss]:
    output = case.scratch / "R.csv"
    for one in case.expected["matrices"]:
        found = case.run("secret", one["seed"], "-o", output, "--rows", one["rows"], "--json").json
        wanted = {key: one[key] for key in ("rows", "sha256", "md5", "first", "last") if key in one}
        yield from compare(found, wanted, f"seed {one['seed']}")
    for one in case.expected.get("seed_files", ()):
        path = case.scratch / "seed.txt"
        path.write_text(one["seed_line"].replace("\\n", "\n"))
        yield from compare(case.run("check-seed", path, "--json").json, {"accepted": one["accepted"]}, one["seed_line"])


def _generator_p(case: Case) -> Iterator[Miss]:
    for one in case.expected["tables"]:
        sizes = ("--rows", one["rows"], "--columns", one["columns"])
        found = case.run("public", one["seed"], "-o", case.scratch / "P.csv", *sizes, "--json").json
        yield from compare(found, {key: one[key] for key in ("sha256", "first", "last")}, f"seed {one['seed']}")


def _same(case: Case, place: str, name: str) -> Iterator[Miss]:
    found = (case.scratch / name).read_bytes()
    if found != case.file(name).read_bytes():
        yield Miss(place, name, found[:60])


def _pipeline(case: Case) -> Iterator[Miss]:
    p, seed, a = (case.input(name) for name in ("P", "seed", "A"))
    made = {name: case.scratch / f"{name}.csv" for name in "RABF"}
    rows, columns = len(a.read_text().splitlines()), len(a.read_text().split("\n")[0].split(","))
    case.run("secret", seed.read_text().split()[0], "-o", made["R"], "--rows", rows)
    yield from _same(case, "R", case.expected["R"])
    anonymizer = re.search(r"_ano_rand\.rb after srand\((\d+)\)", case.expected["generator"]["anonymizer"])
    if anonymizer:
        case.run("sample-method", "rand", p, made["R"], "-o", made["A"], "--seed", anonymizer[1])
        yield from _same(case, "A", case.expected["inputs"]["A"])
    case.run("sort", a, "-o", made["B"])
    yield from _same(case, "B", case.expected["B"])
    told = case.run("check-submission", p, made["R"], seed, a, "--json").json
    yield from compare(told["scores"], case.expected["sp_ano"], "sp_ano")
    wanted = {"utility_printed": case.expected["utility_printed"], "cells": case.expected["cells"]}
    found = {"utility_printed": f"{told['utility']:.4f}", "cells": told["cells"]}
    yield from compare(found, wanted)
    checked = case.run("check-table", a, "--rows", rows, "--columns", columns, "--stars", "--json").json
    yield from compare(checked["official"]["valid"], case.expected["check_a"] == "ok", "check_a")
    draws = re.search(r"srand\((\d+)\)", case.expected["generator"]["attack"])
    attack = case.expected["sample_attack"]
    case.run("sample-attack", "sort", p, made["B"], "-o", made["F"], "--seed", draws[1] if draws else 1)
    yield from _same(case, "F", attack["file"])
    scored = case.run("score-attack", made["R"], made["F"], "--json").json
    yield from compare(scored, {key: attack[key] for key in ("printed", "hits", "cells")}, "sample_attack")


def _format_check(case: Case) -> Iterator[Miss]:
    sizes = re.search(r"N = (\d+), MP = (\d+)", str(case.expected["generator"]))
    if sizes:
        rows, public = (int(text) for text in sizes.groups())
    else:
        good = (one["file"] for one in case.expected["files"] if one["valid"] and one["program"] == "check_a.rb")
        lines = case.file(next(good)).read_text().splitlines()
        rows, public = len(lines), len(lines[0].split(",")) - SECRET_COLUMNS
    for one in case.expected["files"]:
        stars = one["program"] == "check_a.rb"
        words = ("--rows", rows, "--columns", public + 10, "--stars") if stars else ("--rows", rows)
        found = case.run("check-table", case.file(one["file"]), *words, "--json").json
        official = {key: one[key] for key in ("valid", "message") if key in one}
        yield from compare(found, {"valid": one["valid"], "official": official}, one["file"])


def _server(case: Case) -> Iterator[Miss]:
    for one in case.expected["anonymization"]:
        files = (case.file(one[name]) for name in ("R", "seed", "A"))
        found = case.run("check-submission", case.file("P.csv"), *files, "--json").json
        wanted = {key: one[key] for key in ("accepted", "scores") if key in one}
        yield from compare(found, wanted, f"{one['R']} {one['A']}")
    sizes = re.search(r"N = (\d+).*T = (\d+)", str(case.expected["generator"]))
    rows, teams = sizes.groups() if sizes else ("40", "5")
    for one in case.expected["attack"]:
        folder = case.file(one["submission"])
        found = case.run("check-attack", folder, "--rows", rows, "--teams", teams, "--json").json
        wanted = {key: one[key] for key in ("accepted", "scores", "message") if key in one}
        yield from compare(found, wanted, one["submission"])


def _ranking(case: Case) -> Iterator[Miss]:
    words: list[object] = [case.input("utility"), case.input("attack")]
    words += [word for team in case.expected.get("invalid_anonymizers", ()) for word in ("--invalid", team)]
    # A round that stands alone has no ranks of an earlier one.
    if "preliminary_ranks_given" in case.expected:
        before = case.scratch / "ranks.json"
        before.write_text(json.dumps(case.expected["preliminary_ranks_given"]))
        words += ["--preliminary", before]
    found = case.run("standings", *words, "--json").json
    wanted = {key: case.expected[key] for key in ("anonymizers", "attackers")}
    yield from compare(found, wanted, tolerance=2e-5)
    if "published_overall" in case.expected:
        yield from compare(found.get("overall"), case.expected["published_overall"], "published_overall")


KINDS: dict[str, Check] = {
    "generator_R": _generator_r,
    "generator_P": _generator_p,
    "pipeline": _pipeline,
    "format_check": _format_check,
    "server": _server,
    "ranking": _ranking,
}
