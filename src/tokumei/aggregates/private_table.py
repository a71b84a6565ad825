"""One table of a history under (epsilon, delta)-differential privacy for whole people.

Two histories are neighbours if one has all records of one person more than the other. What is published, and the keys
that are published, is (epsilon, delta)-indistinguishable for neighbours: whatever an attacker knows, and whatever else
is published, it tells hardly more about somebody who is in the data than about one who is not.

The budget is shared alike by the measures, and by the choice of the keys where those are not public; what the parts
cost is added up (basic composition), as OpenDP states it for each.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from tokumei.aggregates.contributions import Contributions, bounded
from tokumei.aggregates.keys import key_columns
from tokumei.aggregates.measures import PEOPLE, Measure
from tokumei.aggregates.noise import Cost, NoiseName, library, noisy, shared_keys
from tokumei.array_types import Ints
from tokumei.data import History
from tokumei.errors import InputError, ParameterError
from tokumei.progress import stage

# No text of a table has this byte.
_JOINT = "\x1f"
KEYS = "keys and people"


@dataclass(frozen=True, kw_only=True)
class TableRequest:
    """What is asked for: keys, measures, the budget, and how much one person may bring.

    ``cells`` and ``records`` bound a person's share: in so many cells, with so many records in each.
    """

    by: tuple[str, ...]
    measures: tuple[Measure, ...]
    epsilon: float
    delta: float = 0.0
    cells: int = 12
    records: int = 5
    noise: NoiseName = NoiseName.LAPLACE

    def __post_init__(self) -> None:
        """Refuse what is no budget and no bound."""
        if not 0 < self.epsilon <= 100:
            raise ParameterError(f"epsilon must be above 0 and at most 100, got {self.epsilon:g}")
        if not 0 <= self.delta < 1:
            raise ParameterError(f"delta must be from 0 to below 1, got {self.delta:g}")
        for name in ("cells", "records"):
            if getattr(self, name) < 1:
                raise ParameterError(f"a person must count in at least one: {name} = {getattr(self, name)}")
        if not self.measures:
            raise ParameterError("name at least one measure: people, records or sum:COLUMN:LOW:HIGH")
        names = [measure.name for measure in self.measures]
        if len(set(names)) < len(names):
            raise ParameterError("a measure is named twice; name it once")
        if self.noise is NoiseName.GAUSSIAN and self.delta == 0:
            raise ParameterError("Gaussian noise needs a delta above 0; give one, or take Laplace noise")


@dataclass(frozen=True, slots=True)
class Spent:
    """One part of the budget: what for, what it cost, and by how much one person can change what it protects.

    ``share`` is the epsilon and delta that it might have cost.
    """

    what: str
    cost: Cost
    cells: int
    largest: int
    share: tuple[float, float]

    @property
    def of_people(self) -> bool:
        """Whether people are counted, whatever their records."""
        return self.what in (PEOPLE, KEYS)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        about = {"what": self.what, "epsilon": self.cost.epsilon, "delta": self.cost.delta, "scale": self.cost.scale}
        bounds = {"cells_of_a_person": self.cells, "largest_change_of_a_cell": self.largest}
        return {**about, **bounds, **({"threshold": self.cost.threshold} if self.cost.threshold else {})}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PrivateTable:
    """A table that may be published: ``data`` has the keys as texts and the measures; ``spent`` is what it cost."""

    data: pl.DataFrame
    spent: tuple[Spent, ...]
    request: TableRequest
    public_keys: bool
    opendp: str = field(default_factory=library)

    @property
    def epsilon(self) -> float:
        """All epsilon that was spent."""
        return sum(part.cost.epsilon for part in self.spent)

    @property
    def delta(self) -> float:
        """All delta that was spent."""
        return sum(part.cost.delta for part in self.spent)

    def manifest(self) -> dict[str, Any]:
        """Return what everybody may know about how it was made."""
        request = self.request
        return {
            "what": "a table under differential privacy",
            "neighbours": "all records of one person are added or removed",
            "by": list(request.by),
            "measures": [measure.name for measure in request.measures],
            "keys": "public" if self.public_keys else "those that enough people share",
            "epsilon": self.epsilon,
            "delta": self.delta,
            "cells_of_a_person": request.cells,
            "records_of_a_person_in_a_cell": request.records,
            "noise": request.noise.value,
            "parts": [part.as_dict() for part in self.spent],
            "opendp": self.opendp,
            "rows": self.data.height,
        }


def make_table(
    history: History, request: TableRequest, *, keys: pl.DataFrame | None = None, rng: np.random.Generator | None = None
) -> PrivateTable:
    """Make one table of a history.

    ``keys`` are the keys to publish, known from elsewhere than the data, a column for each key; without them those are
    published that enough people share, which needs a delta. ``rng`` draws which records of a person count (default:
    from the system's entropy); the noise is always OpenDP's own.
    """
    coins = rng or np.random.default_rng(secrets.randbits(128))
    frame = key_columns(history, request.by)
    if keys is None and request.delta == 0:
        message = "keys that come from the data need a delta above 0; give one, or name the keys (--keys)"
        raise ParameterError(message)
    known = None if keys is None else _public(keys, frame.columns)
    with stage("private table"):
        label = frame.select(pl.concat_str(pl.all(), separator=_JOINT)).to_series()
        counted = np.arange(len(history)) if known is None else np.flatnonzero(label.is_in(known.implode()).to_numpy())
        cell = label.rank("dense").to_numpy().astype(np.int64)
        kept = counted[
            bounded(history.subject[counted], cell[counted], Contributions(request.cells, request.records), rng=coins)
        ]
        return _with_noise(history, request, label[kept], kept, known=known, names=frame.columns)


def _public(keys: pl.DataFrame, names: list[str]) -> pl.Series:
    """Return the keys that were named, as joined texts."""
    missing = [name for name in names if name not in keys.columns]
    if missing:
        message = f"the list of keys has no column '{missing[0]}'; it must have {', '.join(names)}"
        raise InputError(message, code="keys")
    texts = pl.DataFrame({name: keys[name].cast(pl.String).fill_null("") for name in names})
    joint = texts.select(pl.concat_str(pl.all(), separator=_JOINT)).to_series().unique().sort()
    if joint.is_empty():
        message = "the list of keys is empty; name at least one"
        raise InputError(message, code="keys")
    return joint


def _with_noise(
    history: History, request: TableRequest, label: pl.Series, kept: Ints, *, known: pl.Series | None, names: list[str]
) -> PrivateTable:
    """Publish the keys, then each measure, every one with its share of the budget."""
    measures = [one for one in request.measures if known is not None or one.what != PEOPLE]
    gaussian = request.noise is NoiseName.GAUSSIAN
    shares = len(measures) + (known is None)
    deltas = (len(measures) if gaussian else 0) + (known is None)
    epsilon, delta = request.epsilon / shares, request.delta / max(deltas, 1)
    rows = pl.DataFrame({"key": label, "person": history.subject[kept]})
    columns: dict[str, Any] = {}
    spent: list[Spent] = []
    if known is None:
        people = rows.group_by("key").agg(pl.col("person").n_unique()).sort("key")
        counts: Mapping[str, int] = dict(zip(people["key"].to_list(), people["person"].to_list(), strict=True))
        found, cost = shared_keys(counts, cells=request.cells, epsilon=epsilon, delta=delta)
        spent.append(Spent(KEYS, cost, request.cells, 1, (epsilon, delta)))
        published = pl.Series("key", sorted(found), dtype=pl.String)
        if any(one.what == PEOPLE for one in request.measures):
            columns[PEOPLE] = [found[key] for key in sorted(found)]
    else:
        published = known.alias("key")
    for measure in measures:
        largest = measure.largest(request.records)
        values = _values(history, measure, rows, kept, published)
        released, cost = noisy(
            values, cells=request.cells, largest=largest, epsilon=epsilon, delta=delta, noise=request.noise
        )
        spent.append(Spent(measure.name, cost, request.cells, largest, (epsilon, delta)))
        columns[measure.name] = _in_units(released, measure.unit)
    parts = published.str.split_exact(_JOINT, len(names) - 1).struct.unnest()
    data = parts.rename(dict(zip(parts.columns, names, strict=True)))
    ordered = [pl.Series(measure.name, columns[measure.name]) for measure in request.measures]
    return PrivateTable(
        data=data.with_columns(ordered), spent=tuple(spent), request=request, public_keys=known is not None
    )


def _values(history: History, measure: Measure, rows: pl.DataFrame, kept: Ints, published: pl.Series) -> Ints:
    """Return what every published key adds up to, 0 for one that nobody has."""
    if measure.what == PEOPLE:
        added = rows.group_by("key").agg(pl.col("person").n_unique().cast(pl.Int64).alias("value"))
    else:
        brought = rows.with_columns(pl.Series("value", measure.values(history)[kept]))
        added = brought.group_by("key").agg(pl.col("value").sum())
    joined = pl.DataFrame({"key": published}).join(added, on="key", how="left", maintain_order="left")
    return joined["value"].fill_null(0).to_numpy().astype(np.int64)


def _in_units(released: Ints, unit: float) -> Any:
    """Return whole units as numbers of the column."""
    return released * round(unit) if unit >= 1.0 else np.round(released * unit, 9)
