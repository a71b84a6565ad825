"""The submissions of PWS Cup 2026: zip files for defence and attack, every fault at its line, column and value.

What the official checker says stands beside it, in its codes and order: it stops after faults of the package, then
gives one message per column. ``strict`` also refuses what it overlooks: infinite answers and unknown prefectures.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Floats
from tokumei.contests import findings
from tokumei.contests.pandas_table import MISSING_TEXTS
from tokumei.contests.pws2026.csv_cells import Cells, UnreadableError
from tokumei.contests.pws2026.reference import Reference
from tokumei.contests.pws2026.table import BINARY, COLUMNS, HOME, HORIZON, RANGES
from tokumei.errors import InputError

KINDS = {"defence": ("C.csv", "token.txt"), "attack": ("F_mia.csv", "F_aia.csv", "token.txt")}
TOKEN = re.compile(r"[A-Za-z0-9]{16,}")
LARGEST_ZIP, LARGEST_CONTENT = 20 * 2**20, 100 * 2**20
ANSWER_COLUMNS = ("target_k", "challenge_row_id", "time_hat")
# The columns of C.csv in the order in which the official checker tells of them.
CHECKED = ("age", "sex", "smoking", "prefecture", "BMI", "SBP", "TG", "HDL", "ALT", "FPG", "time", "onset", "death")


class Findings(findings.Findings):
    """What is wrong: the official codes with their places, and a note for every single fault."""

    def __init__(self) -> None:
        super().__init__(HOME, official=[])

    def fault(
        self, code: str, where: Sequence[str] = (), *, file: str = "", strict: bool = False, **facts: Any
    ) -> None:
        """Add a fault of a whole file; a strict one is none of the official checker's."""
        self.add(_key(code), file, **facts)
        if not strict:
            self.official.append({"code": code, "where": list(where)})

    def fault_cells(
        self,
        code: str,
        where: Sequence[str],
        wrong: Bools,
        cells: Cells,
        name: str,
        *,
        file: str,
        strict: bool = False,
        **facts: Any,
    ) -> None:
        """Add a fault for every wrong cell of a column, and one official message if there is any."""
        rows = np.flatnonzero(wrong).tolist()
        if rows and not strict:
            self.official.append({"code": code, "where": list(where), "rows": len(rows)})
        self.add_cells(_key(code), file, rows, cells.frame[name], (cells.lines, cells.position(name)), **facts)

    def as_dict(self, language: str = "en") -> dict[str, Any]:
        """Return everything for ``--json``."""
        said = {"valid": not self.official, "errors": self.official}
        return {**super().as_dict(language), "official": said}


def _key(code: str) -> str:
    return code.lower().replace("_", "-")


def check_submission(path: Path, dist: Path, *, strict: bool = False) -> Findings:
    """Check a zip file against the files of the organisers."""
    if not dist.is_dir():
        raise InputError(f"{dist} is no folder; name the folder of the organisers' files", code="no-folder")
    found = Findings()
    unpacked = _unpack(path, found)
    if unpacked is None:
        return found
    kind, files = unpacked
    tables = dict(_tables(files, found))
    token = _read_token(files["token.txt"], found) if "token.txt" in files else None
    if token is None or not found.valid:
        return found
    reference = Reference(dist)
    team = _find_team(token, reference, found)
    missing = reference.lacking(kind, team)
    if missing:
        found.fault("REFERENCE_MISSING", file=", ".join(missing))
    if kind == "defence":
        check_cohort(tables["C.csv"], reference.rows(team), found, strict=strict)
    else:
        _check_attack(tables, reference, team, found, strict=strict)
    return found


def _tables(files: Mapping[str, bytes], found: Findings) -> Iterator[tuple[str, Cells]]:
    for name, raw in sorted(files.items()):
        if name.endswith(".csv"):
            try:
                yield name, Cells.read(raw)
            except UnreadableError as error:
                found.fault(error.code, [name], file=name)


def _unpack(path: Path, found: Findings) -> tuple[str, dict[str, bytes]] | None:
    """Return the kind of a flat zip and those of its files that are there; None if it is of none."""
    raw = path.read_bytes()
    try:
        packed = zipfile.ZipFile(io.BytesIO(raw))
    except zipfile.BadZipFile:
        found.fault("NOT_A_ZIP", file=path.name)
        return None
    entries = packed.infolist()
    size = sum(entry.file_size for entry in entries)
    if len(raw) > LARGEST_ZIP or size > LARGEST_CONTENT:
        found.fault("TOO_LARGE", file=path.name, size=max(len(raw), size))
        return None
    flat = []
    for entry in entries:
        name = entry.filename
        if name.endswith("/"):
            found.fault("FOLDER", file=name)
        elif "/" in name:
            junk = name.startswith("__MACOSX/") or name.rpartition("/")[2].startswith(".")
            found.fault("JUNK_FILE" if junk else "FOLDER", file=name)
        elif name.startswith("."):
            found.fault("HIDDEN_FILE", file=name)
        else:
            flat.append(name)
    kind = "defence" if "C.csv" in flat else "attack" if {"F_mia.csv", "F_aia.csv"} & set(flat) else None
    if kind is None:
        found.fault("KIND", file=path.name)
        return None
    missing = sorted(set(KINDS[kind]) - set(flat))
    extra = sorted(set(flat) - set(KINDS[kind]))
    if missing:
        found.fault("MISSING_FILE", file=", ".join(missing))
    if extra:
        found.fault("EXTRA_FILE", file=", ".join(extra))
    try:
        return kind, {name: packed.read(name) for name in KINDS[kind] if name in flat}
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError):
        found.fault("NOT_A_ZIP", file=path.name)
        return None


def _read_token(raw: bytes, found: Findings) -> str | None:
    """Return the token; a byte order mark is part of it, as it is to the official checker."""
    place = {"where": ["token.txt"], "file": "token.txt"}
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        found.fault("ENCODING", **place)  # type: ignore[arg-type]
        return None
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) != 1:
        found.fault("TOKEN_LINES", **place, lines=len(lines))  # type: ignore[arg-type]
        return None
    if not TOKEN.fullmatch(lines[0]):
        found.fault("TOKEN_FORMAT", **place)  # type: ignore[arg-type]
        return None
    return lines[0]


def _find_team(token: str, reference: Reference, found: Findings) -> int | None:
    """Return the team that a token names, if tokens are known."""
    tokens = reference.tokens()
    if tokens is not None and token not in tokens:
        found.fault("TOKEN_UNKNOWN", ["token.txt"], file="token.txt")
    return None if tokens is None else tokens.get(token)


def _check_columns(cells: Cells, wanted: Sequence[str], where: str, file: str, found: Findings) -> bool:
    missing = [name for name in wanted if name not in cells.columns]
    unknown = [name for name in cells.columns if name not in wanted]
    if missing:
        found.fault("COLUMN_MISSING", [where], file=file, names=", ".join(missing))
    if unknown:
        found.fault("COLUMN_UNKNOWN", [where], file=file, names=", ".join(unknown))
    return not missing and not unknown


def check_cohort(cells: Cells, rows: int | None, found: Findings, *, strict: bool = False) -> None:
    """Check C.csv: as many rows as B, the 13 columns in any order, every value."""
    file = "C.csv"
    whole = _check_columns(cells, COLUMNS, "submitted_C", file, found)
    if rows is not None and len(cells.lines) != rows:
        found.fault("ROW_COUNT", file=file, rows=len(cells.lines), wanted=rows)
    if not whole:
        return
    for name in CHECKED:
        if name == "prefecture":
            _check_prefecture(cells, found, strict=strict)
            continue
        values = cells.numbers(name)
        finite = np.isfinite(values)
        if name == "age":
            broken = ~(finite & np.isclose(values, np.round(values)))
            found.fault_cells("NOT_INTEGER", [name], broken, cells, name, file=file)
        found.fault_cells("NOT_FINITE", [name], ~finite, cells, name, file=file)
        if name in RANGES:
            low, high = RANGES[name]
            outside = finite & ((values < low) | (values > high))
            found.fault_cells("RANGE", [name], outside, cells, name, file=file, low=low, high=high)
        elif name in BINARY:
            found.fault_cells("NOT_BINARY", [name], finite & ~np.isin(values, (0.0, 1.0)), cells, name, file=file)
        else:
            outside = finite & ((values <= 0) | (values > HORIZON))
            found.fault_cells("TIME_RANGE", [name], outside, cells, name, file=file, high=HORIZON)
    _check_outcomes(cells, found, file)


def _check_outcomes(cells: Cells, found: Findings, file: str) -> None:
    """Refuse onset with death. The official checker tells it, of no row, of other values than 0 and 1 too."""
    onset, death = cells.numbers("onset"), cells.numbers("death")
    both, where = (onset == 1) & (death == 1), ["(onset,death)"]
    found.fault_cells("ONSET_DEATH", where, both, cells, "onset", file=file)
    # It leaves out what is no number in each column by itself, so pairs may come from different rows.
    left = (values[np.isfinite(values)].astype(np.int64).tolist() for values in (onset, death))
    if not both.any() and not set(zip(*left, strict=False)) <= {(0, 0), (1, 0), (0, 1)}:
        found.official.append({"code": "ONSET_DEATH", "where": where, "rows": 0})


def _check_prefecture(cells: Cells, found: Findings, *, strict: bool) -> None:
    text = cells.frame["prefecture"]
    absent = np.asarray(text.is_in(sorted(MISSING_TEXTS)).to_numpy())
    numeric = np.isfinite(cells.numbers("prefecture"))
    # The official reader takes a column of numbers alone for numbers; one number among names is a name to it.
    truth = np.asarray(text.is_in(["True", "TRUE", "true", "False", "FALSE", "false"]).to_numpy())
    wrong = absent | numeric | truth if (absent | numeric).all() or truth.all() else absent
    found.fault_cells("NOT_TEXT", ["prefecture"], wrong, cells, "prefecture", file="C.csv")
    if strict:
        odd = numeric | np.asarray((text.str.strip_chars() == "").to_numpy())
        found.fault_cells("NOT_TEXT", [], odd & ~wrong, cells, "prefecture", file="C.csv", strict=True)


def _check_attack(
    tables: Mapping[str, Cells], reference: Reference, team: int | None, found: Findings, *, strict: bool
) -> None:
    _check_confidences(tables["F_mia.csv"], reference, team, found, strict=strict)
    _check_times(tables["F_aia.csv"], reference, team, found, strict=strict)


def _lacking(wanted: Sequence[Any], given: Sequence[Any], own: Any) -> list[Any]:
    """Return missing targets: in practice any one may be, in a round only the own."""
    missing = [target for target in wanted if target not in given and target != own]
    return [] if own is None and len(missing) <= 1 else missing


def _fault_names(found: Findings, where: str, file: str, names_of: Mapping[str, Sequence[Any]]) -> None:
    for code, names in names_of.items():
        if names:
            found.fault(code, [where], file=file, names=", ".join(map(str, names)))


def _near_whole(values: Floats) -> Bools:
    return np.isfinite(values) & np.isclose(values, np.round(values))


def _again(cells: Cells, name: str) -> Bools:
    """Return which cells were there before: as numbers if all are, else as texts."""
    values, text = cells.numbers(name), cells.frame[name]
    missing = text.is_in(sorted(MISSING_TEXTS))
    words = (np.isnan(values) & ~missing.to_numpy()).any()
    key = text.set(missing, "") if words else pl.Series(values)
    return ~np.asarray(key.is_first_distinct().to_numpy())


def _check_confidences(cells: Cells, reference: Reference, team: int | None, found: Findings, *, strict: bool) -> None:
    file, where = "F_mia.csv", "F_mia"
    if "record_id" not in cells.columns:
        found.fault("NO_RECORD_ID", [where], file=file)
        return
    ids = cells.numbers("record_id")
    found.fault_cells("RECORD_ID_NOT_INTEGER", [where], ~_near_whole(ids), cells, "record_id", file=file)
    found.fault_cells("RECORD_ID_DUPLICATE", [where], _again(cells, "record_id"), cells, "record_id", file=file)
    given = [name for name in cells.columns if name != "record_id"]
    _fault_names(found, where, file, {"TARGET_LABEL": [name for name in given if not re.fullmatch(r"\d+", name)]})
    targets = reference.targets()
    if targets is not None:
        unknown = [name for name in given if name not in targets]
        missing = _lacking(sorted(set(targets), key=int), given, None if team is None else str(team))
        _fault_names(found, where, file, {"TARGET_UNKNOWN": unknown, "TARGET_MISSING": missing})
    records = reference.records(team)
    if records is not None:
        told = set(ids[np.isfinite(ids)].astype(np.int64).tolist())
        lost, extra = set(records) - told, told - set(records)
        if lost or extra:
            found.fault("RECORD_ID_SET", [where], file=file, lost=len(lost), extra=len(extra))
    for name in given:
        values, place = cells.numbers(name), [where, name]
        found.fault_cells("NOT_A_NUMBER", place, np.isnan(values), cells, name, file=file)
        outside = np.isfinite(values) & ((values < 0) | (values > 1))
        found.fault_cells("CONFIDENCE_RANGE", place, outside, cells, name, file=file)
        if strict:
            found.fault_cells("INFINITE", place, np.isinf(values), cells, name, file=file, strict=True)


def _check_times(cells: Cells, reference: Reference, team: int | None, found: Findings, *, strict: bool) -> None:
    file, where = "F_aia.csv", "F_aia"
    if not _check_columns(cells, ANSWER_COLUMNS, where, file, found):
        return
    times, place = cells.numbers("time_hat"), [where, "time_hat"]
    found.fault_cells("NOT_A_NUMBER", place, np.isnan(times), cells, "time_hat", file=file)
    negative = np.isfinite(times) & (times < 0)
    found.fault_cells("NEGATIVE", place, negative, cells, "time_hat", file=file)
    target, row = (cells.numbers(name) for name in ANSWER_COLUMNS[:2])
    broken = np.isnan(target) | (np.isfinite(target) & ~_near_whole(target))
    found.fault_cells("NOT_INTEGER", [where, "target_k"], broken, cells, "target_k", file=file)
    if strict:
        found.fault_cells("INFINITE", place, np.isinf(times), cells, "time_hat", file=file, strict=True)
        odd = ~_near_whole(row)
        found.fault_cells("NOT_INTEGER", [where], odd, cells, "challenge_row_id", file=file, strict=True)
    known = ~(np.isnan(target) | np.isnan(row))
    pairs = pl.DataFrame({"target": target, "row": row}).filter(pl.Series(known))
    again = np.zeros(len(target), dtype=bool)
    again[known] = ~pairs.to_struct().is_first_distinct().to_numpy()
    found.fault_cells("DUPLICATE_ANSWER", [where], again, cells, "challenge_row_id", file=file)
    given = sorted(set(target[np.isfinite(target)].astype(np.int64).tolist()))
    targets, challenges = reference.targets(), reference.challenges()
    if targets is not None:
        _fault_names(found, where, file, {"TARGET_UNKNOWN": [one for one in given if str(one) not in targets]})
    # Parts of a number are cut off, as the official checker does.
    finite = np.isfinite(target) & np.isfinite(row)
    about, answered = (values[finite].astype(np.int64) for values in (target, row))
    for one, wanted in challenges.items():
        if one in given and one != team and set(answered[about == one].tolist()) != set(wanted):
            found.fault("CHALLENGE_SET", [where], file=file, target=one)
    _fault_names(found, where, file, {"TARGET_MISSING": _lacking(sorted(challenges), given, team)})
