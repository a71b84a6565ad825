"""Traces of regions as tables: one line for every user and time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.raw import read_bytes
from tokumei.errors import InputError


@dataclass(frozen=True, eq=False, slots=True)
class RegionTraces:
    """Regions of all users at all times, users in rows."""

    users: Ints
    times: Ints
    regions: Ints

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of users and of times."""
        return self.regions.shape[0], self.regions.shape[1]


def read_region_traces(path: Path) -> RegionTraces:
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
    return RegionTraces(users, times, table["reg_id"].to_numpy().reshape(len(users), len(times)))


def _no_traces(path: Path) -> InputError:
    message = f"{path} holds no traces; write user_id,time_id,reg_id for every user and time, sorted"
    return InputError(message, code="no-traces", file=str(path))
