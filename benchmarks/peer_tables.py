"""The tables of the comparison with other tools, and what their results lose."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.arx_hierarchies import SEVEN, chains
from benchmarks.inputs import PROJECT
from tokumei.array_types import Floats, Ints
from tokumei.data import Column, History, Kind, Schema


@dataclass(frozen=True, eq=False)
class PeerTable:
    """One data set: its records, and whether it is all numbers (judged by variance) or a plain table (by NCP)."""

    name: str
    frame: pl.DataFrame
    numbers: bool

    def history(self, hierarchies: dict[str, Path] | None = None) -> History:
        """Return the records with every row a person, on these hierarchies if they are given."""
        files = hierarchies or {}
        columns = [
            Column(
                name=name,
                kind=Kind.NUMBER if dtype.is_numeric() else Kind.CATEGORY,
                step=1e-6 if dtype.is_float() else 1.0,
                hierarchy=str(files.get(name, "")),
            )
            for name, dtype in self.frame.schema.items()
        ]
        return History.from_frame(self.frame, Schema("row", tuple(columns)))


def peer_tables(shared: Path, names: Sequence[str]) -> list[PeerTable]:
    """Return the tables of these names that are present."""
    data = shared / "data"
    found = []
    if "adult" in names and (data / "adult.parquet").exists():
        frame = pl.read_parquet(data / "adult.parquet").drop_nulls().select(SEVEN)
        found.append(PeerTable("adult", frame, numbers=False))
    files = {"cmc": "cmc.csv", "tarragona": "microaggregation_tarragona.csv", "census": "microaggregation_census.csv"}
    for name, file in files.items():
        if name in names and (data / file).exists():
            found.append(PeerTable(name, pl.read_csv(data / file), numbers=name != "cmc"))
    return found


def shared_folder() -> Path:
    """Return where the real data is looked for."""
    return Path(os.environ.get("TOKUMEI_SHARED", PROJECT.parent / "shared"))


def group_numbers(groups: Sequence[Sequence[int]], records: int) -> Ints:
    """Return the group of every record."""
    number = np.full(records, -1)
    for at, rows in enumerate(groups):
        number[list(rows)] = at
    return number


def groups_penalty(frame: pl.DataFrame, groups: Sequence[Sequence[int]]) -> float:
    """Return NCP (beyond one value) of the tight hulls of groups; records of no group cost 1."""
    number = group_numbers(groups, frame.height)
    keyed = frame.with_columns(pl.Series("group of the row", number)).filter(pl.col("group of the row") >= 0)
    total = 0.0
    for name, dtype in frame.schema.items():
        column = pl.col(name)
        width = (column.max() - column.min()).cast(pl.Float64) if dtype.is_numeric() else column.n_unique() - 1.0
        domain = float(frame.select(width).item())
        sizes = keyed.group_by("group of the row").agg((width * pl.len()).alias("cost"))
        total += float(np.sum(sizes["cost"].to_numpy())) / domain if domain else 0.0
    lost = int((number < 0).sum()) * frame.width
    return (total + lost) / (frame.height * frame.width)


def groups_error(frame: pl.DataFrame, groups: Sequence[Sequence[int]]) -> float:
    """Return SSE/SST of standardized columns when the means of groups are published."""
    number = group_numbers(groups, frame.height)
    values: Floats = frame.to_numpy().astype(np.float64)
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    sizes = np.maximum(np.bincount(number), 1)
    means = np.column_stack([np.bincount(number, column) / sizes for column in values.T])
    return float(((values - means[number]) ** 2).sum() / (values**2).sum())


def labels_loss(columns: Sequence[str], records: Sequence[Sequence[str]], total: int) -> Floats:
    """Return ARX's loss of every column for published labels of its hierarchies; absent records cost 1."""
    losses = []
    for at, name in enumerate(columns):
        lines = chains(name)
        below: dict[str, int] = {}
        for line in lines:
            for label in set(line):
                below[label] = below.get(label, 0) + 1
        cost = sum((below[record[at]] - 1) / (len(lines) - 1) for record in records)
        losses.append((cost + total - len(records)) / total)
    return np.array(losses)
