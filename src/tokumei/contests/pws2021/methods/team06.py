"""Team 06's anonymizer, the winner of 2021: few deletions, no noise, swaps and decoys (spec D.8, F-D11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tokumei.array_types import Ints
from tokumei.contests.pws2021.methods.row_method import ChangedRows, RowMethod
from tokumei.contests.pws2021.methods.team06_deletion import clustered_deletions, deletions_needed, singular_rows
from tokumei.contests.pws2021.methods.team06_exchange import allowed_records, plant_decoys, swap_records
from tokumei.contests.pws2021.methods.team06_repair import repair_by_deletion
from tokumei.contests.pws2021.rows import kept_rows, row_losses, singletons, uniqueness_keys
from tokumei.contests.pws2021.table import HealthTable
from tokumei.contests.pws2021.tracker import UtilityTracker
from tokumei.errors import InfeasibleError
from tokumei.parts import parameter


@dataclass(frozen=True, kw_only=True)
class Team06(RowMethod):
    """Delete singular and some unique rows, swap records, plant deleted ones as decoys, delete what stayed itself.

    Aims at topk = 0: the nearest rows of D never are the true one. Does not hide the order of the rows: test rows in
    the order of B, as the contest draws them, narrow the places so far that the attack 'likelihood' has a risk of 0.20
    on the table of 2021, where rlink has 0.00, the winners' own attack 0.03 and 'likelihood' without order 0.003.
    """

    name: ClassVar[str] = "team06"
    summary: ClassVar[str] = "singular and clustered deletion, swaps, decoys, repair of utility"
    source: ClassVar[str] = "Data Protection Club, PWS Cup 2021 (spec D.8)"

    singular: int = parameter(50, "unique rows farthest from the mean that are deleted first", low=0)
    clusters: int = parameter(20, "clusters over which the random deletions are spread", low=1)
    uniqueness: float = parameter(0.5, "largest uniqrt of C", low=0.0, high=1.0)
    loss: float = parameter(4.0, "largest iloss of a row", low=0.0)
    similar: int = parameter(25, "most similar records that may not stand in a record's place", low=0)
    order: str = parameter("random", "which rows are swapped first", choices=("random", "scarce"))
    decoys: int | None = parameter(None, "most decoys; none: as many as fit", low=0)
    rate: float = parameter(0.05, "largest difference of rates", low=0.0)
    odds: float = parameter(0.1, "largest difference of odds ratios", low=0.0)
    correlation: float = parameter(0.1, "largest difference of correlations", low=0.0)
    margin: float = parameter(0.98, "share of the limits that the search uses", low=0.01, high=1.0)

    def change(self, table: HealthTable, *, rng: np.random.Generator) -> ChangedRows:
        """Run the five steps; raise InfeasibleError if the limits cannot be met."""
        if table.height == 0:
            raise InfeasibleError(f"'{self.name}' exchanges rows, and the table has none", code="no-rows")
        steps: list[dict[str, Any]] = []
        limits = (self.rate * self.margin, self.odds * self.margin, self.correlation * self.margin)
        kept = self._delete_rows(table, steps, rng)
        tracker = UtilityTracker(table, table, kept)
        steps[-1] |= self._compliance(table, kept, tracker)
        allowed = allowed_records(table, kept, limit=self.loss, similar=self.similar)
        among = allowed[:, kept]
        partner = swap_records(among & among.T, scarce_first=self.order == "scarce", rng=rng)
        swapped = np.flatnonzero(partner >= 0)
        tracker.replace(swapped, kept[partner[swapped]])
        steps.append({"step": "swap", "changed": len(swapped), **self._compliance(table, kept, tracker)})
        deleted = np.setdiff1d(np.arange(table.height), kept)
        replaced = plant_decoys(tracker, allowed, deleted, limits=limits, most=self.decoys, rng=rng)
        steps.append({"step": "decoys", "changed": int(replaced.sum()), **self._compliance(table, kept, tracker)})
        untouched = np.flatnonzero((partner < 0) & ~replaced)
        if len(untouched) == len(kept):
            message = (
                f"'{self.name}' finds no records that may change places; allow a larger loss or fewer similar ones"
            )
            raise InfeasibleError(message, code="utility")
        tracker.delete(untouched)
        steps.append({"step": "untouched", "deleted": len(untouched), **self._compliance(table, kept, tracker)})
        repaired = repair_by_deletion(
            tracker,
            uniqueness_keys(table)[kept],
            limits=limits,
            most_unique=int(np.floor(self.uniqueness * table.height + 1e-9)),
            least_rows=table.height // 2 + 1,
        )
        compliance = self._compliance(table, kept, tracker)
        steps.append({"step": "repair", "deleted": repaired, **compliance})
        self._refuse_failure(compliance, table.height)
        live = tracker.active
        return ChangedRows(kept[live], table.take(tracker.shown[live]), {"steps": steps})

    def _delete_rows(self, table: HealthTable, steps: list[dict[str, Any]], rng: np.random.Generator) -> Ints:
        """Return the rows kept after the steps 1 and 2."""
        singular = singular_rows(table, self.singular)
        kept = kept_rows(table.height, singular)
        first = UtilityTracker(table, table, kept)
        steps.append({"step": "singular", "deleted": len(singular), **self._compliance(table, kept, first)})
        unique = kept[singletons(uniqueness_keys(table)[kept])]
        count = deletions_needed(table, kept, self.uniqueness)
        chosen = clustered_deletions(table, unique, count, clusters=self.clusters, rng=rng)
        kept = np.setdiff1d(kept, chosen)
        steps.append({"step": "clustered", "deleted": len(chosen)})
        return kept

    @staticmethod
    def _compliance(table: HealthTable, kept: Ints, tracker: UtilityTracker) -> dict[str, float]:
        """Return the figures that the rules limit."""
        live = tracker.active
        rows, found = kept[live], tracker.violation()
        unique = int(singletons(uniqueness_keys(table)[rows]).sum())
        loss = row_losses(table.take(rows), table.take(tracker.shown[live])).max(initial=0.0)
        return {
            "rows": len(rows),
            "uniqrt": unique / table.height,
            "rate": found.rate,
            "OR": found.odds,
            "cor": found.correlation,
            "iloss": float(loss),
        }

    def _refuse_failure(self, found: dict[str, float], height: int) -> None:
        limits = {"uniqrt": self.uniqueness, "rate": self.rate, "OR": self.odds, "cor": self.correlation}
        broken = [f"{name} {found[name]:.4f} > {limit:g}" for name, limit in limits.items() if found[name] > limit]
        if found["rows"] * 2 <= height:
            broken.append(f"only {found['rows']} of {height} rows are left")
        if broken:
            message = (
                f"'{self.name}' cannot meet the limits on this table ({', '.join(broken)}); "
                "try another seed, fewer decoys or wider limits"
            )
            raise InfeasibleError(message, code="utility")
