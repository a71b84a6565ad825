"""The checkers of PWS Cup 2025 against slow ones, on damaged tables and models."""

from __future__ import annotations

import csv
import io
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.conftest import Run
from tests.effort import EFFORT
from tokumei.contests.pws2025.attacks import linkage, nearest_marks
from tokumei.contests.pws2025.checker import Rows, check_model, check_table, check_values, count_hits, repair
from tokumei.contests.pws2025.logistic import fit_logistic
from tokumei.contests.pws2025.people import draw_patients
from tokumei.contests.pws2025.statistics import statistics
from tokumei.contests.pws2025.synthesis import perturbed
from tokumei.contests.pws2025.table import Patients
from tokumei.errors import InfeasibleError

FILES = 2_000 if EFFORT == "campaign" else 50
WORDS = {"GENDER": "F M", "RACE": "asian black hawaiian native other white", "ETHNICITY": "hispanic nonhispanic"}
# Lowest and highest value in hundredths, and how many decimals may be written.
LIMITS = {
    "AGE": (200, 11000, 0),
    "encounter_count": (400, 121100, 0),
    "num_procedures": (0, 244200, 0),
    "num_medications": (0, 719500, 0),
    "num_immunizations": (0, 4000, 0),
    "num_allergies": (0, 1700, 0),
    "num_devices": (0, 16000, 0),
    "asthma_flag": (0, 100, 0),
    "stroke_flag": (0, 100, 0),
    "obesity_flag": (0, 100, 0),
    "depression_flag": (0, 100, 0),
    "mean_systolic_bp": (3722, 17285, 2),
    "mean_diastolic_bp": (178, 12617, 2),
    "mean_bmi": (297, 7358, 2),
    "mean_weight": (455, 19670, 2),
}
NAMES = ["GENDER", "AGE", "RACE", "ETHNICITY", *[name for name in LIMITS if name != "AGE"]]
ODD = (
    *("", " ", "1", "0", "2", "-1", "40.0", "40.5", "1e1", "25.125", "25.100", " 40 ", "+40", "x", "F", "White"),
    *("native ", "73.59", "73.58", "2.97", "2.969", "True", "NaN", "Infinity", "1,0", "４０", "1_0", "110.00", "10e-1"),
)
NUMBER = re.compile(r"[+-]?(\d+(?:_\d+)*)?(?:\.(\d*))?(?:[eE]([+-]?\d+))?")


def cell_fault(name: str, text: str) -> str | None:
    """Return what is wrong with a cell; a special value of Python's decimals is SPECIAL."""
    text = text.strip()
    if text == "" or name not in NAMES:
        return None
    if name in WORDS:
        return None if text in WORDS[name].split() else "CATEGORY"
    if text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        return "SPECIAL"
    match = NUMBER.fullmatch(text)
    if match is None or not (match[1] or match[2]):
        return "NOT_A_NUMBER"
    decimals = len(match[2] or "") - int(match[3] or 0)
    digits = Fraction(int((match[1] or "").replace("_", "") + (match[2] or "")))
    value = (-1 if text[0] == "-" else 1) * digits / Fraction(10) ** decimals
    low, high, most = LIMITS[name]
    if not low <= 100 * value <= high:
        return "RANGE"
    return "DECIMALS" if decimals > most else None


def random_table(rng: np.random.Generator, rows: int) -> list[list[str]]:
    """Return a header and right rows."""
    made = [list(NAMES)]
    for _ in range(rows):
        row = []
        for name in NAMES:
            if name in WORDS:
                row.append(str(rng.choice(WORDS[name].split())))
            else:
                low, high, decimals = LIMITS[name]
                row.append(f"{rng.integers(low, high + 1) / 100:.{decimals}f}" if decimals else str(high // 100))
        made.append(row)
    return made


def damaged(rng: np.random.Generator, table: list[list[str]]) -> bytes:
    """Return the table with up to three kinds of damage."""
    rows = [list(row) for row in table]
    end, start = "\n", b""
    for _ in range(int(rng.integers(4))):
        kind, at, column = int(rng.integers(9)), int(rng.integers(1, len(rows))), int(rng.integers(len(rows[0])))
        if kind <= 3:
            rows[at][column % len(rows[at])] = str(rng.choice(ODD))
        elif kind == 4 and len(rows) > 2:
            rows.pop(at) if rng.random() < 0.5 else rows.insert(at, list(rows[at]))
        elif kind == 5:
            order = rng.permutation(len(rows[0])).tolist()
            rows = [[row[place] for place in order] for row in rows]
        elif kind == 6:
            rows[0][column] = str(rng.choice(["x", "age", "bmi"]))
        elif kind == 7:
            rows = [[cell for place, cell in enumerate(row) if place != column] for row in rows]
        else:
            end, start = str(rng.choice(["\n", "\r\n"])), [b"", b"\xef\xbb\xbf"][int(rng.integers(2))]
        if len(rows[0]) < 3:
            break
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerows(rows)
    return start + text.getvalue().encode()


def slow_values(raw: bytes) -> dict[str, Any]:
    """Return what check_csv says."""
    names, *rows = csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""))
    # pandas gives a name that was there before a number.
    header = [name if name not in names[:at] else f"{name}.{names[:at].count(name)}" for at, name in enumerate(names)]
    errors = []
    for place, name in enumerate(header):
        for number, cell in enumerate((row[place] for row in rows), 1):
            fault = cell_fault(name, cell)
            if fault is not None:
                errors.append([number, name, cell.strip(), fault])
    said: dict[str, Any] = {"valid": not errors, "errors": errors, "error_count": len(errors)}
    if any(error[3] == "SPECIAL" for error in errors):
        said = {"valid": False, "exit_code": 1}
    unknown = [name for name in header if name not in NAMES]
    return {**said, "undefined_columns": unknown} if unknown else said


def slow_table(raw: bytes, wanted: int) -> dict[str, Any]:
    """Return what pws_data_format says of a table as B and as C."""
    names, *rows = csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""))
    # pandas gives a name that was there before a number.
    header = [name if name not in names[:at] else f"{name}.{names[:at].count(name)}" for at, name in enumerate(names)]
    missing, extra = set(NAMES) - set(header), set(header) - set(NAMES)
    errors = [["ColumnsError"]] if extra else []
    errors += [["ColumnsError"]] if missing else []
    errors += [["ColumnsOrderError"]] if not errors and header != NAMES else []
    errors += [] if len(rows) == wanted else [["RowNumError"]]
    for name in NAMES:
        if name in missing:
            errors.append(["ColumnsError"])
            break
        kind = "CatSpecError" if name in WORDS else "NumSpecError"
        cells = [row[header.index(name)].strip() for row in rows]
        if kind == "NumSpecError" and any(cell.lower().lstrip("+-") == "nan" for cell in cells):
            errors.append(["InvalidOperation"])
            break
        wrong = [(at, cell) for at, cell in enumerate(cells, 1) if cell_fault(name, cell) not in (None, "DECIMALS")]
        errors += [[kind, str(at), name, cell] for at, cell in wrong]
        if wrong:
            break
    kinds = {error[0] for error in errors}
    other = [["AttributeError"]] if {"ColumnsOrderError", "NumSpecError"} <= kinds else []
    other += [error for error in errors if error[0] not in ("ColumnsOrderError", "NumSpecError")]
    return {"Bi": (not errors, errors), "Ci": (not other, other)}


@pytest.mark.effort
def test_damaged_tables_get_the_verdict_of_the_slow_checks(record_property: Any) -> None:
    rng, refused = np.random.default_rng(2025), 0
    for number in range(FILES):
        table = random_table(rng, int(rng.integers(2, 6)))
        raw = damaged(rng, table)
        rows = Rows.read(raw, "C")
        values = check_values(rows, "C")
        wanted = slow_values(raw)
        assert values.official == wanted, (number, raw)
        assert values.valid == wanted["valid"]
        checked = check_table(rows, "C", rows=len(table) - 1)
        slow = slow_table(raw, len(table) - 1)
        found = {part: (said["accepted"], said.get("errors", [])) for part, said in checked.official.items()}
        assert found == slow, (number, raw)
        assert checked.valid == slow["Bi"][0], (number, raw)
        assert check_table(rows, "C", rows=len(table) - 1, decimals=True).count >= checked.count
        refused += not checked.valid
        repaired, _ = repair(rows)
        if repaired is not None:
            assert check_values(Rows.read(repaired, "C"), "C").valid, (number, raw)
    record_property("figure", f"{FILES} damaged tables, {refused} refused")


def good_model() -> dict[str, Any]:
    """Return the least model that passes."""
    attributes = {"feature_names": '["AGE", "x"]', "target": "stroke_flag", "xgboost_version": "3.0.5"}
    return {
        "learner": {
            "attributes": attributes,
            "feature_names": ["AGE", "x"],
            "learner_model_param": {"num_feature": "2"},
            "objective": {"name": "binary:logistic"},
            "gradient_booster": {"model": {"trees": [{}]}},
        }
    }


def slow_model(model: Any) -> tuple[bool, int]:
    """Return whether a model passes, and how many faults the official program names."""
    if not isinstance(model, dict):
        return False, 0
    learner = model.get("learner")
    part: dict[str, Any] = learner if isinstance(learner, dict) else {}
    attributes = model.get("attributes")
    if not isinstance(attributes, dict):
        attributes = part.get("attributes")
    faults = 0
    if not isinstance(attributes, dict):
        faults, attributes = 1, {}
    names = None
    try:
        names = json.loads(attributes["feature_names"])
        fine = isinstance(names, list) and len(names) > 0 and all(isinstance(n, str) and n != "" for n in names)
        if not fine or len(set(names)) < len(names):
            names, faults = None, faults + 1
    except (KeyError, TypeError, ValueError):
        faults += 1
    if not isinstance(attributes.get("target"), str) or attributes["target"] == "":
        faults += 1
    version = attributes.get("xgboost_version") or attributes.get("sgboost_version")
    faults += not (isinstance(version, str) and version != "")
    parameters = part.get("learner_model_param")
    faults += not isinstance(parameters, dict)
    count = parameters.get("num_feature") if isinstance(parameters, dict) else None
    number = None
    try:
        number = int(count) if isinstance(count, str | float | int) else None
    except (ValueError, OverflowError):
        number = None
    faults += number is None or number <= 0
    objective = part.get("objective")
    faults += not (isinstance(objective, dict) and objective.get("name") == "binary:logistic")
    booster = part.get("gradient_booster")
    inner = booster.get("model") if isinstance(booster, dict) else None
    trees = inner.get("trees") if isinstance(inner, dict) else None
    faults += not (isinstance(trees, list) and len(trees) > 0)
    if names is not None:
        faults += number is not None and number != len(names)
        own = part.get("feature_names")
        faults += isinstance(own, list) and own != names
    return faults == 0, faults


@pytest.mark.effort
def test_damaged_models_get_the_verdict_of_the_slow_check(record_property: Any) -> None:
    rng, refused = np.random.default_rng(25), 0
    texts = ("", "x", '["AGE"]', "[]", "null", "[1]", "3", "2.0")
    odd: tuple[Any, ...] = (None, 0, 2, 2.5, -1, [], ["AGE"], {}, True, float("inf"), *texts)
    for number in range(FILES):
        model: Any = good_model()
        for _ in range(int(rng.integers(4))):
            place = model
            while isinstance(place, dict) and place:
                name = str(rng.choice(list(place)))
                if not isinstance(place[name], dict) or rng.random() < 0.15:
                    place[name] = odd[int(rng.integers(len(odd)))]
                    if rng.random() < 0.2:
                        place.pop(name)
                    break
                place = place[name]
            if rng.random() < 0.1 and isinstance(model.get("learner"), dict):
                model["attributes"] = model["learner"].pop("attributes", None)
        if rng.random() < 0.02:
            model = odd[int(rng.integers(len(odd)))]
        found = check_model(json.dumps(model).encode(), "D.json")
        valid, faults = slow_model(model)
        assert (found.valid, len(found.official["errors"])) == (valid, faults), (number, model, found.official)
        refused += not valid
    record_property("figure", f"{FILES} damaged models, {refused} refused")


def test_a_constant_column_is_related_to_nothing() -> None:
    rows = [f"{at},25.37,{'FM'[at % 2]}" for at in range(7)]
    table = Patients(pl.read_csv(("AGE,mean_bmi,GENDER\n" + "\n".join(rows)).encode(), infer_schema=False))
    assert statistics(table)["CORR:AGE|mean_bmi"] == 0


def test_one_answer_alone_is_told_as_a_sentence() -> None:
    rows = [f"{40 + at},{int(at == 3)}" for at in range(30)]
    table = Patients(pl.read_csv(("AGE,asthma_flag\n" + "\n".join(rows)).encode(), infer_schema=False))
    with pytest.raises(InfeasibleError, match="every value of it needs two rows"):
        fit_logistic(table)


def test_linkage_finds_the_members_that_the_nearest_row_misses() -> None:
    rng = np.random.default_rng(5)
    people = draw_patients(400, rng).unique(maintain_order=True)
    members = Patients(people[:60])
    hidden = Patients(perturbed(members, rng, share=0.5))
    everybody = Patients(people)
    hits = [int(marks[:60].sum()) for marks in (linkage(everybody, hidden, 60), nearest_marks(everybody, hidden))]
    assert hits[0] > 55 > 2 * hits[1]


def test_hits_are_counted_in_the_rows_of_the_file(tmp_path: Path) -> None:
    """A skipped header keeps the numbers of the rows; quotes are read, a byte order mark is no number."""
    (tmp_path / "Z.csv").write_text('z\n1\n0\n"1"\n')
    (tmp_path / "F.csv").write_text("f\r\n1,9\r\n1\r\n01\r\n")
    found = count_hits(tmp_path / "Z.csv", tmp_path / "F.csv", skip=True)
    assert found == {"lines": [2, 4], "total": 2, "length_warning": False}
    assert count_hits(tmp_path / "Z.csv", tmp_path / "F.csv", skip=True, first=0)["lines"] == [1, 3]
    (tmp_path / "F.csv").write_bytes(b"\xef\xbb\xbf1\n1\n")
    assert count_hits(tmp_path / "F.csv", tmp_path / "F.csv")["lines"] == [2]


def test_members_are_found_by_the_names_of_the_columns(tmp_path: Path, run: Run) -> None:
    (tmp_path / "A.csv").write_text("AGE,mean_bmi\n40,20.5\n41,20.5\n")
    (tmp_path / "B.csv").write_bytes(b'mean_bmi,AGE,note\r\n"20.5",41,x\r\n')
    assert run("pws2025", "members", tmp_path / "A.csv", tmp_path / "B.csv", "-o", tmp_path / "Z.csv").status == 0
    assert (tmp_path / "Z.csv").read_text() == "0\n1\n"


def test_files_on_which_the_official_reader_stops_are_told(tmp_path: Path) -> None:
    for raw, error in ((b"AGE\n40,41\n", "ParserError"), (b"AGE\n\x82\xa0\n", "UnicodeDecodeError")):
        table = Rows.read(raw, "C")
        assert check_values(table, "C").official == {"valid": False, "exit_code": 1}
        assert check_table(table, "C", rows=1).official["Bi"] == {"accepted": False, "errors": [[error]]}
        assert repair(table) == (None, {"exit_code": 1})
    short = Rows.read(b"AGE,RACE\n40\n", "C")
    assert check_values(short, "C").valid
    assert repair(short)[0] == b"AGE,RACE\n40,\n"
