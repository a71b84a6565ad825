"""The golden cases of PWS Cup 2021 through the commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.golden import Case, Check, Miss, compare

GLM, SEPARATED = 1e-6, 0.2
ROW_NAMES = {"1": "age", "5": "bmi", "cat": "cat", "max": "max"}


def _measures(case: Case) -> Iterator[Miss]:
    expected, b = case.expected, case.file("B.csv")
    for right in ("B", "C", "D"):
        if f"umark_B_{right}" in expected:
            found = case.run("umark", b, case.file(f"{right}.csv"), "--json").json
            wide = SEPARATED if expected["quasi_separation"].get(right) else GLM
            tolerances = dict.fromkeys(("Coef", "OR", "pvalue"), wide)
            wanted = {row: expected[f"umark_B_{right}"][row] for row in ("max", "mean")}
            yield from compare(found, _reals(wanted), f"umark_B_{right}", tolerances=tolerances)
    for left in ("C", "B"):
        losses = expected.get(f"iloss_{left}_D")
        if losses:
            found = case.run("iloss", case.file(f"{left}.csv"), case.file("D.csv"), "--json").json
            named = {row: {ROW_NAMES[key]: losses[row][key] for key in ROW_NAMES} for row in ("mean", "max")}
            yield from compare(found, _reals(named), f"iloss_{left}_D")
    for table, wanted in expected.get("uniqrt", {}).items():
        found = case.run("uniqrt", case.file(f"{table}.csv"), "--json").json
        named = {"unique": wanted["unique"], "of_rows": wanted["rate_rows"], "of_population": wanted["rate_4190"]}
        yield from compare(found, named, f"uniqrt.{table}")
    yield from _single_tables(case)


def _reals(values: Any) -> Any:
    """Return the same values with real numbers: a figure that is whole by chance is still one."""
    if isinstance(values, dict):
        return {key: _reals(value) for key, value in values.items()}
    return float(values) if isinstance(values, int) and not isinstance(values, bool) else values


def _single_tables(case: Case) -> Iterator[Miss]:
    for table, wanted in case.expected.get("ccount", {}).items():
        found = case.run("ccount", case.file(f"{table}.csv"), "--json").json["ccount"]
        rows = [[*row[:3], float(row[3])] for row in wanted]
        yield from compare(found, rows, f"ccount.{table}")
    for table, wanted in case.expected.get("odds", {}).items():
        found = case.run("odds", case.file(f"{table}.csv"), "--json").json["odds"]
        yield from compare(list(found), list(wanted), f"odds.{table}")
        loose = case.expected["quasi_separation"].get(table, False)
        for term, figures in wanted.items():
            tolerance = SEPARATED if loose and abs(figures["Coef"]) > 10 else GLM
            yield from compare(found[term], _reals(figures), f"odds.{table}.{term}", tolerance=tolerance)
    for table, wanted in case.expected.get("cor", {}).items():
        found = case.run("cor", case.file(f"{table}.csv"), "--json").json
        matrix = [[cell or 0.0 for cell in row] for row in found["matrix"]]
        shown = {
            "columns": found["columns"],
            "shape": [len(matrix), len(matrix[0])],
            "sum_abs_ignoring_nan": sum(abs(cell) for row in matrix for cell in row),
            "row_dia": dict(zip(found["columns"], matrix[-1], strict=True)),
        }
        yield from compare(shown, {name: _reals(wanted[name]) for name in ("columns", "sum_abs_ignoring_nan")}, "cor")
        yield from compare(shown["shape"], wanted["shape"], "cor.shape")
        yield from compare(shown["row_dia"], _reals(wanted["row_dia"]), "cor.row_dia")


def _pipeline(case: Case) -> Iterator[Miss]:
    yield from _measures(case)
    yield from _steps(case)
    expected, scratch, b, d = case.expected, case.scratch, case.file("B.csv"), case.file("D.csv")
    ct, ea, e = (scratch / name for name in ("CT.csv", "EA.csv", "E.csv"))
    case.run("pick", b, case.file("X.csv"), "-o", ct, "--answers", ea)
    yield from _same(ct, case.file(expected["pick"]["CT"]), "pick.CT")
    yield from _same(ea, case.file(expected["pick"]["Ea"]), "pick.Ea")
    found, wanted = case.run("rlink", ct, d, "-o", e, "--json").json, expected["rlink"]
    yield from compare(found["median"], float(wanted["median_nearest_distance"]), "rlink.median")
    yield from compare(found["distances"], [[float(one) for one in row] for row in wanted["distances"]], "rlink")
    official = [[int(cell) for cell in line.split(",")] for line in case.file(wanted["E_file"]).read_text().split()]
    for at, (row, other, strict) in enumerate(zip(found["rows"], official, wanted["strict"], strict=True)):
        if (row[0] == -1) != (other[0] == -1) or (strict and row != other):
            yield Miss(f"rlink.E[{at}]", other, row)
    yield from compare(case.run("lmark", ea, case.file("E.csv"), "--json").json, _reals(expected["lmark"]), "lmark")
    checked = case.run("check-dx", b, d, case.file("X.csv"), "--json").json["valid"]
    yield from compare(checked, expected["checkDX"]["ok"], "checkDX")
    yield from compare(
        case.run("check-e", b, case.file("E.csv"), "--json").json["valid"], expected["checkE"]["ok"], "E"
    )


def _steps(case: Case) -> Iterator[Miss]:
    steps, b, files = case.expected["anonymize_steps"], case.file("B.csv"), []
    for name in ("top", "bottom", "kanony"):
        step = steps[name]
        columns = "_".join(map(str, step.get("cols") or step["columns"]))
        limits = f"k={step['k']}" if name == "kanony" else f"thresholds={'_'.join(map(str, step['theta']))}"
        files.append(case.scratch / f"{name}.csv")
        case.run("anonymize", name, b, "-x", files[-1], "--set", f"columns={columns}", "--set", limits)
        yield from _same(files[-1], case.file(step["file"]), name)
    joined, kept, left = (case.scratch / name for name in ("X.csv", "C.csv", "left.csv"))
    case.run("join", *files, "-o", joined)
    yield from _same(joined, case.file(steps["join"]), "join")
    case.run("exclude", b, joined, "-o", kept, "--index", left)
    yield from _same(kept, case.file(steps["exclude"]["left_rows"]), "exclude")
    yield from _same(left, case.file(steps["exclude"]["left_index"]), "exclude index")


def _same(found: Path, wanted: Path, place: str) -> Iterator[Miss]:
    if found.read_text(encoding="utf-8") != wanted.read_text(encoding="utf-8"):
        yield Miss(place, f"the text of {wanted.name}", "another text")


def _lmark(case: Case) -> Iterator[Miss]:
    ea, e = case.scratch / "EA.csv", case.scratch / "E.csv"
    for entry in case.expected["lmark"]:
        ea.write_text("".join(f"{row}\n" for row in entry["Ea"]))
        e.write_text("".join(",".join(map(str, row)) + "\n" for row in entry["E"]))
        wanted = {name: entry[name] for name in ("recall", "prec", "topk")}
        yield from compare(case.run("lmark", ea, e, "--json").json, _reals(wanted), entry["name"])


def _check_dx(case: Case) -> Iterator[Miss]:
    for file in case.expected["files"]:
        ran = case.run("check-dx", case.file("B.csv"), case.file(file["D"]), case.file(file["X"]), "--json")
        yield from compare([ran.json["valid"], ran.status], [file["ok"], 1 - file["ok"]], file["variant"])


def _check_e(case: Case) -> Iterator[Miss]:
    for file in case.expected["files"]:
        ran = case.run("check-e", case.file("B.csv"), case.file(file["E"]), "--json")
        yield from compare([ran.json["valid"], ran.status], [file["ok"], 1 - file["ok"]], file["E"])


KINDS: dict[str, Check] = {
    "measures": _measures,
    "pipeline": _pipeline,
    "lmark": _lmark,
    "checkDX": _check_dx,
    "checkE": _check_e,
}
