"""The patient tables of PWS Cup 2025 as text cells, and the columns that its programs see in them."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from tokumei.array_types import Floats
from tokumei.contests.column_rules import column_rules
from tokumei.data import read_bytes
from tokumei.errors import InputError

HOME = "tokumei.contests.pws2025"
RULES = column_rules(HOME)
COLUMNS = tuple(RULES)
CATEGORIES = tuple(name for name, rule in RULES.items() if rule.known)
MOSTLY = 0.95


@dataclass(frozen=True, eq=False)
class Patients:
    """A table of text cells, stripped; empty cells are empty texts."""

    frame: pl.DataFrame

    @classmethod
    def read(cls, path: Path) -> Patients:
        """Read a CSV with a header (UTF-8 with or without BOM, plain or gzip)."""
        raw = read_bytes(path).removeprefix(b"\xef\xbb\xbf")
        try:
            frame = pl.read_csv(io.BytesIO(raw), infer_schema=False)
        except pl.exceptions.PolarsError as error:
            message = f"{path} cannot be read as a table ({str(error).splitlines()[0]}); give a CSV with a header"
            raise InputError(message, code="no-table", file=str(path)) from error
        return cls(frame.select(pl.all().fill_null("").str.strip_chars()))

    @property
    def height(self) -> int:
        """How many rows there are."""
        return self.frame.height

    def numbers(self, name: str) -> Floats:
        """Return a column as numbers, NaN where a cell is none."""
        cells = self.frame[name].cast(pl.Float64, strict=False).fill_null(np.nan)
        return np.asarray(cells.to_numpy(), dtype=np.float64)

    def mostly_numeric(self) -> list[str]:
        """Return the columns in which at least 95 % of the cells that are not empty are numbers."""
        found = []
        for name in self.frame.columns:
            filled = int((self.frame[name] != "").sum())
            if filled and int(np.isfinite(self.numbers(name)).sum()) >= MOSTLY * filled:
                found.append(name)
        return found

    def features(self, target: str) -> dict[str, Floats]:
        """Return the columns of a model by name: numbers with gaps at the median, dummies without the first level.

        A column with a single number in it is numeric; an empty text is the level "(NA)".
        """
        found: dict[str, Floats] = {}
        for name in self.frame.columns:
            if name == target:
                continue
            values = self.numbers(name)
            known = np.isfinite(values)
            if known.any():
                found[name] = np.where(known, values, np.median(values[known]))
                continue
            text = self.frame[name].replace({"": "(NA)"})
            for level in sorted(text.unique().to_list())[1:]:
                found[f"{name}_{level}"] = (text == level).to_numpy().astype(np.float64)
        return {name: found[name] for name in sorted(found)}

    def answers(self, target: str) -> Floats:
        """Return a flag as 0 and 1; gaps get the median."""
        values = self.numbers(target)
        known = np.isfinite(values)
        return np.where(known, values, np.median(values[known]) if known.any() else 0.0)
