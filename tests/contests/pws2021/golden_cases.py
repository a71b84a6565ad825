"""How the golden cases of PWS Cup 2021 are replayed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.golden import Case, Check, Miss, compare

# A logistic regression ends when its steps are small; where an answer is separated it does not end at one place.
GLM, SEPARATED, LARGE = 1e-6, 0.2, 10
REGRESSION = {"Coef": GLM, "OR": GLM, "pvalue": GLM}


def _same_text(place: str, found: Path, wanted: Path) -> Iterator[Miss]:
    if found.read_text() != wanted.read_text():
        yield Miss(place, wanted.name, "other content")


def _table(case: Case, name: str) -> Path:
    return case.file(f"{name}.csv")


def _measures(case: Case) -> Iterator[Miss]:
    expected, separated = case.expected, case.expected["quasi_separation"]
    b = _table(case, "B")
    for right in ("B", "C", "D"):
        if wanted := expected.get(f"umark_B_{right}"):
            slack = dict.fromkeys(REGRESSION, SEPARATED) if separated.get(right) else REGRESSION
            found = case.run("umark", b, _table(case, right), "--json").json
            yield from compare(found, wanted, f"umark_B_{right}", tolerances=slack)
    for left in ("B", "C"):
        if wanted := expected.get(f"iloss_{left}_D"):
            found = case.run("iloss", _table(case, left), _table(case, "D"), "--json").json
            yield from compare(found, wanted, f"iloss_{left}_D")
    for name, wanted in expected.get("uniqrt", {}).items():
        yield from compare(case.run("uniqrt", _table(case, name), "--json").json, wanted, f"uniqrt.{name}")
    for name, wanted in expected.get("ccount", {}).items():
        found = case.run("ccount", _table(case, name), "--json").json["ccount"]
        yield from compare(found, wanted, f"ccount.{name}")
    for name, wanted in expected.get("odds", {}).items():
        found = case.run("odds", _table(case, name), "--json").json["odds"]
        for term, figures in wanted.items():
            loose = separated.get(name) and abs(figures["Coef"]) > LARGE
            slack = dict.fromkeys(REGRESSION, SEPARATED) if loose else REGRESSION
            yield from compare(found[term], figures, f"odds.{name}.{term}", tolerances=slack)
    for name, wanted in expected.get("cor", {}).items():
        yield from _correlations(case.run("cor", _table(case, name), "--json").json, wanted, f"cor.{name}")


def _correlations(found: dict[str, Any], wanted: dict[str, Any], place: str) -> Iterator[Miss]:
    matrix = [[cell or 0.0 for cell in row] for row in found["matrix"]]
    figures = {
        "columns": found["columns"],
        "shape": [len(matrix), len(matrix[0])],
        "sum_abs_ignoring_nan": sum(abs(cell) for row in matrix for cell in row),
        "row_dia": dict(zip(found["columns"], matrix[-1], strict=True)),
    }
    yield from compare(figures, {name: wanted[name] for name in figures}, place)


def _pipeline(case: Case) -> Iterator[Miss]:
    yield from _measures(case)
    yield from _samples(case)
    expected, b = case.expected, _table(case, "B")
    checked = case.run("check-dx", b, _table(case, "D"), _table(case, "X"), "--json").json["valid"]
    yield from compare(checked, expected["checkDX"]["ok"], "checkDX.ok")
    checked = case.run("check-e", b, _table(case, "E"), "--json").json["valid"]
    yield from compare(checked, expected["checkE"]["ok"], "checkE.ok")
    ct, ea = case.scratch / "CT.csv", case.scratch / "EA.csv"
    case.run("pick", b, _table(case, "X"), "-o", ct, "--answers", ea)
    yield from _same_text("pick.CT", ct, case.file(expected["pick"]["CT"]))
    yield from _same_text("pick.Ea", ea, case.file(expected["pick"]["Ea"]))
    yield from _linkage(case, ct)
    yield from compare(case.run("lmark", ea, _table(case, "E"), "--json").json, expected["lmark"], "lmark")


def _samples(case: Case) -> Iterator[Miss]:
    steps, b = case.expected["anonymize_steps"], _table(case, "B")
    files = []
    for name in ("top", "bottom", "kanony"):
        step = steps[name]
        columns = "_".join(map(str, step.get("cols") or step["columns"]))
        limits = f"k={step['k']}" if name == "kanony" else f"thresholds={'_'.join(map(str, step['theta']))}"
        files.append(case.scratch / f"{name}.csv")
        case.run("anonymize", name, b, "-x", files[-1], "--set", f"columns={columns}", "--set", limits)
        yield from _same_text(f"anonymize_steps.{name}", files[-1], case.file(step["file"]))
    x, c, left = (case.scratch / name for name in ("X.csv", "C.csv", "left.csv"))
    case.run("join", *files, "-o", x)
    yield from _same_text("anonymize_steps.join", x, case.file(steps["join"]))
    case.run("exclude", b, x, "-o", c, "--index", left)
    yield from _same_text("anonymize_steps.exclude.left_rows", c, case.file(steps["exclude"]["left_rows"]))
    yield from _same_text("anonymize_steps.exclude.left_index", left, case.file(steps["exclude"]["left_index"]))


def _linkage(case: Case, ct: Path) -> Iterator[Miss]:
    wanted = case.expected["rlink"]
    found = case.run("rlink", ct, _table(case, "D"), "--json").json
    names = ("median_nearest_distance", "distances")
    yield from compare(found, {name: wanted[name] for name in names}, "rlink")
    official = [[int(cell) for cell in line.split(",")] for line in case.file(wanted["E_file"]).read_text().split()]
    for number, (row, other, strict) in enumerate(zip(found["rows"], official, wanted["strict"], strict=True)):
        # Where distances are equal, which neighbour is named is left to the program.
        yield from compare(row if strict else row[0] == -1, other if strict else other[0] == -1, f"rlink.E[{number}]")
    yield from compare(sum(row[0] == -1 for row in found["rows"]), wanted["n_minus1"], "rlink.n_minus1")


def _marks(case: Case) -> Iterator[Miss]:
    ea, e = case.scratch / "EA.csv", case.scratch / "E.csv"
    for one in case.expected["lmark"]:
        ea.write_text("".join(f"{row}\n" for row in one["Ea"]))
        e.write_text("".join(",".join(map(str, row)) + "\n" for row in one["E"]))
        found = case.run("lmark", ea, e, "--json").json
        yield from compare(found, {name: one[name] for name in ("recall", "prec", "topk")}, one["name"])


def _check_d_and_x(case: Case) -> Iterator[Miss]:
    for one in case.expected["files"]:
        ran = case.run("check-dx", _table(case, "B"), case.file(one["D"]), case.file(one["X"]), "--json")
        yield from compare([ran.json["valid"], ran.status], [one["ok"], int(not one["ok"])], one["variant"])


def _check_answers(case: Case) -> Iterator[Miss]:
    for one in case.expected["files"]:
        ran = case.run("check-e", _table(case, "B"), case.file(one["E"]), "--json")
        yield from compare([ran.json["valid"], ran.status], [one["ok"], int(not one["ok"])], one["E"])


KINDS: dict[str, Check] = {
    "measures": _measures,
    "pipeline": _pipeline,
    "lmark": _marks,
    "checkDX": _check_d_and_x,
    "checkE": _check_answers,
}
