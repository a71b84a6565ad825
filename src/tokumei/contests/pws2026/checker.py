"""The submissions of PWS Cup 2026: zip files for defence and attack, every fault at its line, column and value.

What the official checker says stands beside it, in its codes and order: it stops after faults of the package, then
gives one message per column. ``strict`` also refuses what it overlooks: infinite answers and unknown prefectures.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tokumei.array_types import Bools
from tokumei.contests import findings
from tokumei.contests.pandas_table import MISSING_TEXTS
from tokumei.contests.pws2026.csv_cells import Cells, UnreadableError
from tokumei.contests.pws2026.table import BINARY, COLUMNS, HOME, HORIZON, RANGES
from tokumei.errors import InputError

KINDS = {"defence": ("C.csv", "token.txt"), "attack": ("F_mia.csv", "F_aia.csv", "token.txt")}
TOKEN = re.compile(r"[A-Za-z0-9]{16,}")
LARGEST_ZIP, LARGEST_CONTENT = 20 * 2**20, 100 * 2**20
ANSWER_COLUMNS = ("target_k", "challenge_row_id", "time_hat")


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


@dataclass(frozen=True)
class Reference:
    """What a submission is compared with: practice (any one target may be missing) or a round with tokens."""

    folder: Path

    def tokens(self) -> dict[str, int] | None:
        """Return team numbers by token; None in practice."""
        path = self.folder / "tokens.csv"
        if not path.exists():
            return None
        frame = Cells.read(path.read_bytes()).frame
        return dict(zip(frame["token"], map(int, frame["team_id"]), strict=True))

    def records(self, team: int | None) -> list[int] | None:
        """Return the record ids of the own cohort; None if the file is not there."""
        names = ["B_practice.csv", "B_self.csv"] if team is None else [f"pool_ids_{team}.csv", f"B_{team}.csv"]
        path = next((self.folder / name for name in names if (self.folder / name).exists()), None)
        if path is None:
            return None
        return Cells.read(path.read_bytes()).numbers("record_id").astype(int).tolist()

    def targets(self) -> list[str]:
        """Return the columns that F_mia must have."""
        path = next(iter(sorted(self.folder.rglob("mia_columns.json"))), None)
        if path is None:
            return [str(target) for target in self.challenges()]
        return [str(name) for name in json.loads(path.read_text(encoding="utf-8"))["target_columns"]]

    def challenges(self) -> dict[int, list[int]]:
        """Return the challenge rows of every target."""
        found = {}
        for path in sorted(self.folder.rglob("aia_*.csv")):
            match = re.fullmatch(r"aia_(?:truth|challenge)_(\d+)\.csv", path.name)
            if match:
                found[int(match[1])] = Cells.read(path.read_bytes()).numbers("challenge_row_id").astype(int).tolist()
        return found


def check_submission(path: Path, dist: Path, *, strict: bool = False) -> Findings:
    """Check a zip file against the files of the organisers."""
    if not dist.is_dir():
        raise InputError(f"{dist} is no folder; name the folder of the organisers' files", code="no-folder")
    found = Findings()
    files = _unpack(path, found)
    if files is None or not found.valid:
        return found
    kind = "defence" if "C.csv" in files else "attack"
    reference = Reference(dist)
    team = _check_token(files["token.txt"], reference, found)
    tables = dict(_tables(files, found))
    if found.valid:
        if kind == "defence":
            records = reference.records(team)
            check_cohort(tables["C.csv"], None if records is None else len(records), found, strict=strict)
        else:
            _check_attack(tables, reference, team, found, strict=strict)
    return found


def _tables(files: Mapping[str, bytes], found: Findings) -> Iterator[tuple[str, Cells]]:
    for name, raw in files.items():
        if name.endswith(".csv"):
            try:
                yield name, Cells.read(raw)
            except UnreadableError as error:
                found.fault(error.code, [name], file=name)


def _unpack(path: Path, found: Findings) -> dict[str, bytes] | None:
    """Return the files of a flat zip with exactly the files of one kind; None if it is none."""
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
        if name.startswith("__MACOSX"):
            found.fault("JUNK_FILE", file=name)
        elif name.endswith("/") or "/" in name or "\\" in name:
            found.fault("FOLDER", file=name)
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
        return {name: packed.read(name) for name in KINDS[kind] if name in flat}
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError):
        found.fault("NOT_A_ZIP", file=path.name)
        return None


def _check_token(raw: bytes, reference: Reference, found: Findings) -> int | None:
    """Check the token and return the team that it names, if tokens are known."""
    place = {"where": ["token.txt"], "file": "token.txt"}
    lines = [line.strip() for line in raw.decode("utf-8-sig", errors="replace").splitlines() if line.strip()]
    if len(lines) != 1:
        found.fault("TOKEN_LINES", **place, lines=len(lines))  # type: ignore[arg-type]
        return None
    if not TOKEN.fullmatch(lines[0]):
        found.fault("TOKEN_FORMAT", **place)  # type: ignore[arg-type]
        return None
    tokens = reference.tokens()
    if tokens is None:
        return None
    if lines[0] not in tokens:
        found.fault("TOKEN_UNKNOWN", **place)  # type: ignore[arg-type]
        return None
    team = tokens[lines[0]]
    if reference.records(team) is None:
        found.fault("REFERENCE_MISSING", file=f"pool_ids_{team}.csv")
    return team


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
    if rows is not None and len(cells.lines) != rows:
        found.fault("ROW_COUNT", file=file, rows=len(cells.lines), wanted=rows)
    if not _check_columns(cells, COLUMNS, "submitted_C", file, found):
        return
    for name in COLUMNS:
        if name == "prefecture":
            _check_prefecture(cells, found, strict=strict)
            continue
        values = cells.numbers(name)
        finite = np.isfinite(values)
        if name == "age":
            broken = ~np.isclose(values, np.round(values))
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
    both = (cells.numbers("onset") == 1) & (cells.numbers("death") == 1)
    found.fault_cells("ONSET_DEATH", ["(onset,death)"], both, cells, "onset", file=file)


def _check_prefecture(cells: Cells, found: Findings, *, strict: bool) -> None:
    text = cells.frame["prefecture"]
    absent = np.asarray(text.is_in(sorted(MISSING_TEXTS)).to_numpy())
    numeric = np.isfinite(cells.numbers("prefecture"))
    # The official reader takes a column of numbers alone for numbers; one number among names is a name to it.
    wrong = absent | numeric if (absent | numeric).all() else absent
    wrong = wrong | np.asarray((text.str.strip_chars() == "").to_numpy())
    found.fault_cells("NOT_TEXT", ["prefecture"], wrong, cells, "prefecture", file="C.csv")
    if strict:
        found.fault_cells("NOT_TEXT", [], numeric & ~wrong, cells, "prefecture", file="C.csv", strict=True)


def _check_attack(
    tables: Mapping[str, Cells], reference: Reference, team: int | None, found: Findings, *, strict: bool
) -> None:
    records = reference.records(team) or []
    _check_confidences(tables["F_mia.csv"], reference.targets(), records, team, found, strict=strict)
    _check_times(tables["F_aia.csv"], reference.challenges(), team, found, strict=strict)


def _lacking(wanted: Sequence[Any], given: Sequence[Any], own: Any, practice: bool) -> list[Any]:
    """Return missing targets: in practice any one may be, in a round only the own."""
    missing = [target for target in wanted if target not in given and (practice or target != own)]
    return [] if practice and len(missing) <= 1 else missing


def _check_confidences(
    cells: Cells, targets: list[str], records: list[int], team: int | None, found: Findings, *, strict: bool
) -> None:
    file, where = "F_mia.csv", "F_mia"
    if "record_id" not in cells.columns:
        found.fault("NO_RECORD_ID", [where], file=file)
        return
    given = [name for name in cells.columns if name != "record_id"]
    labels = [name for name in given if not re.fullmatch(r"[+-]?\d+", name)]
    unknown = [name for name in given if name not in targets]
    missing = _lacking(targets, given, str(team), team is None)
    for code, names in (("TARGET_LABEL", labels), ("TARGET_UNKNOWN", unknown), ("TARGET_MISSING", missing)):
        if names:
            found.fault(code, [where], file=file, names=", ".join(names))
    ids = cells.numbers("record_id")
    broken = ~np.isfinite(ids) | (ids != np.round(ids))
    found.fault_cells("RECORD_ID_NOT_INTEGER", [where], broken, cells, "record_id", file=file)
    if not broken.any():
        _, first = np.unique(ids, return_index=True)
        again = ~np.isin(np.arange(len(ids)), first)
        found.fault_cells("RECORD_ID_DUPLICATE", [where], again, cells, "record_id", file=file)
        lost, extra = set(records) - set(ids.astype(int)), set(ids.astype(int)) - set(records)
        if lost or extra:
            found.fault("RECORD_ID_SET", [where], file=file, lost=len(lost), extra=len(extra))
    for name in given:
        if name not in targets or name == str(team):
            continue
        values, place = cells.numbers(name), [where, name]
        found.fault_cells("NOT_A_NUMBER", place, np.isnan(values), cells, name, file=file)
        outside = np.isfinite(values) & ((values < 0) | (values > 1))
        found.fault_cells("CONFIDENCE_RANGE", place, outside, cells, name, file=file)
        if strict:
            found.fault_cells("INFINITE", place, np.isinf(values), cells, name, file=file, strict=True)


def _check_times(
    cells: Cells, challenges: Mapping[int, list[int]], team: int | None, found: Findings, *, strict: bool
) -> None:
    file, where = "F_aia.csv", "F_aia"
    if not _check_columns(cells, ANSWER_COLUMNS, where, file, found):
        return
    whole = True
    for name in ANSWER_COLUMNS[:2]:
        values = cells.numbers(name)
        broken = ~np.isfinite(values) | (values != np.round(values))
        found.fault_cells("NOT_INTEGER", [where, name], broken, cells, name, file=file)
        whole = whole and not broken.any()
    times, place = cells.numbers("time_hat"), [where, "time_hat"]
    found.fault_cells("NOT_A_NUMBER", place, np.isnan(times), cells, "time_hat", file=file)
    found.fault_cells("NEGATIVE", place, times < 0, cells, "time_hat", file=file)
    if strict:
        found.fault_cells("INFINITE", place, np.isinf(times), cells, "time_hat", file=file, strict=True)
    if not whole:
        return
    target, row = (cells.numbers(name).astype(np.int64) for name in ANSWER_COLUMNS[:2])
    given = sorted(set(target.tolist()))
    unknown = [one for one in given if one not in challenges]
    missing = _lacking(sorted(challenges), given, team, team is None)
    for code, names in (("TARGET_UNKNOWN", unknown), ("TARGET_MISSING", missing)):
        if names:
            found.fault(code, [where], file=file, names=", ".join(map(str, names)))
    _, first = np.unique(np.column_stack([target, row]), axis=0, return_index=True)
    again = ~np.isin(np.arange(len(target)), first)
    found.fault_cells("DUPLICATE_ANSWER", [where], again, cells, "challenge_row_id", file=file)
    for one in given:
        if one in challenges and one != team and set(row[target == one].tolist()) != set(challenges[one]):
            found.fault("CHALLENGE_SET", [where], file=file, target=one)
