"""Recoding on hierarchies, as ARX and most handbooks do it, for tables of one record per subject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.data import FieldHierarchy, History, Release, Secret, field_hierarchies
from tokumei.errors import InfeasibleError
from tokumei.methods.fresh_release import with_fresh_pseudonyms
from tokumei.methods.recoding.lattice import best_levels, recoded_losses
from tokumei.methods.recoding.local import group_levels, local_groups
from tokumei.methods.recoding.table import AGGREGATES, LeafTable, aggregated
from tokumei.parts import Method, parameter
from tokumei.progress import stage

_PASSES = {"fast": 0, "normal": 2, "best": 12}


@dataclass(frozen=True, kw_only=True)
class Recoding(Method):
    """Every value becomes an ancestor in its column's hierarchy, so that at least k records look alike.

    ``scope=full-domain`` publishes every column at one level for everybody, the levels that lose least of all (proven),
    and leaves out records in classes below k, up to a share. ``scope=local`` lets every group have its own levels: it
    loses several times less and leaves out nobody. Hierarchies are those that the schema declares
    (``hierarchy = "file.csv"``); columns without one get one built automatically.

    Protects against naming with more than 1/k by whoever knows the whole table: the members of a class say the same.
    Does not hide what all members of a class share.
    """

    name: ClassVar[str] = "recoding"
    summary: ClassVar[str] = "k-anonymity on hierarchies: one level per column (optimal), or one per group (local)"
    source: ClassVar[str] = "Samarati (2001); LeFevre et al., Incognito (2005); Prasser et al., ARX (2014, 2020)"
    generalizes: ClassVar[bool] = True

    k: int = parameter(3, "records of a class at least", low=2)
    scope: str = parameter("local", "one level per column, or one per group", choices=("full-domain", "local"))
    suppress: float = parameter(0.05, "full-domain: at most this share of the records is left out", low=0, high=1)
    aggregate: str = parameter("geometric", "how the losses of the columns become one figure", choices=AGGREGATES)
    effort: str = parameter("normal", "local: how long to search", choices=tuple(_PASSES))

    def anonymize(self, history: History, *, rng: np.random.Generator) -> tuple[Release, Secret]:
        """Return the recoded records under pseudonyms; the report of the Secret tells levels and loss."""
        longest = int(history.counts().max(initial=0))
        if longest > 1:
            message = (
                f"'{self.name}' is for one record per subject, but a subject has {longest}; "
                "use k-anonymity, which groups whole histories"
            )
            raise InfeasibleError(message)
        if len(history) < self.k:
            message = f"k = {self.k} needs at least {self.k} records, the data has {len(history)}; lower k or add data"
            raise InfeasibleError(message)
        with stage("hierarchies"):
            hierarchies = field_hierarchies(history)
            table = LeafTable.of(hierarchies)
        rows, levels, report = self._levels(table)
        cells = {
            name: tree.cells(tree.leaf[rows], levels[rows, column])
            for column, (name, tree) in enumerate(hierarchies.items())
        }
        # By content, so that the release does not depend on the order of the file.
        kept = history.order[np.isin(history.order, rows)]
        place = np.empty(len(history), dtype=np.int64)
        place[rows] = np.arange(len(rows))
        ordered = {name: column.take(place[kept]) for name, column in cells.items()}
        release, secret = with_fresh_pseudonyms(history, kept, ordered, method=self.name, rng=rng)
        return release, replace(secret, report=report | _level_report(hierarchies, levels[rows]))

    def _levels(self, table: LeafTable) -> tuple[Ints, Ints, dict[str, object]]:
        """Return the published rows, the level of every record and column, and what there is to tell."""
        if self.scope == "full-domain":
            with stage("levels"):
                best = best_levels(table, self.k, limit=self.suppress, aggregate=self.aggregate)
            told: dict[str, object] = {
                "loss": best.loss,
                "suppressed": int(best.suppressed.sum()),
                "combinations": best.lattice,
                "tried": best.tried,
            }
            return np.flatnonzero(~best.suppressed), np.tile(best.levels, (len(table), 1)), told
        with stage("groups"):
            levels = group_levels(table, local_groups(table, self.k, passes=_PASSES[self.effort]))
        nobody = np.zeros(len(table), dtype=np.bool_)
        loss = float(aggregated(recoded_losses(table, levels, nobody), self.aggregate))
        return np.arange(len(table)), levels, {"loss": loss, "suppressed": 0}


def _level_report(hierarchies: Mapping[str, FieldHierarchy], levels: Ints) -> dict[str, object]:
    """Return the mean level of every column; of a full-domain release, its one level."""
    means = levels.mean(axis=0) if len(levels) else np.zeros(levels.shape[1])
    return {"levels": {name: float(mean) for name, mean in zip(hierarchies, means, strict=True)}}
