"""Files of PWS Cup 2019, the scores s_U, s_I and s_T, and how the official evaluators stop (later contests, spec 4).

The evaluators check nothing: they skip the first line, read as many lines as they need and turn every cell into a
Python integer. A cell that is none ends them with a ValueError, an identifier beyond the grid with an IndexError.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.contests.official import StoppedError
from tokumei.data import HIDDEN_REGION, RegionCells, RegionGrid, read_bytes
from tokumei.errors import InputError
from tokumei.metrics import kept_mean_nearness, kept_nearness, trace_distance, wrong_share

_HOSPITALS = """2 43 50 147 150 152 174 183 186 205 237 296 303 326 331 344 358 420 434 449 471 491 497 507 522 535 550
561 628 631 708 771 782 821 871 883 995"""
HOSPITALS = tuple(map(int, _HOSPITALS.split()))
GRID = RegionGrid(
    side=32, south=35.65, north=35.75, west=139.68, east=139.8, km_north=111, km_east=91, far=2.0, sensitive=HOSPITALS
)
SLOTS_PER_DAY = 20
HOSPITAL_WEIGHT = 10
FARTHEST = 2**40
# s_U of the deciding program and of the R server, s_I, and s_T with its weight of hospitals.
utility = partial(kept_nearness, grid=GRID)
server_utility = partial(kept_mean_nearness, grid=GRID)
identity_score = wrong_share
trace_score = partial(trace_distance, grid=GRID, weight=float(HOSPITAL_WEIGHT))


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
