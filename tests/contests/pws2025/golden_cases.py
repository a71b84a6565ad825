"""The golden cases of PWS Cup 2025 through the commands."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Iterator
from typing import Any

from tests.golden import Case, Check, Miss, compare, data_rows

LOGISTIC = 1e-6
SEPARATED = 0.2


def _utility(case: Case) -> Iterator[Miss]:
    found = case.run("table-utility", case.input("B"), case.input("C"), "--json").json
    expected = case.expected
    names = ("rows", "stats_diff_max", "LR_diff_max", "LR_worst", "LR_diff_max_preliminary", "KW_diff_max", "KW_worst")
    wide = SEPARATED if expected.get("quasi_separation") else LOGISTIC
    tolerances = {"LR_diff_max": wide, "LR_diff_max_preliminary": wide, "LR": wide}
    yield from compare(found, {name: expected[name] for name in (*names, "LR", "KW")}, tolerances=tolerances)
    yield from compare(sorted(found["stats_worst_terms"]), sorted(expected["stats_worst_terms"]), "stats_worst_terms")
    yield from compare(found, {"C_utility_80": expected["C_utility_80"]}, tolerance=20 * wide)
    with case.file(expected["stats_table"]).open(encoding="utf-8", newline="") as file:
        wanted = {row["term"]: float(row["C_minus_B"]) for row in csv.DictReader(file)}
    yield from compare(found["stats_diff"], wanted, "stats_diff")


def _values(case: Case) -> Iterator[Miss]:
    for file in case.expected["files"]:
        name = file["file"]
        found = case.run("check-values", case.file(name), "--json").json
        keys = ("valid", "errors", "error_count", "exit_code", "undefined_columns")
        yield from compare(found["official"], {key: file[key] for key in keys if key in file}, name)
        yield from compare(found, {"valid": file["valid"]}, name)
        fixed = case.scratch / f"fixed_{name}"
        said = case.run("repair", case.file(name), "-o", fixed, "--json").json
        wanted = {key: value for key, value in file["check_and_fix"].items() if key != "file"}
        yield from compare(said, wanted, f"{name} check_and_fix")
        if "file" in file["check_and_fix"]:
            text = case.file(file["check_and_fix"]["file"]).read_text(encoding="utf-8")
            yield from compare(fixed.read_text(encoding="utf-8"), text, f"{name} fixed")
        elif fixed.exists():
            yield Miss(f"{name} fixed", "no file", "a file")


def _table(case: Case) -> Iterator[Miss]:
    rows = _row_constant(case)
    for file in case.expected["files"]:
        found = case.run("check-table", case.file(file["file"]), "--rows", rows, "--json").json
        yield from compare(found["official"], {key: file[key] for key in ("Bi", "Ci")}, file["file"])
        yield from compare(found["valid"], file["Bi"]["accepted"], f"{file['file']} valid")


def _row_constant(case: Case) -> int:
    """Return the constant that the case names, else how many rows the first accepted table has."""
    told = re.search(r"ROW_NUM = (\d+)", str(case.expected.get("generator")))
    if told:
        return int(told[1])
    good = next(file["file"] for file in case.expected["files"] if file["Bi"]["accepted"])
    return len(data_rows(case.file(good)))


def _models(case: Case) -> Iterator[Miss]:
    for file in case.expected["files"]:
        found = case.run("check-model", case.file(file["file"]), "--json").json
        wanted = {key: file[key] for key in ("valid", "errors", "warnings")}
        yield from compare(found["official"], wanted, file["file"])
        yield from compare(found, {"valid": file["valid"]}, file["file"])


def _attacks(case: Case) -> Iterator[Miss]:
    expected, model = case.expected, case.scratch / "D.json"
    raw = case.input("D").read_bytes()
    model.write_bytes(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)
    a, b, c = (case.input(name) for name in "ABC")
    yield from compare(case.run("check-model", model, "--json").json["valid"], expected["validate_model_json"], "model")
    words = expected["generator"]["model"].split()
    size = ("--trees", words[words.index("--n-estimators") + 1], "--depth", words[words.index("--max-depth") + 1])
    trained = case.run("train-model", b, "-o", case.scratch / "trained.json", *size, "--json").json
    wanted = {name: expected["train"][name] for name in ("features", "feature_names", "validation_accuracy")}
    yield from compare(trained, wanted, "train", tolerance=1e-6)
    for name, accuracy in expected["prediction"]["accuracy"].items():
        found = case.run("predict", model, case.file(name), "--json").json
        yield from compare(found["accuracy"], {name: accuracy}, "accuracy", tolerance=1e-6)
    chances: list[float] = case.run("predict", model, a, "--json").json["probabilities"]
    first = expected["prediction"]["first_probabilities_A"]
    yield from compare(chances[: len(first)], first, "first_probabilities_A", tolerance=1e-6)
    truth = case.scratch / "Z.csv"
    counts = case.run("members", a, b, "-o", truth, "--json").json
    yield from compare(counts, {name: expected["Z"][name] for name in ("ones", "rows")}, "Z")
    yield from compare(truth.read_text().split(), case.file(expected["Z"]["file"]).read_text().split(), "Z")
    marks = case.scratch / "marks"
    count = expected["attacks"]["topconf"].get("n", expected["Z"]["ones"])
    made = case.run("sample-attacks", a, c, model, "-o", marks, "--count", count, "--json").json["attacks"]
    for name, attack in expected["attacks"].items():
        yield from compare(made[name], {"marked": attack["marked"]}, name)
        file = marks / f"F_{name}.csv"
        yield from compare(file.read_text().split(), case.file(attack["file"]).read_text().split(), f"F_{name}")
        hits = case.run("hits", truth, file, "--json").json["total"]
        yield from compare(hits, attack["hits_check_ans"], f"{name} hits")


def _answers(case: Case) -> Iterator[Miss]:
    for file in case.expected["files"]:
        found = case.run("hits", case.input("Z"), case.file(file["F"]), *file["options"], "--json").json
        yield from compare(found, {key: file[key] for key in ("lines", "total", "length_warning")}, file["F"])


def _ranking(case: Case) -> Iterator[Miss]:
    expected: dict[str, Any] = case.expected
    given = case.scratch / "preliminary.json"
    given.write_text(json.dumps(expected["preliminary_given"]), encoding="utf-8")
    files = [case.file(expected["inputs"][name].split()[0]) for name in ("hits", "scores")]
    found = case.run("totals", *files, "--top", expected["top"], "--preliminary", given, "--json").json
    for group in ("teams", "attackers"):
        for team, row in expected[group].items():
            rounded = {name: float(row[name]) for name in ("anonymity", "total") if name in row}
            exact = {name: value for name, value in row.items() if name not in rounded}
            for name, value in rounded.items():
                if abs(found[group][team][name] - value) > 0.011:
                    yield Miss(f"{group}.{team}.{name}", value, found[group][team][name])
            yield from compare(found[group][team], exact, f"{group}.{team}")
    published = expected["published_overall"]
    order = sorted(found["overall"]["ranks"], key=lambda team: found["overall"]["ranks"][team])
    yield from compare(order[: len(published["top5"])], published["top5"], "published_overall.top5")
    yield from compare(found["overall"]["best_attack"], published["best_attack"], "published_overall.best_attack")


KINDS: dict[str, Check] = {
    "utility": _utility,
    "value_check": _values,
    "table_check": _table,
    "model_check": _models,
    "model+attacks": _attacks,
    "answer_check": _answers,
    "ranking": _ranking,
}
