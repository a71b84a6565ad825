"""The columns that a metric is about: named by its parameters, or the first that fit."""

from __future__ import annotations

import numpy as np

from tokumei.array_types import Floats
from tokumei.data import MISSING, Field, History, RangeCells, Release
from tokumei.errors import InfeasibleError, did_you_mean

NO = frozenset({"", "0", "0.0", "false", "no", "none", "censored"})


def named_field(history: History, name: str) -> Field:
    """Return the field of this name."""
    fields = {field.name: field for field in history.schema.fields}
    if name not in fields:
        known = ", ".join(fields)
        raise InfeasibleError(f"there is no column '{name}'{did_you_mean(name, list(fields))}; there are {known}")
    return fields[name]


def ordered_names(history: History) -> list[str]:
    """Return the ordered fields."""
    return [field.name for field in history.schema.fields if not field.nominal]


def ordered_column(history: History, name: str) -> str:
    """Return an ordered field: the one of this name, or the first."""
    if name:
        if named_field(history, name).nominal:
            raise InfeasibleError(
                f"the column '{name}' is a category, which has no order; name one of numbers or dates"
            )
        return name
    ordered = ordered_names(history)
    if not ordered:
        raise InfeasibleError("there is no ordered column, of which this could be measured")
    return ordered[0]


def nominal_column(history: History, name: str, *, most: int) -> str:
    """Return a category of so many values at most: the one of this name, or the first."""
    if name:
        if not named_field(history, name).nominal:
            raise InfeasibleError(f"the column '{name}' is no category; name one that is")
        if len(history.categories[name]) > most:
            raise InfeasibleError(f"the column '{name}' has more than {most} values; name another one")
        return name
    nominal = [field.name for field in history.schema.fields if field.nominal]
    few = [name for name in nominal if len(history.categories[name]) <= most]
    if not few:
        raise InfeasibleError(f"there is no category of at most {most} values, by which groups could be made")
    return few[0]


def _says_yes(categories: list[str]) -> Floats:
    return np.array([float(str(value).strip().lower() not in NO) for value in categories])


def event_flags(history: History, name: str) -> Floats:
    """Return 1 where the original says that something happened, 0 where not, NaN where it says nothing."""
    if not name:
        return np.ones(len(history))
    codes = history.codes[named_field(history, name).name]
    if not named_field(history, name).nominal:
        return np.where(codes == MISSING, np.nan, (codes != 0).astype(np.float64))
    yes = _says_yes(history.categories[name].cast(str).to_list())
    return yes[codes] if len(yes) else np.full(len(codes), np.nan)


def published_events(history: History, release: Release, name: str) -> Floats:
    """Return the same of the release; a set counts by the share of its elements, a range as 1 unless it is 0."""
    if not name:
        return np.ones(len(release))
    cells = release.cells[named_field(history, name).name]
    if isinstance(cells, RangeCells):
        return np.where(cells.suppressed, np.nan, (cells.hi != 0).astype(np.float64))
    yes = _says_yes(cells.categories.cast(str).to_list())
    sums = np.bincount(cells.owners(), yes[cells.codes] if len(yes) else None, minlength=len(release))
    return np.where(cells.suppressed, np.nan, sums / np.maximum(cells.sizes(), 1))
