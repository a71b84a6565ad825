"""The checker of PWS Cup 2026 against a slow one that reads with pandas, on damaged zip files."""

from __future__ import annotations

import io
import json
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tests.effort import EFFORT
from tokumei.contests.pws2026.checker import check_submission
from tokumei.contests.pws2026.general import propensity_error
from tokumei.contests.pws2026.official_files import read_answers
from tokumei.contests.pws2026.people import draw_people
from tokumei.contests.pws2026.scores import score_attack, tpr_at_low_fpr

FILES = 2_000 if EFFORT == "campaign" else 50
TOKENS = {"teamNumberTwo0000": 2, "teamNumberFive000": 5}
ROWS, TARGETS = 4, {1: [0, 1, 2], 2: [0, 1], 3: [5, 7]}
NAMES = ["age", "sex", "prefecture", "BMI", "SBP", "TG", "HDL", "ALT", "smoking", "FPG", "time", "onset", "death"]
LIMITS = {
    "age": (40, 74),
    "BMI": (10, 55),
    "SBP": (40, 250),
    "TG": (1, 3000),
    "HDL": (10, 160),
    "ALT": (0.1, 700),
    "FPG": (40, 400),
}
ODD = (
    *("", "NA", "nan", "None", "inf", "-inf", " 50 ", "50.0", "5e1", "+50", "x", "1_0", "５０", "1e400", "0x10", ".5"),
    *("5.", "-0", "40.00000001", "74.0000000001", "39.999999999", "0", "1", "2", "-1", "10", "10.001", "1e-9", "3001"),
)


def table_text(rows: list[list[str]], rng: np.random.Generator, *, odd_ends: bool) -> bytes:
    """Return rows as a file, sometimes with other line ends, a byte order mark, blank lines or another encoding."""
    kind = int(rng.integers(12)) if odd_ends else 0
    end = "\r\n" if kind == 8 else "\n"
    lines = [",".join(row) for row in rows]
    if kind == 9:
        lines.insert(int(rng.integers(1, len(lines) + 1)), str(rng.choice(["", "  "])))
    text = end.join(lines) + end
    if kind == 10:
        return text.encode("cp932", "replace")
    if kind == 11:
        return [b"", b"\n", text.split(end)[0].encode()][int(rng.integers(3))]
    return (b"\xef\xbb\xbf" if kind == 7 else b"") + text.encode()


def damage(rows: list[list[str]], rng: np.random.Generator) -> None:
    """Change a table in place in up to two ways."""
    for _ in range(int(rng.integers(3))):
        kind, at = int(rng.integers(10)), int(rng.integers(1, len(rows)))
        column = int(rng.integers(len(rows[0])))
        if kind <= 4:
            rows[at][column] = str(rng.choice(ODD))
        elif kind == 5:
            rows.insert(at, list(rows[at]))
        elif kind == 6 and len(rows) > 2:
            rows.pop(at)
        elif kind == 7:
            rows[0][column] = str(rng.choice(["fpg", "record_id", "9", "five", rows[0][0]]))
        elif kind == 8:
            order = rng.permutation(len(rows[0])).tolist()
            rows[:] = [[row[place] for place in order] for row in rows]
        elif kind == 9:
            left = [place for place in range(len(rows[0])) if place != column]
            rows[:] = [[row[place] for place in left] for row in rows]
        if len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
            return


def random_files(rng: np.random.Generator, *, attack: bool) -> dict[str, bytes]:
    """Return the files of a submission, damaged or not."""
    tables: dict[str, list[list[str]]] = {}
    if attack:
        targets = [str(target) for target in TARGETS]
        body = [[str(row), *(f"{rng.random():.3f}" for _ in targets)] for row in range(ROWS)]
        tables["F_mia.csv"] = [["record_id", *targets], *body]
        times = [[str(one), str(row), f"{10 * rng.random():.2f}"] for one in TARGETS for row in TARGETS[one]]
        tables["F_aia.csv"] = [["target_k", "challenge_row_id", "time_hat"], *times]
    else:
        body = [
            [str(rng.integers(40, 75)), "1", "東京都", "23.5", "120", "99.5", "60", "20", "0", "95", "9.99", "0", "0"]
            for _ in range(ROWS)
        ]
        tables["C.csv"] = [list(NAMES), *body]
    name = str(rng.choice(list(tables)))
    damage(tables[name], rng)
    files = {one: table_text(rows, rng, odd_ends=one == name) for one, rows in tables.items()}
    tokens = [
        *TOKENS,
        *TOKENS,
        *TOKENS,
        "teamNumberTwo0000\n\n",
        "short",
        "no such team 00000",
        "unknownTeam000000",
        "",
    ]
    encoding = str(rng.choice(["utf-8"] * 20 + ["utf-8-sig", "utf-16"]))
    files["token.txt"] = (str(rng.choice(tokens)) + "\n").encode(encoding)
    kind = int(rng.integers(14))
    if kind == 0:
        files.pop(str(rng.choice(list(files))))
    elif kind == 1:
        files[
            str(
                rng.choice(
                    [
                        "readme.txt",
                        ".hidden",
                        "sub/C.csv",
                        "__MACOSX/._C.csv",
                        "sub/",
                        "__MACOSX/",
                        "sub/.DS_Store",
                        "a\\b",
                    ]
                )
            )
        ] = b""
    return files


def slow_package(files: dict[str, bytes]) -> list[tuple[str, list[str]]]:
    """Return the faults of the names."""
    errors: list[tuple[str, list[str]]] = []
    flat = []
    for name in files:
        if "/" in name and name[-1] != "/" and (name.startswith("__MACOSX/") or "/." in name):
            errors.append(("JUNK_FILE", []))
        elif "/" in name:
            errors.append(("FOLDER", []))
        elif name.startswith("."):
            errors.append(("HIDDEN_FILE", []))
        else:
            flat.append(name)
    if "C.csv" in flat:
        wanted = {"C.csv", "token.txt"}
    elif "F_mia.csv" in flat or "F_aia.csv" in flat:
        wanted = {"F_mia.csv", "F_aia.csv", "token.txt"}
    else:
        return [*errors, ("KIND", [])]
    if wanted - set(flat):
        errors.append(("MISSING_FILE", []))
    if set(flat) - wanted:
        errors.append(("EXTRA_FILE", []))
    return errors


def slow_token(raw: bytes) -> str:
    """Return the code of what is wrong with the token, or nothing."""
    try:
        words = [line.strip() for line in raw.decode().split("\n") if line.strip()]
    except UnicodeDecodeError:
        return "ENCODING"
    if len(words) != 1:
        return "TOKEN_LINES"
    return "" if len(words[0]) >= 16 and words[0].isalnum() else "TOKEN_FORMAT"


def slow_read(raw: bytes) -> pd.DataFrame | str:
    """Return what pandas reads, or the code of what it cannot."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "ENCODING"
    if not text.strip():
        return "NOT_CSV" if raw else "EMPTY_FILE"
    frame = pd.read_csv(io.StringIO(text), float_precision="round_trip")
    return frame if len(frame) else "NO_ROWS"


def numbers(frame: pd.DataFrame, name: str) -> list[float]:
    """Return a column as numbers, NaN where there is none."""
    return [float(value) for value in pd.to_numeric(frame[name], errors="coerce")]


def slow_columns(frame: pd.DataFrame, wanted: list[str], where: str) -> list[tuple[str, list[str]]]:
    """Return missing and unknown columns."""
    errors: list[tuple[str, list[str]]] = []
    if any(name not in frame.columns for name in wanted):
        errors.append(("COLUMN_MISSING", [where]))
    if any(name not in wanted for name in frame.columns):
        errors.append(("COLUMN_UNKNOWN", [where]))
    return errors


def nearly_whole(value: float) -> bool:
    """Return whether a number is one that numpy's isclose takes for its rounded self."""
    if not math.isfinite(value):
        return False
    return abs(value - round(value)) <= 1e-8 + 1e-5 * abs(round(value))


def slow_cohort(frame: pd.DataFrame, *, known: bool) -> list[tuple[str, list[str]]]:
    """Return the faults of C, column by column."""
    rows: list[tuple[str, list[str]]] = [] if len(frame) == ROWS or known is False else [("ROW_COUNT", [])]
    errors = slow_columns(frame, NAMES, "submitted_C")
    if errors:
        return errors + rows
    errors += rows
    for name in ["age", "sex", "smoking", "prefecture", *(one for one in NAMES[3:] if one != "smoking")]:
        if name == "prefecture":
            errors += [] if all(isinstance(one, str) for one in frame[name]) else [("NOT_TEXT", [name])]
            continue
        values = numbers(frame, name)
        real = [value for value in values if math.isfinite(value)]
        if name == "age" and not all(map(nearly_whole, values)):
            errors.append(("NOT_INTEGER", [name]))
        if len(real) < len(values):
            errors.append(("NOT_FINITE", [name]))
        if name in LIMITS:
            if any(not LIMITS[name][0] <= value <= LIMITS[name][1] for value in real):
                errors.append(("RANGE", [name]))
        elif name == "time":
            if any(not 0 < value <= 10 for value in real):
                errors.append(("TIME_RANGE", [name]))
        elif any(value not in (0, 1) for value in real):
            errors.append(("NOT_BINARY", [name]))
    both = ([int(one) for one in numbers(frame, name) if math.isfinite(one)] for name in ("onset", "death"))
    if any(pair not in ((0, 0), (0, 1), (1, 0)) for pair in zip(*both, strict=False)):
        errors.append(("ONSET_DEATH", ["(onset,death)"]))
    return errors


def lacking(given: list[int], team: int | None) -> bool:
    """Return whether targets are missing: in practice more than one, in a round any but the own."""
    missing = [one for one in TARGETS if one not in given]
    return len(missing) > 1 if team is None else any(one != team for one in missing)


def slow_confidences(frame: pd.DataFrame, team: int | None, *, known: bool) -> list[tuple[str, list[str]]]:
    """Return the faults of F_mia."""
    if "record_id" not in frame.columns:
        return [("NO_RECORD_ID", ["F_mia"])]
    errors: list[tuple[str, list[str]]] = []
    given = [name for name in frame.columns if name != "record_id"]
    ids = numbers(frame, "record_id")
    if not all(map(nearly_whole, ids)):
        errors.append(("RECORD_ID_NOT_INTEGER", ["F_mia"]))
    if frame["record_id"].duplicated().any():
        errors.append(("RECORD_ID_DUPLICATE", ["F_mia"]))
    if not all(name.isdigit() for name in given):
        errors.append(("TARGET_LABEL", ["F_mia"]))
    if any(name not in [str(one) for one in TARGETS] for name in given):
        errors.append(("TARGET_UNKNOWN", ["F_mia"]))
    if lacking([int(name) for name in given if name.isdigit()], team):
        errors.append(("TARGET_MISSING", ["F_mia"]))
    if known and {int(value) for value in ids if math.isfinite(value)} != set(range(ROWS)):
        errors.append(("RECORD_ID_SET", ["F_mia"]))
    for name in given:
        values = numbers(frame, name)
        if any(math.isnan(value) for value in values):
            errors.append(("NOT_A_NUMBER", ["F_mia", name]))
        if any(math.isfinite(value) and not 0 <= value <= 1 for value in values):
            errors.append(("CONFIDENCE_RANGE", ["F_mia", name]))
    return errors


def slow_times(frame: pd.DataFrame, team: int | None) -> list[tuple[str, list[str]]]:
    """Return the faults of F_aia."""
    names = ["target_k", "challenge_row_id", "time_hat"]
    errors = slow_columns(frame, names, "F_aia")
    if errors:
        return errors
    times, targets, rows = (numbers(frame, name) for name in ("time_hat", "target_k", "challenge_row_id"))
    if any(math.isnan(value) for value in times):
        errors.append(("NOT_A_NUMBER", ["F_aia", "time_hat"]))
    if any(math.isfinite(value) and value < 0 for value in times):
        errors.append(("NEGATIVE", ["F_aia", "time_hat"]))
    if not all(nearly_whole(value) or math.isinf(value) for value in targets):
        errors.append(("NOT_INTEGER", ["F_aia", "target_k"]))
    pairs = [pair for pair in zip(targets, rows, strict=True) if not any(map(math.isnan, pair))]
    if len(set(pairs)) < len(pairs):
        errors.append(("DUPLICATE_ANSWER", ["F_aia"]))
    given = {int(one) for one in targets if math.isfinite(one)}
    if any(one not in TARGETS for one in given):
        errors.append(("TARGET_UNKNOWN", ["F_aia"]))
    whole = [(int(one), int(row)) for one, row in pairs if math.isfinite(one) and math.isfinite(row)]
    for one, wanted in TARGETS.items():
        if one in given and one != team and {row for k, row in whole if k == one} != set(wanted):
            errors.append(("CHALLENGE_SET", ["F_aia"]))
    if lacking(list(given), team):
        errors.append(("TARGET_MISSING", ["F_aia"]))
    return errors


def slow_check(files: dict[str, bytes], *, practice: bool) -> list[tuple[str, list[str]]]:
    """Return codes and places of the official checker, step by step."""
    errors = slow_package(files)
    if ("KIND", []) in errors:
        return errors
    tables = {}
    for name in ("C.csv",) if "C.csv" in files else ("F_aia.csv", "F_mia.csv"):
        if name in files:
            tables[name] = slow_read(files[name])
            if isinstance(tables[name], str):
                errors.append((str(tables[name]), [name]))
    fault = slow_token(files["token.txt"]) if "token.txt" in files else ""
    if fault:
        errors.append((fault, ["token.txt"]))
    if errors:
        return errors
    team = None if practice else TOKENS.get(files["token.txt"].decode().strip())
    if not practice and team is None:
        errors.append(("TOKEN_UNKNOWN", ["token.txt"]))
    # Team 5 has no file of its own; who has no token is nobody, and practice has a file.
    known = practice or team == 2
    if team == 5:
        errors.append(("REFERENCE_MISSING", []))
    if "C.csv" in tables:
        return errors + slow_cohort(tables["C.csv"], known=known)
    mia = slow_confidences(tables["F_mia.csv"], team, known=known)
    return errors + mia + slow_times(tables["F_aia.csv"], team)


@pytest.fixture
def dists(tmp_path: Path) -> tuple[Path, Path]:
    """Return the organisers' folders of a practice and of a round in which team 5 has no file."""
    ids = "record_id\n" + "".join(f"{row}\n" for row in range(ROWS))
    folders = tmp_path / "round", tmp_path / "practice"
    for folder in folders:
        folder.mkdir()
        (folder / "mia_columns.json").write_text(json.dumps({"target_columns": [str(target) for target in TARGETS]}))
        for target, rows in TARGETS.items():
            (folder / f"aia_challenge_{target}.csv").write_text("challenge_row_id\n" + "".join(f"{r}\n" for r in rows))
    (folders[0] / "tokens.csv").write_text("token,team_id\n" + "".join(f"{k},{v}\n" for k, v in TOKENS.items()))
    for name in ("pool_ids_2.csv", "B_2.csv"):
        (folders[0] / name).write_text(ids)
    (folders[1] / "B_practice.csv").write_text(ids)
    return folders


@pytest.mark.half_second
@pytest.mark.effort
def test_damaged_submissions_get_the_verdict_of_the_slow_check(
    dists: tuple[Path, Path], tmp_path: Path, record_property: Any
) -> None:
    rng, path, refused = np.random.default_rng(2026), tmp_path / "made.zip", 0
    for number in range(FILES):
        practice = bool(rng.integers(2))
        files = random_files(rng, attack=bool(rng.integers(2)))
        with zipfile.ZipFile(path, "w") as made:
            for name, raw in files.items():
                made.writestr(name, raw)
        found = check_submission(path, dists[practice])
        codes = [(error["code"], error["where"]) for error in found.official]
        assert codes == slow_check(files, practice=practice), (number, practice, files)
        assert found.valid == (not codes), (number, files)
        # What the official checker says of no row is no fault of ours.
        assert found.count >= sum(error.get("rows") != 0 for error in found.official) > 0 or found.valid
        assert check_submission(path, dists[practice], strict=True).count >= found.count
        refused += not found.valid
    record_property("figure", f"{FILES} damaged submissions, {refused} refused")


def test_infinite_confidences_are_equal_to_each_other() -> None:
    confidence, truth = np.array([np.inf, np.inf, 0.5, 0.1]), np.array([True, False, False, True])
    finite = np.where(np.isinf(confidence), 2.0, confidence)
    assert tpr_at_low_fpr(confidence, truth) == tpr_at_low_fpr(finite, truth)


def test_a_table_apart_from_the_cohort_is_fitted_with_the_penalty() -> None:
    """Statsmodels stops on a singular Hessian there; the figure is that of scikit-learn's usual penalty."""
    people = draw_people(60, np.random.default_rng(3))
    error, ceiling = propensity_error(people, people.with_columns(BMI=pl.lit(54.0)))
    assert 0.8 < error / ceiling < 0.99
    near, _ = propensity_error(people, people.with_columns(smoking=pl.lit(0.0)))
    assert 0 < near < 0.1


def test_what_no_target_has_is_zero_and_what_cannot_be_scored_is_nothing(tmp_path: Path) -> None:
    """The board has 0 where nobody is rare; without controls there is no attribute score, nor a mean of none."""
    for team in (1, 2, 9):
        (tmp_path / f"pool_ids_{team}.csv").write_text("record_id,pool_id,is_rare\n0,7,False\n1,8,False\n")
        (tmp_path / f"aia_truth_{team}.csv").write_text(
            "challenge_row_id,label,onset,time,is_rare\n0,member,0,1.0,0\n1,spare,0,2.0,0\n"
        )
    # Team 9 attacks and is no target.
    (tmp_path / "mia_columns.json").write_text('{"target_columns": ["1", "2"]}')
    (tmp_path / "F_mia.csv").write_text("record_id,2\n0,0.5\n1,0.2\n")
    (tmp_path / "F_aia.csv").write_text("target_k,challenge_row_id,time_hat\n2,0,1.0\n2,1,1.0\n")
    found = score_attack(read_answers(tmp_path, tmp_path / "F_mia.csv", tmp_path / "F_aia.csv", 1))
    assert (found["mia_rare"], found["aia_rare"], found["aia_power"], found["attack_power"]) == (0, 0, None, 0)
    assert found["breakdown"]["aia_per_target"] == {"2": None}
    assert found["breakdown"]["aia"]["p_m"] == 1
