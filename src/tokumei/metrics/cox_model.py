"""Cox models of the original and of the release: whether they find the same, and order people alike.

The models are fitted by lifelines (extra ``contests``), which is loaded when a column of times is named.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tokumei.array_types import Bools, Floats
from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.errors import InfeasibleError
from tokumei.metrics.chosen_columns import event_flags, ordered_column, ordered_names, published_events
from tokumei.metrics.midpoints import original_values, published_values
from tokumei.parts import Metric, need_libraries, parameter


@dataclass(frozen=True, eq=False)
class CoxModel:
    """A fitted Cox model: coefficients and their 95 % intervals."""

    beta: Floats
    low: Floats
    high: Floats

    @property
    def significant(self) -> Bools:
        """Whether an interval leaves 0 out, per coefficient."""
        return np.asarray((self.low > 0) | (self.high < 0))


def fit_cox(columns: Mapping[str, Floats], time: Floats, event: Floats, *, penalizer: float = 0.0) -> Any:
    """Fit time to an event with lifelines (Efron's ties); warnings about the data are not errors."""
    need_libraries("lifelines")
    import pandas as pd  # noqa: PLC0415 - an extra
    from lifelines import CoxPHFitter  # noqa: PLC0415 - an extra

    table = pd.DataFrame(dict(columns))
    table["time"], table["event"] = time, event
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return CoxPHFitter(penalizer=penalizer).fit(table, "time", "event")


def fitted_cox(columns: Mapping[str, Floats], time: Floats, event: Floats) -> CoxModel | None:
    """Return the model; None if there is none, or one that says nothing."""
    need_libraries("lifelines")
    from lifelines.exceptions import ConvergenceError  # noqa: PLC0415 - an extra

    try:
        fit = fit_cox(columns, time, event)
    except (ConvergenceError, ValueError, TypeError, ArithmeticError, np.linalg.LinAlgError):
        return None
    errors = fit.standard_errors_.to_numpy()
    bounds = fit.confidence_intervals_.to_numpy()
    model = CoxModel(fit.params_.to_numpy(), bounds[:, 0], bounds[:, 1])
    usable = np.isfinite(model.beta).all() and np.isfinite(bounds).all() and (errors > 0).all()
    return model if usable else None


def interval_overlap(one: CoxModel, other: CoxModel) -> tuple[Floats, Floats]:
    """Return the overlap of both intervals of every coefficient, and what it counts (0 for another finding)."""
    shared = np.minimum(one.high, other.high) - np.maximum(one.low, other.low)
    overlap = np.clip(0.5 * (shared / (one.high - one.low) + shared / (other.high - other.low)), 0.0, 1.0)
    differ = one.significant != other.significant
    opposite = one.significant & other.significant & (np.sign(one.beta) != np.sign(other.beta))
    return overlap, np.where(differ | opposite, 0.0, overlap)


def concordance(columns: Mapping[str, Floats], time: Floats, event: Floats, model: CoxModel) -> float:
    """Return how well a model orders the events of these people."""
    need_libraries("lifelines")
    from lifelines.utils import concordance_index  # noqa: PLC0415 - an extra

    table = np.column_stack(list(columns.values()))
    return float(concordance_index(time, -(table @ model.beta), event))


@dataclass(frozen=True, kw_only=True)
class _CoxMetric(Metric):
    """Both models of named columns of times and events, on all other ordered columns."""

    time: str = parameter("", "the column of times (must be named)")
    event: str = parameter("", "the column that says where the event happened; left out: everywhere")

    def _models(self, history: History, release: Release) -> tuple[Any, CoxModel, CoxModel]:
        """Return the original's columns, times and events, and both models."""
        if not self.time:
            message = f"'{self.name}' needs a column of times; name it with --set time=COLUMN (and event=COLUMN)"
            raise InfeasibleError(message)
        need_libraries("lifelines")
        time = ordered_column(history, self.time)
        names = [name for name in ordered_names(history) if name not in (time, self.event)]
        before, after = original_values(history, [time, *names]), published_values(history, release, [time, *names])
        sides = (
            _complete(names, before, event_flags(history, self.event)),
            _complete(names, after, published_events(history, release, self.event)),
        )
        told = [columns for columns, times, _ in sides if len(times)]
        varying = [name for name in names if all(np.ptp(columns[name]) > 0 for columns in told)]
        models = []
        for at, (columns, times, events) in enumerate(sides):
            used = {name: columns[name] for name in varying}
            model = fitted_cox(used, times, events) if used and len(times) > len(used) else None
            if model is None:
                where = "original" if at == 0 else "release"
                message = f"the {where} gives no Cox model of '{time}': too few events, or a column decides all"
                raise InfeasibleError(message)
            models.append(model)
        columns, times, events = sides[0]
        return ({name: columns[name] for name in varying}, times, events), models[0], models[1]


def _complete(names: list[str], values: list[Floats], event: Floats) -> tuple[dict[str, Floats], Floats, Floats]:
    """Return covariates with gaps at their mean, times and events of the records whose time and event are known."""
    known = np.isfinite(values[0]) & np.isfinite(event)
    columns = {}
    for name, column in zip(names, values[1:], strict=True):
        own = column[known]
        told = np.isfinite(own)
        columns[name] = np.where(told, own, own[told].mean() if told.any() else 0.0)
    # In the order of their content: sums must not depend on that of the file.
    times, events = values[0][known], event[known]
    order = np.lexsort((*columns.values(), events, times))
    return {name: column[order] for name, column in columns.items()}, times[order], events[order]


@dataclass(frozen=True, kw_only=True)
class CoxOverlap(_CoxMetric):
    """Mean overlap of the 95 % intervals of all coefficients of two Cox models, of the original and of the release.

    A coefficient that is significant in one model alone, or has the opposite sign, counts 0. 1: the same intervals.
    """

    name: ClassVar[str] = "cox-overlap"
    summary: ClassVar[str] = "overlap of the intervals of two Cox models (name the time; extra contests)"
    source: ClassVar[str] = "Karr et al. (2006); PWS Cup 2026"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the mean overlap, with one part per coefficient."""
        del secret
        (columns, _, _), mine, theirs = self._models(history, release)
        counted = interval_overlap(mine, theirs)[1]
        parts = dict(zip(columns, map(float, counted), strict=True))
        value = float(np.mean(counted))
        return Score(name=self.name, value=value, goal=Goal.HIGHER, lowest=0.0, highest=1.0, parts=parts)


@dataclass(frozen=True, kw_only=True)
class Concordance(_CoxMetric):
    """How well a Cox model that learned from the release orders the events of the original (Harrell's C).

    One half is chance; the part ``original`` is that of a model which learned from the original itself.
    """

    name: ClassVar[str] = "concordance"
    summary: ClassVar[str] = "order of the original by a Cox model of the release (name the time; extra contests)"
    source: ClassVar[str] = "Harrell et al. (1982); PWS Cup 2026"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return the concordance beside that of the original's own model."""
        del secret
        (columns, times, events), mine, theirs = self._models(history, release)
        own, value = (concordance(columns, times, events, model) for model in (mine, theirs))
        parts = {"original": own}
        return Score(name=self.name, value=value, goal=Goal.HIGHER, lowest=0.0, highest=1.0, parts=parts, baseline=0.5)
