"""Team 06's anonymizer, the winner of 2021: few deletions, no noise, swaps and decoys (spec D.8, F-D11).

Steps 1 and 2 delete singular rows, then unique rows at random but evenly over clusters. Steps 3 and 4 swap records of
the kept rows, then plant deleted records as decoys: a record may stand in another one's place only if the information
loss stays within the limit and it is not among the most similar records of the original, so that the nearest rows of D
never lead to the true one. Step 5 deletes untouched records, and further ones until utility holds again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tokumei.array_types import Bools, Floats, Ints
from tokumei.contests.pws2021.measures import one_hot
from tokumei.contests.pws2021.methods.row_method import ChangedRows, RowMethod
from tokumei.contests.pws2021.rows import (
    kept_rows,
    pair_distances,
    pair_losses,
    row_losses,
    singletons,
    uniqueness_keys,
)
from tokumei.contests.pws2021.table import COLUMNS, NOMINAL, HealthTable
from tokumei.contests.pws2021.tracker import UtilityTracker
from tokumei.errors import InfeasibleError
from tokumei.parts import parameter
from tokumei.progress import stage

ROUNDS = 10
UNUSED = ("gh", "mets")


def unit_encoding(table: HealthTable) -> Floats:
    """Return nominal columns as 0/1 columns and numbers scaled to [0, 1]."""
    names = tuple(name for name in COLUMNS if name not in UNUSED)
    matrix = one_hot(table, names)
    place = 0
    for name in names:
        if name in NOMINAL:
            place += len(table.nominal(name)[1])
            continue
        low, high = matrix[:, place].min(), matrix[:, place].max()
        matrix[:, place] = (matrix[:, place] - low) / (high - low if high > low else 1.0)
        place += 1
    return matrix


def singular_rows(table: HealthTable, count: int) -> Ints:
    """Return the unique rows that are farthest from the mean, summed over the columns of the encoding."""
    encoded = unit_encoding(table)
    singularity = np.abs(encoded - encoded.mean(axis=0)).sum(axis=1)
    unique = np.flatnonzero(singletons(uniqueness_keys(table)))
    return np.sort(unique[np.argsort(-singularity[unique], kind="stable")[:count]])


def deletions_needed(table: HealthTable, kept: Ints, limit: float) -> int:
    """Return how many unique rows of the kept ones must go so that uniqrt is within the limit.

    Deleting a unique row changes the uniqueness of no other row.
    """
    unique = int(singletons(uniqueness_keys(table)[kept]).sum())
    return max(0, unique - int(np.floor(limit * table.height + 1e-9)))


WAVES = 3


def secret_wave(count: int, uneven: float, *, rng: np.random.Generator) -> Floats:
    """Return how likely each of ``count`` rows in a line is to be deleted, up to a factor: a random smooth wave."""
    along = (np.arange(count) + 0.5) / max(count, 1)
    heights = rng.standard_normal(WAVES)
    waves = np.cos(np.pi * np.arange(1, WAVES + 1)[:, None] * along)
    return np.exp(uneven * (heights @ waves))


def clustered_deletions(
    table: HealthTable,
    candidates: Ints,
    count: int,
    *,
    clusters: int,
    rng: np.random.Generator,
    weights: Floats | None = None,
) -> Ints:
    """Return ``count`` of the candidates, the same share of every cluster, at random within it.

    ``weights`` has one number per row of the table: how readily it is chosen (default: all alike).
    """
    if count > len(candidates):
        message = (
            f"{count} unique rows would have to be deleted, but only {len(candidates)} are left; delete fewer first"
        )
        raise InfeasibleError(message, code="uniqueness")
    if count == 0:
        return np.empty(0, dtype=np.int64)
    labels = _medoid_clusters(unit_encoding(table)[candidates], clusters, rng)
    sizes = np.bincount(labels)
    exact = sizes * (count / len(candidates))
    share = np.floor(exact).astype(np.int64)
    share[np.argsort(-(exact - share), kind="stable")[: count - int(share.sum())]] += 1

    def order(members: Ints) -> Ints:
        if weights is None:
            return rng.permutation(members)
        # The smallest of exponential times with these rates are a weighted draw without replacement.
        return members[np.argsort(rng.standard_exponential(len(members)) / weights[members], kind="stable")]

    chosen = [order(candidates[labels == label])[:quota] for label, quota in enumerate(share.tolist()) if quota]
    return np.sort(np.concatenate(chosen))


def _medoid_clusters(points: Floats, clusters: int, rng: np.random.Generator) -> Ints:
    """Return the cluster of every point: the nearest of some points, each the most central one of its cluster."""
    medoids = points[rng.permutation(len(points))[: min(clusters, len(points))]]
    labels = np.zeros(len(points), dtype=np.int64)
    for _ in range(ROUNDS):
        distances = np.stack([np.abs(points - medoid).sum(axis=1) for medoid in medoids], axis=1)
        before, labels = labels, distances.argmin(axis=1)
        if (before == labels).all():
            break
        for label in np.unique(labels).tolist():
            members = points[labels == label]
            medoids[label] = members[np.abs(members - members.mean(axis=0)).sum(axis=1).argmin()]
    return labels.astype(np.int64)


BLOCK = 256
Limits = tuple[float, float, float]


def allowed_records(table: HealthTable, kept: Ints, *, limit: float, similar: int) -> Bools:
    """Return for every kept row (in order) which rows of the table may stand in its place.

    Excluded are the ``similar`` nearest records among the kept rows, and whatever is as near as they are.
    """
    allowed = np.zeros((len(kept), table.height), dtype=bool)
    pool = np.zeros(table.height, dtype=bool)
    pool[kept] = True
    with stage("candidates", len(kept)) as advance:
        for start in range(0, len(kept), BLOCK):
            rows = kept[start : start + BLOCK]
            block = table.take(rows)
            distances = pair_distances(block, table)
            within = distances[:, pool]
            # The row itself is one of the kept rows; its distance 0 takes the first place.
            rank = min(similar, within.shape[1] - 1)
            nearest = np.partition(within, rank, axis=1)[:, rank] if similar else np.full(len(rows), -1.0)
            allowed[start : start + BLOCK] = (pair_losses(block, table) <= limit) & (distances > nearest[:, None])
            advance(len(rows))
    allowed[np.arange(len(kept)), kept] = False
    return allowed


def swap_records(mutual: Bools, *, scarce_first: bool, rng: np.random.Generator) -> Ints:
    """Return the partner of every row, -1 for none: pairs that may exchange their records, found greedily.

    Rows are visited in random order, or those with the fewest possible partners first.
    """
    count = len(mutual)
    order = rng.permutation(count)
    if scarce_first:
        order = order[np.argsort(mutual.sum(axis=1)[order], kind="stable")]
    partner = np.full(count, -1, dtype=np.int64)
    free = np.ones(count, dtype=bool)
    for row in order.tolist():
        if not free[row]:
            continue
        choices = np.flatnonzero(mutual[row] & free)
        if len(choices):
            other = int(rng.choice(choices))
            partner[row], partner[other] = other, row
            free[row] = free[other] = False
    return partner


def plant_decoys(
    tracker: UtilityTracker,
    allowed: Bools,
    deleted: Ints,
    *,
    limits: Limits,
    most: int | None,
    rng: np.random.Generator,
) -> Bools:
    """Show deleted records in places where they are allowed, each once; return which positions were replaced.

    A replacement is kept if umark stays within the limits, or at least comes no farther from them.
    """
    unused = np.zeros(allowed.shape[1], dtype=bool)
    unused[deleted] = True
    replaced = np.zeros(len(allowed), dtype=bool)
    current = tracker.violation().excess(limits)
    left = len(deleted) if most is None else most
    with stage("decoys", len(allowed)) as advance:
        for position in rng.permutation(len(allowed)).tolist():
            advance(1)
            if left == 0:
                break
            choices = np.flatnonzero(allowed[position] & unused)
            if len(choices) == 0:
                continue
            before = int(tracker.shown[position])
            change = tracker.influence(choices) - tracker.influence(np.array([before]))
            best = int(choices[tracker.odds_after(change).argmin()])
            tracker.replace(np.array([position]), np.array([best]))
            after = tracker.violation().excess(limits)
            if after > max(1.0, current):
                tracker.replace(np.array([position]), np.array([before]))
                continue
            current, replaced[position], unused[best] = after, True, False
            left -= 1
    return replaced


TRIED = 20


class _UniqueRows:
    """The number of unique rows of C while rows are deleted."""

    def __init__(self, keys: Ints, active: Bools) -> None:
        self.keys = keys
        self.counts = np.bincount(keys[active], minlength=int(keys.max(initial=0)) + 1)

    @property
    def unique(self) -> int:
        return int((self.counts == 1).sum())

    def after_deleting(self) -> Ints:
        """Return the number of unique rows if the row at each position went."""
        own = self.counts[self.keys]
        return self.unique + np.where(own == 1, -1, np.where(own == 2, 1, 0))

    def delete(self, position: int) -> None:
        self.counts[self.keys[position]] -= 1


def repair_by_deletion(
    tracker: UtilityTracker, keys: Ints, *, limits: tuple[float, float, float], most_unique: int, least_rows: int
) -> int:
    """Delete positions one by one until umark is within the limits; return how many went.

    ``keys`` are the uniqueness keys of the original rows. The position whose loss is predicted to bring the odds
    ratios nearest is tried first; deletions end where no single one helps, or nothing more may go.
    """
    unique = _UniqueRows(keys, tracker.active)
    current = tracker.violation().excess(limits)
    deleted = 0
    with stage("repair") as advance:
        while (current > 1.0 or unique.unique > most_unique) and tracker.rows > least_rows:
            usable = np.flatnonzero(tracker.active & (unique.after_deleting() <= max(most_unique, unique.unique - 1)))
            if len(usable) == 0:
                break
            predicted = tracker.odds_after(-tracker.influence(tracker.shown[usable]))
            too_many = unique.unique > most_unique
            for position in usable[np.argsort(predicted, kind="stable")[:TRIED]].tolist():
                tracker.delete(np.array([position]))
                after = tracker.violation().excess(limits)
                if after < current or too_many:
                    break
                tracker.restore(np.array([position]))
            else:
                break
            unique.delete(position)
            current = after
            deleted += 1
            advance(1)
    return deleted


@dataclass(frozen=True, kw_only=True)
class Team06(RowMethod):
    """Delete singular and some unique rows, swap records, plant deleted ones as decoys, delete what stayed itself.

    Aims at topk = 0: the nearest rows of D never are the true one. Does not hide the order of the rows: test rows in
    the order of B, as the contest draws them, narrow the places so far that the attack 'likelihood' has a risk of 0.20
    on the table of 2021, where rlink has 0.00, the winners' own attack 0.03 and 'likelihood' without order 0.003.
    ``uneven`` (ours) deletes more in some stretches of the table than in others, by a secret wave, so that the places
    of rows no longer correspond; whoever learns the wave gets as far as before.
    """

    name: ClassVar[str] = "team06"
    summary: ClassVar[str] = "singular and clustered deletion, swaps, decoys, repair of utility"
    source: ClassVar[str] = "Data Protection Club, PWS Cup 2021"

    uneven: float = parameter(
        0.0, "how unevenly along the table rows are deleted, by a secret wave; misleads attacks by order", low=0.0
    )
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
        weights = secret_wave(table.height, self.uneven, rng=rng) if self.uneven else None
        chosen = clustered_deletions(table, unique, count, clusters=self.clusters, rng=rng, weights=weights)
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
