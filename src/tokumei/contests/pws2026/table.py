"""The tables of PWS Cup 2026: cohorts B, background A_bg, synthetic C, and the reference of the utility."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Floats
from tokumei.data import read_bytes
from tokumei.errors import InputError

HOME = "tokumei.contests.pws2026"
CONTINUOUS = ("age", "BMI", "SBP", "TG", "HDL", "ALT", "FPG")
BINARY = ("sex", "smoking", "onset", "death")
COLUMNS = ("age", "sex", "prefecture", "BMI", "SBP", "TG", "HDL", "ALT", "smoking", "FPG", "time", "onset", "death")
NUMBERS = tuple(name for name in COLUMNS if name != "prefecture")
RANGES: dict[str, tuple[float, float]] = {
    "age": (40.0, 74.0),
    "BMI": (10.0, 55.0),
    "SBP": (40.0, 250.0),
    "TG": (1.0, 3000.0),
    "HDL": (10.0, 160.0),
    "ALT": (0.1, 700.0),
    "FPG": (40.0, 400.0),
}
HORIZON = 10.0
# Ten years of 365.25 days, in whole days: what everybody without an event has as time.
CENSORED = 3652 / 365.25


@cache
def scoring() -> dict[str, Any]:
    """Return the published numbers of the tail statistics."""
    import tomllib

    return tomllib.loads((Path(__file__).parent / "scoring.toml").read_text(encoding="utf-8"))


def read_table(path: Path) -> pl.DataFrame:
    """Return a table of the contest: numbers as floats, prefecture as text, rows by record_id if there is one."""
    raw = read_bytes(path)
    try:
        frame = pl.read_csv(io.BytesIO(raw), infer_schema=False)
    except pl.exceptions.PolarsError as error:
        message = f"{path} cannot be read as a table ({str(error).splitlines()[0]}); give a CSV with a header"
        raise InputError(message, code="no-table", file=str(path)) from error
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        message = f"{path} lacks the columns {', '.join(missing)}; give a table of PWS Cup 2026"
        raise InputError(message, code="columns-missing", file=str(path))
    extra = [name for name in ("record_id", "is_rare") if name in frame.columns]
    names = [*NUMBERS, *extra]
    frame = frame.select(pl.col(names).str.strip_chars().cast(pl.Float64, strict=False), pl.col("prefecture"))
    wrong = frame.select(~pl.col(names).is_finite().fill_null(value=False))
    for name in names:
        if wrong[name].any():
            line = int(wrong[name].arg_true()[0]) + 2
            message = f"{path}, line {line}, column {name}: the cell is no finite number; write one"
            raise InputError(message, code="no-number", file=str(path), line=line)
    frame = frame.select([*extra, *COLUMNS])
    return frame.sort("record_id", maintain_order=True) if "record_id" in frame.columns else frame


def matrix(frame: pl.DataFrame, names: tuple[str, ...] = CONTINUOUS) -> Floats:
    """Return columns as an array, one row per person."""
    return frame.select(names).to_numpy().astype(np.float64)


@dataclass(frozen=True, eq=False)
class Reference:
    """What the utility of a cohort needs besides the tables: utility_ref.json."""

    mu: Floats
    precision: Floats
    lowest: float
    signal: float | None
    floor: float
    rare: Bools | None

    @classmethod
    def read(cls, path: Path) -> Reference:
        """Read utility_ref.json."""
        try:
            found = json.loads(read_bytes(path))
            mu, sigma = (np.asarray(found[name], dtype=np.float64) for name in ("mu", "sigma"))
            rare, signal = found.get("b_is_rare"), found.get("km_signal_D")
            return cls(
                mu,
                np.asarray(np.linalg.pinv(sigma), dtype=np.float64),
                float(found["band"]["lo"]),
                None if signal is None else float(signal),
                float(found["km_floor"]),
                None if rare is None else np.asarray(rare, dtype=bool),
            )
        except (ValueError, KeyError, TypeError, np.linalg.LinAlgError) as error:
            message = f"{path} is no reference of the utility ({error}); give utility_ref.json of the contest"
            raise InputError(message, code="bad-reference", file=str(path)) from error

    def distances(self, frame: pl.DataFrame) -> Floats:
        """Return how far every person is from the majority (Mahalanobis distance on the continuous columns)."""
        away = matrix(frame) - self.mu
        return np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", away, self.precision, away), 0.0))


@dataclass(frozen=True, eq=False)
class World:
    """A cohort with everything its utility is measured against."""

    cohort: pl.DataFrame
    background: pl.DataFrame
    reference: Reference
    rare: Bools

    @classmethod
    def read(cls, data: Path, *, cohort: str = "B_self.csv", reference: str = "utility_ref.json") -> World:
        """Read the files of a data folder; who is rare is said by the reference, else by the column is_rare."""
        people, found = read_table(data / cohort), Reference.read(data / reference)
        return cls.of(people, read_table(data / "A_bg.csv"), found, file=data / cohort)

    @classmethod
    def of(cls, people: pl.DataFrame, background: pl.DataFrame, found: Reference, *, file: Path) -> World:
        """Put read files together."""
        rare = found.rare
        if rare is None:
            if "is_rare" not in people.columns:
                message = f"{file} does not say who is rare; give B_self.csv with the column is_rare"
                raise InputError(message, code="no-rare", file=str(file))
            rare = people["is_rare"].to_numpy() != 0
        if len(rare) != people.height:
            message = f"{file} has {people.height} rows, but utility_ref.json speaks of {len(rare)}"
            raise InputError(message, code="bad-reference", file=str(file))
        return cls(people.select(COLUMNS), background.select(COLUMNS), found, rare)


def clip(value: float) -> float:
    """Return a score within 0 and 1."""
    return float(min(1.0, max(0.0, value)))
