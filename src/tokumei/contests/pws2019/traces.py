"""Files of PWS Cup 2019, the scores s_U, s_I and s_T, and how the official evaluators stop (later contests, spec 4).

The evaluators check nothing: they skip the first line, read as many lines as they need and turn every cell into a
Python integer. A cell that is none ends them with a ValueError, an identifier beyond the grid with an IndexError.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Floats, Ints
from tokumei.contests.official import StoppedError
from tokumei.data import HIDDEN_REGION, RegionCells, RegionGrid, read_bytes
from tokumei.errors import InputError

_HOSPITALS = """2 43 50 147 150 152 174 183 186 205 237 296 303 326 331 344 358 420 434 449 471 491 497 507 522 535 550
561 628 631 708 771 782 821 871 883 995"""
HOSPITALS = tuple(map(int, _HOSPITALS.split()))
GRID = RegionGrid(
    side=32, south=35.65, north=35.75, west=139.68, east=139.8, km_north=111, km_east=91, far=2.0, sensitive=HOSPITALS
)
SLOTS_PER_DAY = 20
HOSPITAL_WEIGHT = 10
FARTHEST = 2**40


@dataclass(frozen=True, eq=False, slots=True)
class Traces:
    """Regions of all users at all times, users in rows."""

    users: Ints
    times: Ints
    regions: Ints

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of users and of times."""
        return self.regions.shape[0], self.regions.shape[1]


def read_traces(path: Path) -> Traces:
    """Read user_id,time_id,reg_id; every user needs every time, sorted."""
    try:
        table = pl.read_csv(read_bytes(path), schema=dict.fromkeys(("user_id", "time_id", "reg_id"), pl.Int64))
    except pl.exceptions.PolarsError as error:
        raise _no_traces(path) from error
    if table.null_count().row(0) != (0, 0, 0) or table.height == 0:
        raise _no_traces(path)
    users, times = table["user_id"].unique().sort().to_numpy(), table["time_id"].unique().sort().to_numpy()
    grid = np.stack(np.meshgrid(users, times, indexing="ij"), axis=-1).reshape(-1, 2)
    found = table.select("user_id", "time_id").to_numpy()
    if found.shape != grid.shape or (found != grid).any():
        raise _no_traces(path)
    return Traces(users, times, table["reg_id"].to_numpy().reshape(len(users), len(times)))


def _no_traces(path: Path) -> InputError:
    message = f"{path} holds no traces; write user_id,time_id,reg_id for every user and time, sorted"
    return InputError(message, code="no-traces", file=str(path))


def read_owners(path: Path) -> Ints:
    """Return the users behind the pseudonyms of a ptable, in order."""
    try:
        return np.array([int(line.split(",")[1]) for line in cell_lines(path)], dtype=np.int64)
    except (ValueError, IndexError) as error:
        message = f"{path} is no table of pseudonyms; write pse_id,user_id on every line"
        raise InputError(message, code="no-ptable", file=str(path)) from error


def cell_lines(path: Path) -> list[str]:
    """Return the lines of a file after its first, as Python's text files give them."""
    try:
        text = read_bytes(path, allow_empty=True).decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{path} is no UTF-8 text (official: UnicodeDecodeError); write region ids in plain digits"
        raise StoppedError(message, "UnicodeDecodeError", code="no-utf-8") from error
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[1:-1] if lines[-1] == "" else lines[1:]


def _integer(text: str) -> int | None:
    """Return a whole number; one beyond all regions stands for every larger one."""
    try:
        return max(-FARTHEST, min(int(text), FARTHEST))
    except ValueError:
        return None


def read_cells(lines: Sequence[str], wanted: int, file: str, *, sets: bool = True, grid: bool = True) -> RegionCells:
    """Return as many cells as are needed; raise what the official evaluator would.

    Without ``sets`` a cell must be one number, without ``grid`` it may be any.
    """
    kept = pl.Series([*lines[:wanted], *[""] * (wanted - len(lines))], dtype=pl.String)
    hidden = (kept == HIDDEN_REGION).to_numpy() if sets else np.zeros(wanted, dtype=bool)
    parts = (kept.str.split(" ") if sets else kept.reshape((wanted, 1)).arr.to_list()).alias("part")
    table = pl.DataFrame({"row": np.arange(wanted), "part": parts}).filter(~pl.Series(hidden)).explode("part")
    texts = table["part"].unique()
    numbers = pl.Series([_integer(text) for text in texts.to_list()], dtype=pl.Int64)
    values = table["part"].replace_strict(texts, numbers, return_dtype=pl.Int64)
    rows = table["row"].to_numpy()
    no_number = values.is_null().to_numpy()
    members = values.fill_null(1).to_numpy().astype(np.int64)
    wrong = no_number | GRID.outside(members) if grid else no_number
    if wrong.any():
        first = int(wrong.argmax())
        stops, line = "ValueError" if no_number[first] else "IndexError", int(rows[first]) + 2
        message = f"{file}, line {line}: the cell is no region id (official: {stops}); write one from 1 to 1024"
        raise StoppedError(message, stops, code="no-region")
    return RegionCells(members, rows, np.bincount(rows, minlength=wanted), hidden)


def utility(original: Ints, cells: RegionCells) -> float:
    """Return s_U: 1 less the mean loss, that of a set being the mean of the losses of its members, that of * 1."""
    loss = np.bincount(cells.rows, GRID.losses(original[cells.rows], cells.members), minlength=len(original))
    return float(1 - (np.where(cells.hidden, 1.0, loss / np.maximum(cells.counts, 1))).mean())


def server_utility(original: Ints, cells: RegionCells) -> float:
    """Return the utility of the R server: the mean distance of a set is clipped, not each; others are left out."""
    known = (cells.members >= 1) & (cells.members <= GRID.count)
    rows, members = cells.rows[known], cells.members[known]
    counts = np.bincount(rows, minlength=len(original))
    mean = np.bincount(rows, GRID.distances(original[rows], members), minlength=len(original)) / np.maximum(counts, 1)
    scores = np.where(cells.hidden, 0.0, 1 - np.minimum(mean, GRID.far) / GRID.far)
    return float(scores[cells.hidden | (counts > 0)].mean())


def identity_score(owners: Ints, answers: Ints) -> float:
    """Return s_I: 1 less the share of pseudonyms whose user was named."""
    return float(1 - np.count_nonzero(owners == answers) / len(owners))


def trace_score(original: Ints, answers: Ints) -> float:
    """Return s_T: 1 less the weighted mean nearness of the answers; true hospital cells weigh 10."""
    weight = np.where(np.isin(original, GRID.sensitive), float(HOSPITAL_WEIGHT), 1.0)
    near: Floats = 1 - GRID.losses(original, answers)
    return float(1 - (weight * near).sum() / weight.sum())
