"""What one pass over a data set learns, so that its parts can be coded alike and their figures added up.

Spreads come from exact whole numbers, so that they depend neither on the order of the rows nor on how they are cut.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
import polars as pl

from tokumei.array_types import Ints
from tokumei.data.cells import MISSING
from tokumei.data.data_set import Batch, DataSet
from tokumei.data.history import History
from tokumei.data.release_parts import part_bytes, write_private
from tokumei.data.schema import Schema

# Squares of halves below this add up within 64 bits over a batch.
_HALF_BITS = 16
_SPLIT_LIMIT = 2**31
_INDEX = "survey.json"


@dataclass(frozen=True, slots=True)
class Sums:
    """Number, sum, sum of squares and ends of whole numbers, exact; sums of parts are added."""

    count: int = 0
    total: int = 0
    squares: int = 0
    low: int = 0
    high: int = 0

    @classmethod
    def of(cls, codes: Ints) -> Self:
        """Return the sums of the codes that are not missing."""
        present = codes[codes != MISSING]
        if len(present) == 0:
            return cls()
        low = int(present.min())
        away = present - low
        count, total = len(away), int(away.sum()) if int(away.max()) < _SPLIT_LIMIT else sum(away.tolist())
        squares = _squares(away)
        squares += 2 * low * total + low * low * count
        return cls(count, total + low * count, squares, low, low + int(away.max()))

    def __add__(self, other: Sums) -> Sums:
        """Return the sums of both together."""
        if not self.count or not other.count:
            return self if self.count else other
        return Sums(
            self.count + other.count,
            self.total + other.total,
            self.squares + other.squares,
            min(self.low, other.low),
            max(self.high, other.high),
        )

    def mean(self) -> float:
        """Return the mean (0 if there is nothing)."""
        return self.total / self.count if self.count else 0.0

    def spread(self) -> float:
        """Return the population standard deviation (0 if there is nothing)."""
        if self.count == 0:
            return 0.0
        return math.sqrt((self.count * self.squares - self.total * self.total) / (self.count * self.count))


def _squares(away: Ints) -> int:
    """Return the exact sum of squares of numbers of at least 0."""
    if int(away.max()) >= _SPLIT_LIMIT:
        return sum(number * number for number in away.tolist())
    high, low = away >> _HALF_BITS, away & ((1 << _HALF_BITS) - 1)
    parts = int((high * high).sum()), int((high * low).sum()), int((low * low).sum())
    return (parts[0] << (2 * _HALF_BITS)) + (parts[1] << (_HALF_BITS + 1)) + parts[2]


@dataclass(frozen=True, eq=False, repr=False)
class Survey:
    """The size of a data set, the dictionaries of its categories and the spreads of its fields.

    ``subjects`` are all subjects, sorted as text; a part is coded after them and after ``categories``. ``weight`` is
    what all records weigh together: their number, unless the schema declares a column of survey weights.
    """

    schema: Schema
    records: int
    subjects: pl.Series
    categories: Mapping[str, pl.Series]
    sums: Mapping[str, Sums]
    weight: float

    @classmethod
    def of(cls, data_set: DataSet, schema: Schema) -> Survey:
        """Pass once over a data set; raise ContentError for the first batch with cells that cannot be used."""
        schema.check_whole()
        schema.check_against(list(data_set.columns), str(data_set.path))
        return cls.of_histories(
            schema, (located(batch, schema, len(data_set)) for batch in data_set.batches(schema.sources()))
        )

    @classmethod
    def of_histories(cls, schema: Schema, histories: Iterable[History]) -> Survey:
        """Return what the histories of all batches tell together."""
        records = 0
        weights: list[float] = []
        subjects = pl.Series(schema.subject, [], dtype=pl.String)
        categories = {spec.name: subjects.clone() for spec in schema.fields if spec.nominal}
        sums = {spec.name: Sums() for spec in schema.fields if not spec.nominal}
        for history in histories:
            records += len(history)
            weights.append(history.weight())
            subjects = pl.concat([subjects, history.subjects.alias(schema.subject)]).unique()
            categories = {
                name: pl.concat([values, _occurring(history, name).alias(schema.subject)]).unique()
                for name, values in categories.items()
            }
            sums = {name: known + Sums.of(history.codes[name]) for name, known in sums.items()}
        dictionaries = {name: values.sort().alias(name) for name, values in categories.items()}
        return cls(schema, records, subjects.sort(), dictionaries, sums, math.fsum(weights))

    def write(self, folder: Path) -> None:
        """Keep the survey in a folder that only its owner can read; its index is written last."""
        write_private(folder / "subjects.parquet", part_bytes(self.subjects.alias("value").to_frame()))
        for number, values in enumerate(self.categories.values()):
            write_private(folder / f"values-{number}.parquet", part_bytes(values.alias("value").to_frame()))
        document = {
            "schema": self.schema.to_toml(),
            "records": self.records,
            "categories": list(self.categories),
            "sums": {name: astuple(sums) for name, sums in self.sums.items()},
            "weight": self.weight,
        }
        write_private(folder / _INDEX, json.dumps(document).encode())

    @classmethod
    def read(cls, folder: Path) -> Survey | None:
        """Return the survey that is kept in a folder, None if there is none."""
        if not (folder / _INDEX).is_file():
            return None
        document = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
        schema = Schema.from_toml(document["schema"])

        def values(name: str) -> pl.Series:
            return pl.read_parquet(folder / f"{name}.parquet", glob=False)["value"]

        return cls(
            schema,
            document["records"],
            values("subjects").alias(schema.subject),
            {name: values(f"values-{number}").alias(name) for number, name in enumerate(document["categories"])},
            {name: Sums(*sums) for name, sums in document["sums"].items()},
            document["weight"],
        )

    def spreads(self) -> dict[str, float]:
        """Return the spread of every field, as `History.spreads` does; that of a category means nothing and is 0."""
        return {spec.name: self.sums.get(spec.name, Sums()).spread() for spec in self.schema.fields}

    def coded(self, history: History) -> History:
        """Return a history of some of the records with the dictionaries and the subjects of the whole."""
        codes = dict(history.codes)
        for name, values in self.categories.items():
            codes[name] = _places(history.categories[name], values)[history.codes[name]]
        subject = _places(history.subjects, self.subjects)[history.subject]
        return replace(history, subjects=self.subjects, subject=subject, codes=codes, categories=self.categories)

    def empty(self) -> History:
        """Return a history without records that has the dictionaries of the whole; releases are read after it."""
        nothing = np.empty(0, dtype=np.int64)
        codes = {spec.name: nothing for spec in self.schema.fields}
        return History(self.schema, self.subjects, nothing, codes, self.categories)


def located(batch: Batch, schema: Schema, rows: int) -> History:
    """Return the history of a batch; where every row is a subject, named by its number among ``rows``."""
    history = batch.history(schema)
    if not schema.row_is_subject:
        return history
    numbers = pl.Series(np.arange(batch.first + 1, batch.first + 1 + len(history)))
    names = numbers.cast(pl.String).str.zfill(len(str(max(rows, 1)))).alias(schema.subject)
    # Both are sorted as numbers are: the codes stay.
    return replace(history, subjects=names)


def _occurring(history: History, name: str) -> pl.Series:
    """Return the categories that some record has."""
    return history.categories[name][np.flatnonzero(np.bincount(history.codes[name]))]


def _places(values: pl.Series, dictionary: pl.Series) -> Ints:
    """Return the place of every value in a sorted dictionary that has them all."""
    if len(values) == 0:
        return np.empty(0, dtype=np.int64)
    return dictionary.search_sorted(values).to_numpy().astype(np.int64)
