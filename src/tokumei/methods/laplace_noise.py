"""Add Laplace noise to ordered values, on the grid of the column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.data import MISSING, Channel, ColumnChannel, Field, History, Kind, Noisy, Release, Secret
from tokumei.methods.column_settings import LARGEST_CODE, is_ordered, settings_by_field, split_settings, steps_of
from tokumei.methods.fresh_release import plain_cells, with_fresh_pseudonyms
from tokumei.parts import Method, parameter

SMALLEST_EPSILON = 1e-6
# Days from 0001-01-01 to 9999-12-31: dates outside cannot be written in four-digit years.
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
_DAY = 86_400


def discrete_laplace(count: int, *, scale: float, rng: np.random.Generator) -> Ints:
    """Return whole numbers z with probability proportional to exp(-|z| / scale).

    The difference of two geometric variables has exactly this distribution (Ghosh, Roughgarden and Sundararajan 2009,
    the geometric mechanism). Staying on the grid avoids the leak of floating-point Laplace samples (Mironov 2012).
    """
    success = -np.expm1(-1.0 / scale)
    noise = rng.geometric(success, size=count) - rng.geometric(success, size=count)
    return np.clip(noise, -LARGEST_CODE, LARGEST_CODE).astype(np.int64)


@dataclass(frozen=True, kw_only=True)
class LaplaceNoise(Method):
    """Every value of an ordered column is moved by Laplace noise of scale sensitivity / epsilon.

    Protects each single value: no published value becomes more than e^epsilon times as likely or unlikely if its
    original moves by at most the sensitivity (local differential privacy if the sensitivity is the whole width of the
    column). Does not protect a history at this level: the losses of all noisy cells of a person add up, so a hundred
    records of two columns cost 200 epsilon. Categories and the number of records stay as they are. A sensitivity, or
    bounds for clipping, taken from the data are published by being used.
    """

    name: ClassVar[str] = "laplace-noise"
    summary: ClassVar[str] = "add Laplace noise to dates, numbers and places"
    source: ClassVar[str] = "Dwork et al., Calibrating noise to sensitivity (2006); Ghosh et al. (2009)"

    epsilon: float = parameter(1.0, "privacy loss of every published value", low=SMALLEST_EPSILON)
    columns: str = parameter(
        "",
        "sensitivity by column in its unit (dates: days, datetimes: seconds), such as price=10,quantity=5; "
        "empty: every ordered column, with its whole width",
    )
    clip: bool = parameter(default=True, doc="keep noisy values between the smallest and the largest original one")

    def __post_init__(self) -> None:
        """Check the parameters and the form of the list."""
        super().__post_init__()
        split_settings(self.name, "columns", self.columns)

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the records with noisy values under pseudonyms, in random order."""
        given = self._sensitivities(history)
        cells = {}
        for spec in history.schema.fields:
            codes = history.codes[spec.name][history.order]
            present = np.flatnonzero(codes != MISSING)
            if spec.name in given and len(present):
                codes[present] = self._noisy(spec, given[spec.name], codes[present], rng)
            cells[spec.name] = plain_cells(history, spec, codes)
        return with_fresh_pseudonyms(history, history.order, cells, method=self.name, rng=rng)

    def channel(self, history: History) -> Channel:
        """Return the noise of every column that gets some."""
        columns: dict[str, ColumnChannel] = {}
        for name, given in self._sensitivities(history).items():
            present = history.codes[name][history.codes[name] != MISSING]
            noise = self._noise(history.schema.field(name), given, present) if len(present) else None
            if noise is not None:
                columns[name] = noise
        return Channel(columns=columns)

    def _sensitivities(self, history: History) -> dict[str, int | None]:
        """Return the sensitivity of every column that gets noise, in steps; None: its whole width."""
        kinds = "date, datetime, number, place"
        chosen = settings_by_field(self.name, "columns", self.columns, history.schema, treats=is_ordered, kinds=kinds)
        return {
            name: steps_of(self.name, "columns", history.schema.field(name), text) if text else None
            for name, text in chosen.items()
        }

    def _noise(self, spec: Field, given: int | None, values: Ints) -> Noisy | None:
        """Return scale and limits of the noise of a column, None if it gets none."""
        low, high = int(values.min()), int(values.max())
        sensitivity = high - low if given is None else given
        if sensitivity == 0:
            return None
        if not self.clip:
            low, high = _representable(spec)
        return Noisy(scale=sensitivity / self.epsilon, low=low, high=high)

    def _noisy(self, spec: Field, given: int | None, values: Ints, rng: np.random.Generator) -> Ints:
        """Return the values with noise, inside what the column can hold."""
        noise = self._noise(spec, given, values)
        if noise is None:
            return values
        return np.clip(values + discrete_laplace(len(values), scale=noise.scale, rng=rng), noise.low, noise.high)


def _representable(spec: Field) -> tuple[int, int]:
    """Return the smallest and the largest code that can be written and read again."""
    if spec.kind is Kind.DATE:
        return _FIRST_DAY, _LAST_DAY
    if spec.kind is Kind.DATETIME:
        return _FIRST_DAY * _DAY, _LAST_DAY * _DAY + _DAY - 1
    return -LARGEST_CODE + 1, LARGEST_CODE - 1
