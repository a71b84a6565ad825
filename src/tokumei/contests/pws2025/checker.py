"""The checks of PWS Cup 2025: values with a repair, the table, the model and the answers.

Each gives every fault at its line, column and value, and under ``official`` what the contest's own program said:
check_csv looks at single values only, pws_data_format at the first offending column only.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from tokumei.contests.column_rules import decimal_of
from tokumei.contests.findings import Findings
from tokumei.contests.pandas_table import distinct_names
from tokumei.contests.pws2025.table import CATEGORIES, COLUMNS, HOME, RULES
from tokumei.data import read_bytes, to_utf8

ROWS = 10_000
SEMVER = re.compile(r"\d+\.\d+\.\d+([.-].+)?")


@dataclass(frozen=True)
class Rows:
    """A file as it stands: its header and rows of cells; ``error`` is the exception of the official reader."""

    header: list[str]
    rows: list[list[str]]
    error: str | None = None

    @classmethod
    def read(cls, raw: bytes, name: str) -> Rows:
        """Read CSV of any usual encoding."""
        text, _ = to_utf8(raw, name)
        records = csv.reader(io.StringIO(text.decode().removeprefix("\ufeff"), newline=""))
        lines = [row for row in records if row and (len(row) > 1 or row[0].strip())]
        if not lines:
            return cls([], [], "EmptyDataError")
        width = len(lines[0])
        # It knows UTF-8 only, fills short rows with empty cells, and stops at a longer one.
        error = "ParserError" if any(len(row) > width for row in lines[1:]) else None
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError:
            error = "UnicodeDecodeError"
        return cls(distinct_names(lines[0]), [row + [""] * (width - len(row)) for row in lines[1:]], error)


def value_fault(name: str, text: str) -> str | None:
    """Return why a cell is wrong; an empty one is right, and so is every one of a column that is not known."""
    return RULES[name].fault(text) if name in RULES and text.strip() else None


def check_values(table: Rows, file: str) -> Findings:
    """Check every cell (check_csv): neither rows nor columns nor their order are looked at."""
    found = Findings(HOME)
    errors: list[tuple[int, list[Any]]] = []
    stops = table.error is not None
    known: dict[tuple[str, str], str | None] = {}
    for at, row in enumerate(table.rows, 1):
        for column, (name, cell) in enumerate(zip(table.header, row, strict=False), 1):
            if (name, cell) not in known:
                known[name, cell] = value_fault(name, cell)
            fault = known[name, cell]
            if fault is not None:
                found.add(fault, file, line=at + 1, column=column, name=name, value=cell, **RULES[name].facts)
                errors.append((column, [at, name, cell.strip(), fault.replace("-", "_").upper()]))
                stops = stops or (fault == "not-a-number" and decimal_of(cell.strip()) is not None)
    unknown = [name for name in table.header if name not in COLUMNS]
    # It goes through the columns one by one, not through the rows.
    told = [error for _, error in sorted(errors, key=lambda one: one[0])]
    found.official = {"valid": found.valid, "errors": told, "error_count": len(told)}
    if stops:
        # Decimal knows NaN and infinity, the comparison after it does not.
        found.official = {"valid": False, "exit_code": 1}
    if unknown:
        found.official["undefined_columns"] = unknown
    _add_unread(table, file, found)
    return found


def _add_unread(table: Rows, file: str, found: Findings) -> None:
    """Add why the official reader stops, if it does."""
    if table.error == "EmptyDataError":
        found.add("row-count", file, rows=0, wanted="1")
    elif table.error == "UnicodeDecodeError":
        found.add("encoding", file)
    for at, row in enumerate(table.rows, 2):
        if len(row) > len(table.header):
            found.add("cell-count", file, line=at, cells=len(row), wanted=len(table.header))


def repair(table: Rows) -> tuple[bytes | None, dict[str, Any]]:
    """Return the repaired file (check_and_fix_csv) and what it says; nothing is written for a wrong category."""
    corrections, rows, unknown = 0, [], False
    if table.error is not None:
        return None, {"exit_code": 1}
    for row in table.rows:
        repaired = list(row)
        for at, name in enumerate(table.header[: len(row)]):
            cell, rule = row[at].strip(), RULES.get(name)
            if rule is None or rule.known:
                # Told at the end, so that a number on which the official program stops comes first.
                unknown = unknown or (rule is not None and bool(cell) and cell not in rule.known)
                continue
            if not cell:
                repaired[at] = cell
                continue
            number = decimal_of(cell.replace(",", ""))
            if number is not None and number.is_nan():
                return None, {"exit_code": 1}
            low, high, step = Decimal(rule.low), Decimal(rule.high), Decimal(1).scaleb(-(rule.decimals or 0))
            kept = min(max(low if number is None else number, low), high).quantize(step, ROUND_HALF_UP)
            corrections += kept != number
            repaired[at] = f"{kept:f}"
        rows.append(repaired)
    if unknown:
        return None, {"exit_code": 2}
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([table.header, *rows])
    return text.getvalue().encode(), {"exit_code": 0, "corrections": corrections}


def check_table(table: Rows, file: str, *, rows: int = ROWS, decimals: bool = False) -> Findings:
    """Check columns, order, rows, ranges and categories (pws_data_format); ``decimals`` looks at those too."""
    found = Findings(HOME)
    missing = [name for name in COLUMNS if name not in table.header]
    extra = [name for name in table.header if name not in COLUMNS]
    if missing:
        found.add("columns-missing", file, line=1, names=", ".join(missing))
    if extra:
        found.add("columns-unknown", file, line=1, names=", ".join(extra))
    moved = not missing and not extra and tuple(table.header) != COLUMNS
    if moved:
        found.add("columns-order", file, line=1, names=", ".join(COLUMNS))
    if len(table.rows) != rows:
        found.add("row-count", file, rows=len(table.rows), wanted=rows)
    cells = check_values(table, file)
    for note in cells.notes:
        if note.code != "decimals" or decimals:
            found.count += 1
            found.notes.append(note)
    names = [["ColumnsError"]] * (bool(missing) + bool(extra)) + [["ColumnsOrderError"]] * moved
    counted = [["RowNumError"]] if len(table.rows) != rows else []
    first = _first_column(table)
    numeric = any(error[0] == "NumSpecError" for error in first)
    mine = [*names, *counted, *first]
    # The order is mended before the numbers, by which the object of the class is lost.
    lost = [["AttributeError"]] if moved and numeric else []
    theirs = [*lost, *(error for error in mine if error[0] not in ("ColumnsOrderError", "NumSpecError"))]
    if table.error is not None:
        mine = theirs = [[table.error]]
    found.official = {"Bi": {"accepted": not mine}, "Ci": {"accepted": not theirs}}
    if mine:
        found.official["Bi"]["errors"] = mine
    if theirs:
        found.official["Ci"]["errors"] = theirs
    else:
        # It announces a repair and returns the table as it was.
        found.official["Ci"] |= {"columns_as_in_file": True, "values_as_in_file": True}
    return found


def _first_column(table: Rows) -> list[list[str]]:
    """Return the faults of the first offending column of the official program, which knows no decimals."""
    for name in COLUMNS:
        if name not in table.header:
            return [["ColumnsError"]]
        at = table.header.index(name)
        kind = "CatSpecError" if name in CATEGORIES else "NumSpecError"
        cells = [row[at].strip() for row in table.rows]
        numbers = (decimal_of(cell) for cell in cells if cell and kind == "NumSpecError")
        if any(number is not None and number.is_nan() for number in numbers):
            # NaN is a number to it that cannot be compared; what it found before in the column is lost.
            return [["InvalidOperation"]]
        errors = [
            [kind, str(number), name, cell]
            for number, cell in enumerate(cells, 1)
            if value_fault(name, cell) not in (None, "decimals")
        ]
        if errors:
            return errors
    return []


def check_model(raw: bytes, file: str) -> Findings:
    """Check a model of XGBoost as JSON (validate_model_json), in the official words as well."""
    found = Findings(HOME)
    errors: list[str] = []
    warnings: list[str] = []
    found.official = {"valid": False, "errors": errors, "warnings": warnings}
    try:
        # Bytes would be taken in other encodings, and with a byte order mark.
        model = json.loads(raw.decode("utf-8"))
    except ValueError:
        model = None
    if not isinstance(model, dict):
        found.add("model-json", file)
        return found

    def fault(code: str, official: str, **facts: Any) -> None:
        found.add(code, file, **facts)
        errors.append(official)

    learner = _part(model, "learner")
    names = _check_attributes(model, learner, fault, warnings)
    _check_learner(learner, names, fault)
    found.official["valid"] = found.valid
    return found


def _part(model: Any, *names: str) -> Any:
    for name in names:
        model = model.get(name) if isinstance(model, dict) else None
    return model


def _check_attributes(model: Mapping[str, Any], learner: Any, fault: Any, warnings: list[str]) -> list[str] | None:
    """Check names, target and version; return the names of the features if they can be read."""
    attributes = model.get("attributes") if isinstance(model.get("attributes"), dict) else _part(learner, "attributes")
    if not isinstance(attributes, dict):
        message = "attributes セクションがありません（top または learner.attributes のどちらにも見つからず）"
        fault("model-attributes", message)
        attributes = {}
    names: Any = None
    readable = False
    text = attributes.get("feature_names")
    if not isinstance(text, str):
        fault("model-names", 'attributes.feature_names は JSON文字列である必要があります（例: "[\\"AGE\\",...]"）')
    else:
        try:
            names, readable = json.loads(text), True
        except ValueError as error:
            fault("model-names", f"attributes.feature_names が正しく JSON として復元できません: {error}")
    if readable:
        if not isinstance(names, list):
            fault("model-names", "attributes.feature_names を json.loads した結果が配列ではありません")
            names = None
        elif not names or not all(isinstance(one, str) and one for one in names):
            fault("model-names", "feature_names 配列が空、または非文字列/空文字を含みます")
            names = None
        elif len(set(names)) != len(names):
            fault("model-names", "feature_names に重複があります")
            names = None
    if not isinstance(attributes.get("target"), str) or not attributes["target"]:
        fault("model-target", "attributes.target が見つからないか、空文字です")
    version = attributes.get("xgboost_version") or attributes.get("sgboost_version")
    if not isinstance(version, str) or not version:
        fault("model-version", "attributes.xgboost_version が見つからないか、空文字です")
    elif not SEMVER.fullmatch(version):
        warnings.append(f"xgboost_version の形式が semver と一致しません: '{version}'（例: 1.7.6）")
    return names


def _check_learner(learner: Any, names: list[str] | None, fault: Any) -> None:
    parameters = _part(learner, "learner_model_param")
    if not isinstance(parameters, dict):
        fault("model-count", "learner.learner_model_param が見つかりません")
    count = _part(parameters, "num_feature")
    number: int | None = None
    if not isinstance(count, str | int | float):
        fault("model-count", "learner.learner_model_param.num_feature が数値（または数値文字列）ではありません")
    else:
        try:
            number = int(count)
        except (ValueError, OverflowError):
            fault("model-count", "learner.learner_model_param.num_feature を整数に解釈できません")
    if number is not None and number <= 0:
        fault("model-count", "learner.learner_model_param.num_feature は正の整数である必要があります")
    objective = _part(learner, "objective")
    if not isinstance(objective, dict) or "name" not in objective:
        fault("model-objective", "learner.objective.name が見つかりません")
    elif objective["name"] != "binary:logistic":
        fault("model-objective", f'learner.objective.name は "binary:logistic" 必須（現値: {objective["name"]!r}）')
    booster = _part(learner, "gradient_booster", "model")
    if not isinstance(booster, dict) or "trees" not in booster:
        fault("model-trees", "learner.gradient_booster.model.trees が見つかりません")
    elif not isinstance(booster["trees"], list) or not booster["trees"]:
        fault("model-trees", "learner.gradient_booster.model.trees は長さ>=1の配列である必要があります")
    if names is not None and number is not None and len(names) != number:
        message = f"len(feature_names) と num_feature が不一致: len(F)={len(names)} vs num_feature={number}"
        fault("model-count", message)
    own = _part(learner, "feature_names")
    if names is not None and isinstance(own, list) and own != names:
        fault("model-names", "learner.feature_names と attributes.feature_names の配列順が一致しません")


def count_hits(truth: Path, answer: Path, *, skip: bool = False, first: int = 1) -> dict[str, Any]:
    """Return the rows marked in both files (check_ans): a cell counts if it is numerically 1, first column only."""
    one, other = ([_is_one(cell) for cell in _first_cells(path)] for path in (truth, answer))
    marked = enumerate(zip(one, other, strict=False))
    lines = [at + first for at, (mine, theirs) in marked if mine and theirs and at >= skip]
    return {"lines": lines, "total": len(lines), "length_warning": len(one) != len(other)}


def _first_cells(path: Path) -> list[str]:
    """Return the first cell of every line; a byte order mark is part of it, as it is to the official program."""
    raw = read_bytes(path, allow_empty=True)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = to_utf8(raw, str(path))[0].decode()
    return [row[0] if row else "" for row in csv.reader(io.StringIO(text, newline=""))]


def _is_one(cell: str) -> bool:
    try:
        return float(cell.strip()) == 1.0
    except ValueError:
        return False


def check_answer(raw: bytes, rows: int, ones: int, file: str) -> Findings:
    """Check an attack file for one target: 0 or 1 for every row of A, with exactly so many ones."""
    found = Findings(HOME)
    try:
        lines = raw.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        found.add("encoding", file)
        return found
    if len(lines) != rows:
        found.add("row-count", file, rows=len(lines), wanted=rows)
    for at, line in enumerate(lines, 1):
        if line.strip() not in ("0", "1"):
            found.add("not-binary", file, line=at, column=1, value=line)
    marked = sum(line.strip() == "1" for line in lines)
    if marked != ones:
        found.add("marks", file, marked=marked, wanted=ones)
    return found
