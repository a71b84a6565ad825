"""Models of tables: k, l, t, alpha, beta and delta of the classes of equal records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import polars as pl

from tokumei.array_types import Bools, Ints
from tokumei.data import Goal, History, Release, Score, Secret
from tokumei.metrics.class_figures import ClassFigures, class_figures
from tokumei.parts import Metric


def equal_classes(release: Release, names: list[str]) -> Ints:
    """Return the class of every record: equal where the cells of these columns are equal."""
    keys = [key for name in names for key in release.cells[name].sort_keys()]
    if not keys:
        return np.zeros(len(release), dtype=np.int64)
    frame = pl.DataFrame([pl.Series(str(place), key) for place, key in enumerate(keys)])
    ranked = frame.select(pl.struct(pl.all()).rank("dense")).to_series()
    return ranked.to_numpy().astype(np.int64) - 1


@dataclass(frozen=True, kw_only=True)
class ClassModels(Metric):
    """The smallest class of equal records (k), and how diverse the classes are in the sensitive columns.

    Classes are records that are equal in all columns that the schema does not mark ``sensitive = true``; the parts tell
    distinct, entropy and recursive l, t, alpha, beta and delta of the true values of the marked ones, the worst of
    several. A missing value is none: a class without any value has a distinct l of 0. Classes of single records say
    nothing of whole histories, and none of these figures proves anything against who knows more than the published
    columns.
    """

    name: ClassVar[str] = "class-models"
    summary: ClassVar[str] = "k of single records; of sensitive columns l, entropy l, c, t, alpha, beta, delta"
    source: ClassVar[str] = "Machanavajjhala et al. (2007); Li et al. (2007); pyCANON (2022), definitions"

    def measure(self, history: History, release: Release, secret: Secret) -> Score:
        """Return k with the other figures as parts."""
        hidden = {column.name for column in history.schema.columns if column.sensitive}
        fields = [field for field in history.schema.fields if field.column in hidden]
        real = np.flatnonzero(secret.rows >= 0)
        known = [field.name for field in history.schema.fields if field.column not in hidden]
        group = equal_classes(release.take(real), known)
        smallest = int(np.bincount(group).min()) if len(group) else 0
        figures = [
            _figures(group, values, history.is_value(field.name, values), ordered=not field.nominal)
            for field in fields
            for values in [history.codes[field.name][secret.rows[real]]]
            if history.is_value(field.name, values).any()
        ]
        parts = _worst(figures) if figures else {}
        return Score(name=self.name, value=float(smallest), goal=Goal.HIGHER, lowest=0.0, parts=parts)


def _figures(group: Ints, values: Ints, present: Bools, *, ordered: bool) -> ClassFigures:
    """Return the figures of the records that have a value."""
    found = class_figures(group[present], values[present], ordered=ordered)
    lacking = len(np.unique(group[present])) < len(np.unique(group))
    return replace(found, distinct=0) if lacking else found


def _worst(figures: Sequence[ClassFigures]) -> dict[str, float]:
    """Return the figures of the column that is worst in each."""
    return {
        "distinct l": float(min(one.distinct for one in figures)),
        "entropy l": min(one.entropy for one in figures),
        "recursive c": max(one.recursive for one in figures),
        "alpha": max(one.alpha for one in figures),
        "t": max(one.t for one in figures),
        "beta": max(one.beta for one in figures),
        "enhanced beta": max(one.enhanced_beta for one in figures),
        "delta": max(one.delta for one in figures),
    }
